/* heddle help: the commands, one command's page, or a topic. */
#include "cli/commands.h"

typedef struct topic {
    const char *name, *summary, *text;
} topic;

static const topic topics[] = {
    {"layout", "the notation of layouts",
     "A layout says where the fields of a record lie in memory.\n"
     "\n"
     "  layout   := shorthand | cluster { cluster } [ \"/da\" ]\n"
     "  cluster  := \"{\" field { \",\" field } [ \",\" \"_\" ] \"}\" [ \":\" tile ]\n"
     "  tile     := power of two from 1 | \"aos\" | \"soa\"          (default aos)\n"
     "  shorthand:= \"aos\" | \"soa\" | \"da\" | \"aosoa:\" tile\n"
     "\n"
     "  aos                   structs in an array, as in C\n"
     "  soa                   an array for each field, in one allocation\n"
     "  da                    an array for each field, each with its own allocation\n"
     "  aosoa:32              tiles of 32 elements; in a tile every field lies together\n"
     "  {x,y,z}{vx,vy,vz}:32  positions as structs, velocities in tiles of 32\n"
     "  {x,y,z,_}{m}          x, y and z in 16 bytes: one load of a vector brings them\n"
     "  {x,y}{m}/da           two clusters, each with its own allocation\n"
     "\n"
     "Every field stands in exactly one cluster.\n"},
    {"trace-text", "the text form of traces",
     "What 'heddle trace export' writes and 'heddle trace import' reads: one line for each MI,\n"
     "one execution of a load, store or atomic by the threads of a block that are active there.\n"
     "\n"
     "  # heddle-trace-text 1\n"
     "  B <block> <threads>\n"
     "  <pos> <pc> <L|S|A> <bytes> <tid>:<hex address> ...\n"
     "\n"
     "  B      a block begins: its number and how many threads it has\n"
     "  pos    position in the block's stream, 0, 1, 2 ...\n"
     "  pc     which access of the kernel it is\n"
     "  L S A  load, store or atomic\n"
     "  bytes  of each thread\n"
     "  tid    each active thread, counted in the block, and the address that it touches\n"},
    {"completion", "completion of commands and options in bash, zsh and fish",
     "'heddle help completion SHELL' prints a script for bash, zsh or fish that completes\n"
     "commands, options, their values and files. An installed Heddle has them where these\n"
     "shells look. Otherwise\n"
     "\n"
     "  bash  eval \"$(heddle help completion bash)\"           in ~/.bashrc\n"
     "  zsh   heddle help completion zsh >FOLDER/_heddle       a folder of $fpath\n"
     "  fish  heddle help completion fish | source             in ~/.config/fish/config.fish\n"},
    {"status", "exit status",
     "  0  done\n"
     "  1  the outputs of two versions differ, or a kernel uses less of what it moves than\n"
     "     'show --fail-below' asks for\n"
     "  2  anything wrong: the input, the command line, a file, a device; one message\n"
     "     says what and where, and no file is half written\n"
     "  130  a run, a race of layouts or a training was stopped by a signal (Ctrl-C) and\n"
     "       ended cleanly\n"},
};
enum { TOPIC_COUNT = sizeof topics / sizeof *topics };

static const hd_member command_members[] = {HD_SAME(cli_command, name, summary), {0}};

static hd_value commands_of(const hd_view *view, const void *at) {
    hd_vec(const cli_command *) rows = {0};
    (void)at;
    for (const cli_command *command = cli_commands; command->name; command++)
        if (!command->variant)
            hd_push(view->arena, &rows, command);
    return hd_pointed_rows(rows.data, rows.count);
}

HD_GETTER(version_of, cli, hd_text(HEDDLE_VERSION))
static const hd_member help_members[] = {
    {"version", .get = version_of}, {"commands", .get = commands_of, .of = command_members}, {0}};

int cli_help_complete(cli *c, char **words, uint32_t count) {
    hd_str names = {.arena = c->arena};
    for (size_t i = 0; i < TOPIC_COUNT; i++)
        hd_str_printf(&names, "%s%s", i ? " " : "", topics[i].name);
    return cli_complete(c, words, count, hd_str_text(&names));
}

int cmd_help(cli *c) {
    if (c->word_count == 2 && !strcmp(c->words[0], "manual"))
        return cli_print_manual(c, c->words[1]);
    hd_str out = {.arena = c->arena};
    char **words = c->words;
    const uint32_t count = c->word_count;
    if (count == 2 && !strcmp(words[0], "completion"))
        return cli_add_completion(words[1], &out)
                   ? cli_print(c, &out)
                   : cli_wrong(c, "there is no completion for '%s', only for " CLI_SHELLS,
                               words[1]);
    for (size_t i = 0; i < TOPIC_COUNT && count == 1; i++)
        if (!strcmp(topics[i].name, words[0])) {
            hd_str_add(&out, topics[i].text);
            return cli_print(c, &out);
        }
    if (count) {
        uint32_t at;
        const cli_command *command = cli_find_command(words, count, &at);
        if (!command || (count == 2 && !at))
            return cli_wrong(c, "there is no command or topic '%s%s%s'; 'heddle help' lists them",
                             words[0], count == 1 ? "" : " ", count == 1 ? "" : words[1]);
        c->command = cli_full_name(c->arena, command);
        return cli_print_help(c, command);
    }
    if (c->json)
        return cli_print_row(c, help_members, hd_row(c));
    hd_str_add(&out, "usage: heddle COMMAND [OPTIONS] JOB|FILE, or -- PROGRAM\n\n"
                     "Shows where the threads of a GPU kernel touch memory, finds the data layout\n"
                     "that makes those touches cheap, and puts it in place.\n");
    for (int g = 0; g < CLI_GROUPS; g++) {
        hd_str_printf(&out, "\n%s\n", cli_group_titles[g]);
        for (const cli_command *command = cli_commands; command->name; command++)
            if (!command->variant && command->group == (cli_group)g)
                hd_str_printf(&out, "  %-12s %s\n", command->name, command->summary);
    }
    hd_str_add(&out, "\nTopics\n");
    for (size_t i = 0; i < TOPIC_COUNT; i++)
        hd_str_printf(&out, "  %-12s %s\n", topics[i].name, topics[i].summary);
    hd_str_add(&out, "\n'heddle help NAME' explains one of them.\n");
    return cli_print(c, &out);
}
