/*
 * Completion in shells. The scripts of bash, zsh and fish are short: each asks
 *
 *     heddle help complete WORD...
 *
 * with the words after "heddle", of which the last one is being typed, and gets what it may
 * become, each on a line, with a tab and what it is. A line ":files" or ":folders" asks the shell
 * for its own.
 *
 * The options are those of the table (commands.c). What an option takes is told by the words of its
 * row, or by its name and that of its argument: FILE, DIR, a device profile (--device), a device to
 * run on (--on).
 */
#include "cli/commands.h"

typedef struct completion {
    cli *c;
    const char *word;   /* as far as it is typed */
    const char *prefix; /* stands before what it may become: "--device=" */
    const cli_command *command;
    hd_str out;
} completion;

/* One thing that the word may become; `about` may be NULL. */
static void offer(completion *to, const char *word, const char *about) {
    if (strncmp(word, to->word, strlen(to->word)) != 0)
        return;
    const char *end = about ? strstr(about, "; ") : NULL;
    int length = end ? (int)(end - about) : about ? (int)strlen(about) : 0;
    hd_str_printf(&to->out, "%s%s%s%.*s\n", to->prefix, word, about ? "\t" : "", length,
                  about ? about : "");
}

/* Words that stand in one text. */
static void offer_words(completion *to, const char *words) {
    uint32_t count;
    char **all = hd_split_words(to->c->arena, words, &count);
    for (uint32_t i = 0; i < count; i++)
        offer(to, all[i], NULL);
}

static void offer_names(completion *to, bool profiles) {
    cli quiet = *to->c;
    cli_texts names = {0};
    quiet.diag = hd_silent;
    if (cli_device_names(&quiet, profiles, &names) == HD_OK)
        for (size_t i = 0; i < names.count; i++)
            offer(to, names.data[i], NULL);
}

static void offer_value(completion *to, const cli_option *option) {
    if (!strcmp(option->name, "device"))
        offer_names(to, true);
    else if (!strcmp(option->name, "on"))
        offer_names(to, false);
    else if (!strcmp(option->argument, "FILE"))
        hd_str_add(&to->out, ":files\n");
    else if (!strcmp(option->argument, "DIR"))
        hd_str_add(&to->out, ":folders\n");
    else if (option->values)
        offer_words(to, option->values);
}

static void offer_commands(completion *to) {
    for (const cli_command *command = cli_commands; command->name; command++)
        if (!command->variant)
            offer(to, command->name, command->summary);
}

/* What makes another command of one: words, or options. */
static void offer_variants(completion *to, const char *name, bool options) {
    for (const cli_command *command = cli_commands; command->name; command++)
        if (command->variant && !strcmp(command->name, name) && cli_is_option(command) == options &&
            strcmp(command->variant, "--") != 0)
            offer(to, command->variant, command->summary);
}

/* ---- options ------------------------------------------------------------------------------- */

/* The option that `word` names and that takes a value; NULL: there is none. */
static const cli_option *find_option(const completion *to, const char *word, size_t length) {
    for (const cli_option *option = cli_all_options; option->name; option++) {
        bool is_long = length > 2 && !strncmp(word, "--", 2) &&
                       strlen(option->name) == length - 2 &&
                       !strncmp(word + 2, option->name, length - 2);
        bool is_short = length == 2 && word[0] == '-' && word[1] == option->letter;
        if (option->argument && cli_takes(to->command, option) && (is_long || is_short))
            return option;
    }
    return NULL;
}

/* ---- the command line so far ---------------------------------------------------------------- */

/* The last of the words of a command, which follow its name. */
static void complete_word(completion *to, const cli_command *command, char **words, uint32_t count,
                          const char *topics) {
    const char *before = count > 1 ? words[count - 2] : "", *equals = strchr(to->word, '=');
    const cli_option *given = find_option(to, before, strlen(before));
    const cli_option *joined =
        equals ? find_option(to, to->word, (size_t)(equals - to->word)) : NULL;
    if (joined) {
        to->prefix = hd_strndup(to->c->arena, to->word, (size_t)(equals + 1 - to->word));
        to->word = equals + 1;
        offer_value(to, joined);
    } else if (given) {
        offer_value(to, given);
    } else if (*to->word == '-') {
        if (!command->variant)
            offer_variants(to, command->name, true);
        for (const cli_option *option = cli_all_options; option->name; option++) {
            if (!cli_takes(command, option))
                continue;
            offer(to, hd_format(to->c->arena, "--%s", option->name), option->help);
            if (option->letter)
                offer(to, hd_format(to->c->arena, "-%c", option->letter), option->help);
        }
    } else if (!strcmp(command->name, "help")) {
        /* What `heddle help` explains, or the second word of it. */
        if (count > 1)
            offer_variants(to, words[0], false);
        if (count == 1)
            offer_commands(to);
        offer_words(to, count > 1 ? CLI_SHELLS : topics);
    } else {
        bool is_device = !strcmp(command->name, "device"), is_list = is_device;
        if (command->variant)
            is_list = is_device && !strcmp(command->variant, "list");
        else if (count == 1)
            offer_variants(to, command->name, false);
        if (is_device)
            offer_names(to, is_list);
        else
            hd_str_add(&to->out, ":files\n");
    }
}

int cli_complete(cli *c, char **words, uint32_t count, const char *topics) {
    completion to = {.c = c, .word = words[count - 1], .prefix = "", .out = {.arena = c->arena}};
    uint32_t at;
    const cli_command *command = cli_find_command(words, count - 1, &at);
    if (count == 1) {
        offer_commands(&to);
        offer_words(&to, "--help --version");
    } else if (command) {
        to.command = command;
        uint32_t used = at && !cli_is_option(command) ? 2 : 1;
        complete_word(&to, command, words + used, count - used, topics);
    }
    return cli_print(c, &to.out);
}

/* ---- the scripts ----------------------------------------------------------------------------- */

static const struct {
    const char *shell, *head, *script;
} scripts[] = {
    {"bash", "",
     "_heddle() {\n"
     "    local word line words=()\n"
     "    for word in \"${COMP_WORDS[@]:1:COMP_CWORD}\"; do\n"
     "        [ \"$word\" = '=' ] || words+=(\"$word\") # --name=value is three words here\n"
     "    done\n"
     "    [ \"$word\" != '=' ] || words+=('')\n"
     "    word=${words[${#words[@]} - 1]}\n"
     "    COMPREPLY=()\n"
     "    while IFS=$'\\t' read -r line _; do\n"
     "        case $line in\n"
     "        :files | :folders)\n"
     "            compopt -o filenames 2>/dev/null\n"
     "            [ \"$line\" = :files ] && line=-f || line=-d\n"
     "            mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen \"$line\" -- \"$word\") ;;\n"
     "        *) COMPREPLY+=(\"$line\") ;;\n"
     "        esac\n"
     "    done < <(\"${COMP_WORDS[0]}\" help complete \"${words[@]}\" 2>/dev/null)\n"
     "}\n"
     "complete -F _heddle heddle\n"},
    {"zsh", "#compdef heddle\n",
     "_heddle() {\n"
     "    local line files\n"
     "    local -a found\n"
     "    for line in \"${(@f)$(_call_program words heddle help complete "
     "\"${(@q)${(@Q)words[2,CURRENT]}}\")}\"; do\n"
     "        case $line in\n"
     "        :files) files=1 ;;\n"
     "        :folders) files=-/ ;;\n"
     "        ?*) found+=(\"${${line%%$'\\t'*}//:/\\\\:}:${line#*$'\\t'}\") ;;\n"
     "        esac\n"
     "    done\n"
     "    _describe heddle found\n"
     "    [ -z \"$files\" ] || _files ${files#1}\n"
     "}\n\n"
     "if [ \"$funcstack[1]\" = _heddle ]; then\n" /* a file of $fpath */
     "    _heddle \"$@\"\n"
     "else\n"
     "    compdef _heddle heddle\n"
     "fi\n"},
    {"fish", "",
     "function __heddle_complete\n"
     "    set -l words (commandline -opc)\n"
     "    set -e words[1]\n"
     "    set -l word (commandline -ct)\n"
     "    for line in (heddle help complete $words \"$word\" 2>/dev/null)\n"
     "        switch $line\n"
     "            case :files\n"
     "                __fish_complete_path \"$word\"\n"
     "            case :folders\n"
     "                __fish_complete_directories \"$word\" ''\n"
     "            case '*'\n"
     "                echo $line\n"
     "        end\n"
     "    end\n"
     "end\n"
     "complete -c heddle -f -a '(__heddle_complete)'\n"}};

bool cli_add_completion(const char *shell, hd_str *out) {
    for (size_t s = 0; s < sizeof scripts / sizeof *scripts; s++)
        if (!strcmp(scripts[s].shell, shell)) {
            hd_str_printf(out,
                          "%s# Completion of heddle " HEDDLE_VERSION
                          ", as 'heddle help completion %s' prints it.\n\n%s",
                          scripts[s].head, shell, scripts[s].script);
            return true;
        }
    return false;
}
