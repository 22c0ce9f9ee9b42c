/*
 * What a manual page has from the tables, in mdoc: its head, and after a line `.\" OPTIONS` the options
 * of the command and its variants, or for heddle.1 the commands and the options of many. The build puts
 * prose between and around them (man/page.cmake).
 */
#include <ctype.h>

#include "cli/commands.h"

static const char mark[] = ".\\\" OPTIONS\n";

/* For roff a backslash means something, and a dot or a quote where a line begins. */
static void add_text(hd_str *out, const char *text) {
    hd_str_add(out, *text == '.' || *text == '\'' ? "\\&" : "");
    for (; *text; text++)
        if (*text == '\\')
            hd_str_add(out, "\\e");
        else
            hd_str_addn(out, text, 1);
    hd_str_add(out, "\n");
}

static void add_head(hd_str *out, const char *name, const char *summary) {
    hd_str_add(out, ".Dd 2026\n.Dt ");
    for (const char *letter = name; *letter; letter++)
        hd_str_printf(out, "%c", toupper((unsigned char)*letter));
    hd_str_printf(out, " 1\n.Os\n.Sh NAME\n.Nm %s\n.Nd ", name);
    add_text(out, summary);
    hd_str_add(out, ".Sh SYNOPSIS\n");
}

static void add_options(hd_str *out, const cli_command *command, cli_part part) {
    hd_str_add(out, ".Bl -tag -width \"--entry NAME\"\n");
    for (const cli_option *option = cli_all_options; option->name; option++) {
        if (!cli_takes(command, option) || cli_part_of(option) != part)
            continue;
        hd_str_add(out, ".It ");
        if (option->letter)
            hd_str_printf(out, "Fl %c , ", option->letter);
        hd_str_printf(out, "Fl -%s%s%s\n", option->name, option->argument ? " Ar " : "",
                      option->argument ? option->argument : "");
        add_text(out, option->help);
    }
    hd_str_add(out, ".El\n");
}

static void add_all_commands(hd_str *out) {
    add_head(out, "heddle", "data layout for GPU kernels");
    hd_str_printf(out,
                  "heddle COMMAND [OPTIONS] JOB|FILE, or -- PROGRAM\n%s.Sh COMMANDS\n"
                  "Each has a page of its own, such as\n.Xr heddle-measure 1 .\n",
                  mark);
    for (int g = 0; g < CLI_GROUPS; g++) {
        hd_str_printf(out, ".Ss %s\n.Bl -tag -width \"measure\"\n", cli_group_titles[g]);
        for (const cli_command *command = cli_commands; command->name; command++)
            if (!command->variant && command->group == (cli_group)g) {
                hd_str_printf(out, ".It Cm %s\n", command->name);
                add_text(out, command->summary);
            }
        hd_str_add(out, ".El\n");
    }
    hd_str_add(out, ".Sh OPTIONS\n");
    for (int part = CLI_KERNELS; part < CLI_PARTS; part++) {
        hd_str_printf(out, ".Ss %s\n", cli_part_titles[part]);
        add_options(out, cli_commands, (cli_part)part); /* the first takes all of them */
    }
}

static void add_command(hd_str *out, const char *page, const char *name) {
    uint32_t at;
    char *words[] = {hd_strdup(out->arena, name)};
    add_head(out, page, cli_find_command(words, 1, &at)->summary);
    for (int pass = 0; pass < 2; pass++) {
        hd_str_add(out, pass ? mark : "");
        hd_str_add(out, pass ? ".Sh OPTIONS\n" : "");
        for (const cli_command *command = cli_commands; command->name; command++) {
            if (strcmp(command->name, name) != 0 || !command->summary)
                continue;
            const char *full = cli_full_name(out->arena, command);
            hd_str_printf(out, "%s heddle %s%s\n", pass ? ".Ss" : ".Nm", full,
                          pass && command->variant && !strcmp(command->variant, "--") ? " --" : "");
            if (pass)
                add_options(out, command, CLI_OWN);
            else
                add_text(out, command->usage);
        }
    }
}

int cli_print_manual(cli *c, const char *page) {
    hd_str out = {.arena = c->arena};
    uint32_t at;
    char *words[] = {hd_strdup(c->arena, strncmp(page, "heddle-", 7) ? page : page + 7)};
    if (!strcmp(page, "heddle"))
        add_all_commands(&out);
    else if (cli_find_command(words, 1, &at))
        add_command(&out, page, words[0]);
    else
        return cli_wrong(c, "there is no page '%s'", page);
    return cli_print(c, &out);
}
