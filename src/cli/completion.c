/*
 * Completion in shells: a script for each, made from the commands' own tables of options.
 *
 * Each command is called once with cli.list set, so that its cli_parse() hands over its options
 * and does no more. What an option takes is told by the words of its table, or by its name and
 * that of its argument: FILE, DIR, a device profile (--device), a device to run on (--on). The
 * names of devices are asked for when they are needed, with `heddle devices --names`.
 */
#include "cli/cli.h"

typedef struct command_words {
    const char *name;    /* "trace info" */
    const char *summary; /* NULL for one of two words */
    const char *const *second;
    hd_vec(cli_option) options;
} command_words;

typedef struct completions {
    hd_arena *arena;
    hd_vec(command_words) commands;
    const char *topics;
} completions;

typedef enum value_kind {
    ANYTHING,
    WORDS, /* those of cli_option.values */
    FILES,
    FOLDERS,
    PROFILES, /* device profiles */
    DEVICES   /* to run on */
} value_kind;

static value_kind kind_of(const cli_option *option) {
    if (!strcmp(option->name, "device"))
        return PROFILES;
    if (!strcmp(option->name, "on"))
        return DEVICES;
    if (!strcmp(option->argument, "FILE"))
        return FILES;
    if (!strcmp(option->argument, "DIR"))
        return FOLDERS;
    return option->values ? WORDS : ANYTHING;
}

/* What the words of a command are, besides options. */
static value_kind words_of(const char *command) {
    return !strcmp(command, "train")     ? DEVICES
           : !strcmp(command, "devices") ? PROFILES
           : !strcmp(command, "help")    ? WORDS
                                         : FILES;
}

/* ---- the tables -------------------------------------------------------------------- */

typedef struct listing {
    hd_arena *arena;
    command_words *command;
} listing;

static void keep_option(void *user, const cli_option *option) {
    listing *l = user;
    hd_push(l->arena, &l->command->options, *option);
}

static void list_command(cli *c, completions *all, const cli_command *command, const char *second) {
    command_words made = {.name = command->name, .summary = command->summary};
    char *argv[] = {hd_strdup(c->arena, command->name), second ? hd_strdup(c->arena, second) : NULL,
                    NULL};
    listing l = {c->arena, &made};
    cli lister = *c;
    lister.command = command->name;
    lister.list = keep_option;
    lister.list_user = &l;
    if (second)
        made = (command_words){.name = hd_format(c->arena, "%s %s", command->name, second)};
    else
        made.second = command->second;
    command->run(&lister, second ? 2 : 1, argv);
    hd_push(c->arena, &all->commands, made);
}

static void list_commands(cli *c, completions *all) {
    for (const cli_command *command = cli_commands; command->name; command++) {
        list_command(c, all, command, NULL);
        for (const char *const *second = command->second; *second; second++)
            list_command(c, all, command, *second);
    }
}

/* "advise cost ..." */
static const char *command_names(const completions *all) {
    hd_str names = {.arena = all->arena};
    for (size_t i = 0; i < all->commands.count; i++)
        if (all->commands.data[i].summary)
            hd_str_printf(&names, "%s%s", i ? " " : "", all->commands.data[i].name);
    return hd_str_text(&names);
}

static const char *second_words(const completions *all, const command_words *command) {
    hd_str words = {.arena = all->arena};
    for (const char *const *second = command->second; second && *second; second++)
        hd_str_printf(&words, "%s%s", words.length ? " " : "", *second);
    return words.length ? hd_str_text(&words) : "";
}

/* What `heddle help` explains. */
static const char *explained(const completions *all) {
    return hd_format(all->arena, "%s %s", command_names(all), all->topics);
}

/* And what may follow such a word. */
static const char *after_explained(const completions *all) {
    hd_str words = {.arena = all->arena};
    for (size_t i = 0; i < all->commands.count; i++)
        if (*second_words(all, &all->commands.data[i]))
            hd_str_printf(&words, "%s ", second_words(all, &all->commands.data[i]));
    hd_str_add(&words, CLI_SHELLS);
    return hd_str_text(&words);
}

/* `text` up to its first "; ", with a backslash before each of `escaped`. */
static const char *brief(const completions *all, const char *text, const char *escaped) {
    const char *end = strstr(text, "; ");
    hd_str out = {.arena = all->arena};
    for (const char *at = text; *at && at != end; at++) {
        if (*at == '\'')
            hd_str_add(&out, "'\\'"); /* closes the quotes around it, and opens them again */
        else if (strchr(escaped, *at))
            hd_str_add(&out, "\\");
        hd_str_addn(&out, at, 1);
    }
    return hd_str_text(&out);
}

/* ---- bash ------------------------------------------------------------------------------ */

static void add_bash_options(const completions *all, hd_str *out) {
    hd_str_add(out, "# COMMAND: its options.\n_heddle_options() {\n    case $1 in\n");
    for (size_t i = 0; i < all->commands.count; i++) {
        const command_words *command = &all->commands.data[i];
        hd_str_printf(out, "    '%s') echo \"", command->name);
        for (size_t o = 0; o < command->options.count; o++) {
            const cli_option *option = &command->options.data[o];
            hd_str_printf(out, "%s--%s", o ? " " : "", option->name);
            if (option->letter)
                hd_str_printf(out, " -%c", option->letter);
        }
        hd_str_add(out, "\" ;;\n");
    }
    hd_str_add(out, "    esac\n}\n\n");
}

static void add_bash_kind(const char *values, value_kind kind, hd_str *out) {
    static const char *const names[] = {"anything", "words",    "files",
                                        "folders",  "profiles", "devices"};
    hd_str_printf(out, "echo '%s%s%s' ;;\n", names[kind], kind == WORDS ? " " : "",
                  kind == WORDS ? values : "");
}

static void add_bash_values(const completions *all, hd_str *out) {
    hd_str_add(out, "# COMMAND OPTION: what its value is; nothing for one without.\n"
                    "_heddle_value() {\n    case \"$1 $2\" in\n");
    for (size_t i = 0; i < all->commands.count; i++) {
        const command_words *command = &all->commands.data[i];
        for (size_t o = 0; o < command->options.count; o++) {
            const cli_option *option = &command->options.data[o];
            if (!option->argument)
                continue;
            hd_str_printf(out, "    '%s --%s'", command->name, option->name);
            if (option->letter)
                hd_str_printf(out, " | '%s -%c'", command->name, option->letter);
            hd_str_add(out, ") ");
            add_bash_kind(option->values, kind_of(option), out);
        }
    }
    hd_str_add(out, "    esac\n}\n\n");
}

static void add_bash_words(const completions *all, hd_str *out) {
    hd_str_add(out, "# COMMAND: what its words are, besides options.\n_heddle_word() {\n"
                    "    case $1 in\n");
    for (size_t i = 0; i < all->commands.count; i++) {
        const char *name = all->commands.data[i].name;
        hd_str_printf(out, "    '%s') ", name);
        add_bash_kind(explained(all), words_of(name), out);
    }
    hd_str_add(out, "    esac\n}\n\n");
}

/* Words that make a command of two words complete together with its files. */
static void add_bash_second(const completions *all, hd_str *out) {
    hd_str_add(out, "# COMMAND: what makes another command of it.\n_heddle_second() {\n"
                    "    case $1 in\n");
    for (size_t i = 0; i < all->commands.count; i++) {
        const command_words *command = &all->commands.data[i];
        if (*second_words(all, command))
            hd_str_printf(out, "    '%s') echo '%s' ;;\n", command->name,
                          second_words(all, command));
    }
    hd_str_printf(out, "    help) echo '%s' ;;\n    esac\n}\n\n", after_explained(all));
}

static const char bash_rest[] =
    "# KIND WORD: the completions, into COMPREPLY.\n"
    "_heddle_reply() {\n"
    "    case $1 in\n"
    "    files) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- \"$2\") "
    ";;\n"
    "    folders) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- \"$2\") "
    ";;\n"
    "    profiles) mapfile -t COMPREPLY < <(\n"
    "        compgen -W \"$(\"$heddle\" devices --names 2>/dev/null)\" -- \"$2\") ;;\n"
    "    devices) mapfile -t COMPREPLY < <(\n"
    "        compgen -W \"$(\"$heddle\" devices --ids 2>/dev/null)\" -- \"$2\") ;;\n"
    "    words*) mapfile -t COMPREPLY < <(compgen -W \"${1#words}\" -- \"$2\") ;;\n"
    "    esac\n"
    "}\n"
    "\n"
    "_heddle() {\n"
    "    local heddle=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]}\n"
    "    local before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} kind second more\n"
    "    COMPREPLY=()\n"
    "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
    "        _heddle_reply \"words $_heddle_commands --help --version\" \"$word\"\n"
    "        return\n"
    "    fi\n"
    "    for second in $(_heddle_second \"$command\"); do\n"
    "        if [ \"$command\" != help ] && [ \"$COMP_CWORD\" -gt 2 ] &&\n"
    "            [ \"${COMP_WORDS[2]}\" = \"$second\" ]; then\n"
    "            command=\"$command $second\"\n"
    "            break\n"
    "        fi\n"
    "    done\n"
    "    # --name=value is three words here\n"
    "    if [ \"$word\" = '=' ]; then\n"
    "        word=\n"
    "    elif [ \"$before\" = '=' ]; then\n"
    "        before=${COMP_WORDS[COMP_CWORD - 2]}\n"
    "    fi\n"
    "    kind=$(_heddle_value \"$command\" \"$before\")\n"
    "    if [ -n \"$kind\" ]; then\n"
    "        _heddle_reply \"$kind\" \"$word\"\n"
    "    elif [[ $word == -* ]]; then\n"
    "        _heddle_reply \"words $(_heddle_options \"$command\")\" \"$word\"\n"
    "    elif [ \"$command\" = help ] && [ \"$COMP_CWORD\" -gt 2 ]; then\n"
    "        _heddle_reply \"words $(_heddle_second help)\" \"$word\"\n"
    "    else\n"
    "        _heddle_reply \"$(_heddle_word \"$command\")\" \"$word\"\n"
    "        if [ \"$COMP_CWORD\" -eq 2 ] && [ \"$command\" != help ]; then\n"
    "            mapfile -t more < <(compgen -W \"$(_heddle_second \"$command\")\" -- \"$word\")\n"
    "            COMPREPLY+=(\"${more[@]}\")\n"
    "        fi\n"
    "    fi\n"
    "}\n"
    "complete -F _heddle heddle\n";

static void add_bash(const completions *all, hd_str *out) {
    hd_str_printf(out, "_heddle_commands='%s'\n\n", command_names(all));
    add_bash_options(all, out);
    add_bash_values(all, out);
    add_bash_words(all, out);
    add_bash_second(all, out);
    hd_str_add(out, bash_rest);
}

/* ---- zsh ---------------------------------------------------------------------------------- */

static const char *zsh_action(const completions *all, value_kind kind, const char *values) {
    switch (kind) {
    case FILES: return "_files";
    case FOLDERS: return "_files -/";
    case PROFILES: return "_heddle_profiles";
    case DEVICES: return "_heddle_devices";
    case WORDS: return hd_format(all->arena, "(%s)", values);
    case ANYTHING: break;
    }
    return " ";
}

/* '(-o --out)'{-o+,--out=}'[the file to write]:FILE:_files' */
static void add_zsh_option(const completions *all, const cli_option *option, hd_str *out) {
    const char *value = option->argument ? "=" : "";
    hd_str_add(out, "            ");
    if (option->kind == CLI_TEXTS)
        hd_str_add(out, "'*'");
    else if (option->letter)
        hd_str_printf(out, "'(-%c --%s)'", option->letter, option->name);
    if (option->letter)
        hd_str_printf(out, "{-%c%s,--%s%s}", option->letter, option->argument ? "+" : "",
                      option->name, value);
    else
        hd_str_printf(out, "--%s%s", option->name, value);
    hd_str_printf(out, "'[%s]", brief(all, option->help, "[]:\\"));
    if (option->argument)
        hd_str_printf(out, ":%s:%s", option->argument,
                      zsh_action(all, kind_of(option), option->values));
    hd_str_add(out, "' \\\n");
}

static void add_zsh_words(const completions *all, const command_words *command, hd_str *out) {
    const char *action = zsh_action(all, words_of(command->name), explained(all));
    if (!strcmp(command->name, "help"))
        hd_str_printf(out, "            '1:topic:%s' '2:word:(%s)'\n", action,
                      after_explained(all));
    else if (*second_words(all, command))
        hd_str_printf(out, "            '1:file:{%s; compadd -- %s}' '*:file:%s'\n", action,
                      second_words(all, command), action);
    else
        hd_str_printf(out, "            '*:file:%s'\n", action);
}

static void add_zsh_command(const completions *all, const command_words *command, hd_str *out) {
    hd_str_printf(out, "    '%s')\n        _arguments -s -S \\\n", command->name);
    for (size_t o = 0; o < command->options.count; o++)
        add_zsh_option(all, &command->options.data[o], out);
    add_zsh_words(all, command, out);
    hd_str_add(out, "        ;;\n");
}

static void add_zsh(const completions *all, hd_str *out) {
    hd_str_add(out,
               "_heddle_profiles() {\n"
               "    local -a names=(${(f)\"$(_call_program profiles heddle devices --names)\"})\n"
               "    compadd \"$@\" -a names\n"
               "}\n\n"
               "_heddle_devices() {\n"
               "    local -a ids=(${(f)\"$(_call_program devices heddle devices --ids)\"})\n"
               "    compadd \"$@\" -a ids\n"
               "}\n\n"
               "_heddle() {\n"
               "    local curcontext=$curcontext\n"
               "    if (( CURRENT == 2 )); then\n"
               "        local -a commands=(\n");
    for (size_t i = 0; i < all->commands.count; i++)
        if (all->commands.data[i].summary)
            hd_str_printf(out, "            '%s:%s'\n", all->commands.data[i].name,
                          brief(all, all->commands.data[i].summary, ""));
    hd_str_add(out, "        )\n"
                    "        _describe command commands\n"
                    "        compadd -- --help --version\n"
                    "        return\n"
                    "    fi\n"
                    "    local command=$words[2]\n"
                    "    case \"$words[2] $words[3]\" in\n");
    for (size_t i = 0, seconds = 0; i < all->commands.count; i++)
        if (!all->commands.data[i].summary)
            hd_str_printf(out, "%s'%s'", seconds++ ? " | " : "    ", all->commands.data[i].name);
    hd_str_add(out, ")\n"
                    "        if (( CURRENT > 3 )); then\n"
                    "            command+=\" $words[3]\"\n"
                    "            shift words\n"
                    "            (( CURRENT-- ))\n"
                    "        fi\n"
                    "        ;;\n");
    hd_str_add(out, "    esac\n"
                    "    shift words\n"
                    "    (( CURRENT-- ))\n"
                    "    case $command in\n");
    for (size_t i = 0; i < all->commands.count; i++)
        add_zsh_command(all, &all->commands.data[i], out);
    hd_str_add(out, "    esac\n"
                    "}\n\n"
                    "if [ \"$funcstack[1]\" = _heddle ]; then\n" /* a file of $fpath */
                    "    _heddle \"$@\"\n"
                    "else\n"
                    "    compdef _heddle heddle\n"
                    "fi\n");
}

/* ---- fish ------------------------------------------------------------------------------------ */

/* The end of a line, for what an option or a word is. */
static void add_fish_value(value_kind kind, const char *values, hd_str *out) {
    switch (kind) {
    case FILES: hd_str_add(out, " -F"); break;
    case FOLDERS: hd_str_add(out, " -f -a '(__fish_complete_directories)'"); break;
    case PROFILES: hd_str_add(out, " -f -a '(heddle devices --names 2>/dev/null)'"); break;
    case DEVICES: hd_str_add(out, " -f -a '(heddle devices --ids 2>/dev/null)'"); break;
    case WORDS: hd_str_printf(out, " -f -a '%s'", values); break;
    case ANYTHING: hd_str_add(out, " -f"); break;
    }
}

static void add_fish_command(const completions *all, const command_words *command, hd_str *out) {
    const char *line =
        hd_format(all->arena, "complete -c heddle -n '__heddle_is %s'", command->name);
    hd_str_printf(out, "\n%s", line);
    add_fish_value(words_of(command->name), explained(all), out);
    hd_str_add(out, "\n");
    if (*second_words(all, command))
        hd_str_printf(out, "%s -a '%s'\n", line, second_words(all, command));
    if (!strcmp(command->name, "help"))
        hd_str_printf(out, "%s -a '%s'\n", line, after_explained(all));
    for (size_t o = 0; o < command->options.count; o++) {
        const cli_option *option = &command->options.data[o];
        hd_str_add(out, line);
        if (option->letter)
            hd_str_printf(out, " -s %c", option->letter);
        hd_str_printf(out, " -l %s -d '%s'", option->name, brief(all, option->help, "\\"));
        if (option->argument) {
            hd_str_add(out, " -r");
            add_fish_value(kind_of(option), option->values, out);
        }
        hd_str_add(out, "\n");
    }
}

static void add_fish(const completions *all, hd_str *out) {
    hd_str_add(out, "# Whether COMMAND, of one word or two, is what is being typed.\n"
                    "function __heddle_is\n"
                    "    set -l words (commandline -opc)[2..-1]\n"
                    "    switch \"$words[1] $words[2]\"\n"
                    "        case");
    for (size_t i = 0; i < all->commands.count; i++)
        if (!all->commands.data[i].summary)
            hd_str_printf(out, " '%s'", all->commands.data[i].name);
    hd_str_add(out, "\n"
                    "            test \"$words[1] $words[2]\" = \"$argv\"\n"
                    "        case '*'\n"
                    "            test \"$words[1]\" = \"$argv\"\n"
                    "    end\n"
                    "end\n\n"
                    "complete -c heddle -n '__heddle_is' -f\n"
                    "complete -c heddle -n '__heddle_is' -l help -d 'the commands'\n"
                    "complete -c heddle -n '__heddle_is' -l version\n");
    for (size_t i = 0; i < all->commands.count; i++)
        if (all->commands.data[i].summary)
            hd_str_printf(out, "complete -c heddle -n '__heddle_is' -a %s -d '%s'\n",
                          all->commands.data[i].name,
                          brief(all, all->commands.data[i].summary, "\\"));
    for (size_t i = 0; i < all->commands.count; i++)
        add_fish_command(all, &all->commands.data[i], out);
}

/* ---- all of them --------------------------------------------------------------------------------
 */

bool cli_add_completion(cli *c, const char *shell, const char *topics, hd_str *out) {
    static const struct {
        const char *name, *head;
        void (*add)(const completions *all, hd_str *out);
    } shells[] = {
        {"bash", "", add_bash}, {"zsh", "#compdef heddle\n", add_zsh}, {"fish", "", add_fish}};
    completions all = {.arena = c->arena, .topics = topics};
    for (size_t s = 0; s < sizeof shells / sizeof *shells; s++)
        if (!strcmp(shells[s].name, shell)) {
            list_commands(c, &all);
            hd_str_printf(out,
                          "%s# Completion of heddle " HEDDLE_VERSION
                          ", as 'heddle help completion %s' prints it.\n\n",
                          shells[s].head, shell);
            shells[s].add(&all, out);
            return true;
        }
    return false;
}
