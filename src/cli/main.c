/*
 * heddle: the command line.
 *
 *     heddle COMMAND [OPTIONS] JOB|FILE
 *
 * cli_main() finds the command in the table, gives it an arena and a printer for
 * messages, and turns what it returns into the exit status. The programs that call it
 * are start.c and, over ranks, cli/mpi/main.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/report/report_result.h"

bool cli_is_option(const cli_command *command) {
    return command->variant && *command->variant == '-';
}

const char *cli_full_name(hd_arena *arena, const cli_command *command) {
    bool is_plain = !command->variant || !strcmp(command->variant, "--");
    return is_plain ? command->name : hd_format(arena, "%s %s", command->name, command->variant);
}

/* Where the word that chooses a variant is among those after the command's name; 0: it is not. */
static uint32_t variant_at(const cli_command *command, char *const *words, uint32_t count) {
    if (!cli_is_option(command))
        return count > 1 && !strcmp(words[1], command->variant);
    for (uint32_t i = 1; i < count; i++) {
        if (!strcmp(words[i], command->variant))
            return i;
        if (!strcmp(words[i], "--"))
            break;
    }
    return 0;
}

const cli_command *cli_find_command(char *const *words, uint32_t count, uint32_t *at) {
    const cli_command *found = NULL;
    *at = 0;
    for (const cli_command *command = cli_commands; command->name && count; command++) {
        if (strcmp(command->name, words[0]) != 0)
            continue;
        uint32_t place = command->variant ? variant_at(command, words, count) : 0;
        if (!command->variant || place) {
            found = command;
            *at = place;
        }
    }
    return found;
}

int cli_status(hd_status status) {
    return status == HD_OK ? CLI_FINE : status == HD_EDIFFER ? CLI_DIFFER : CLI_WRONG;
}

void cli_progress(cli *c, const char *what) {
    if (c->quiet || !isatty(STDERR_FILENO))
        return;
    if (c->printer.progress)
        fputs("\r\033[K", stderr);
    c->printer.progress = what != NULL;
    if (what)
        fprintf(stderr, "%s ...", what);
}

/* A terminal is slow. What is kept of standard error, as by a batch system, gets a line a minute. */
void cli_show_meter(void *user, const char *doing, double done) {
    static const double least = 0.05, each = 0.2, each_line = 60; /* seconds */
    cli_meter *m = user;
    double time = hd_clock();
    bool is_same = !strncmp(m->doing, doing, sizeof m->doing - 1);
    if (time - m->shown < (is_same ? each : least))
        return;
    bool is_terminal = isatty(STDERR_FILENO);
    snprintf(m->doing, sizeof m->doing, "%s", doing);
    if (!m->shown && !is_terminal)
        m->shown = time;
    if (time - m->shown < each_line && !is_terminal)
        return;
    m->shown = time;
    hd_arena *arena = hd_arena_new();
    double spent = m->start > 0 ? time - m->start : 0, share = done < 1 ? done : 1;
    const char *left =
        share < 0.01 || !(spent > 0)
            ? ""
            : hd_format(arena, ", about %s left", hd_show_seconds(arena, spent / share - spent));
    const char *what = hd_format(arena, "%s%s%s: %d%%%s", m->step ? m->step : "",
                                 m->step ? ", " : "", doing, (int)(100 * share), left);
    if (is_terminal)
        cli_progress(m->c, what);
    else
        hd_note(&m->c->diag, NULL, "%s", what);
    hd_arena_free(arena);
}

int cli_print(cli *c, const hd_str *text) {
    cli_progress(c, NULL);
    if (!c->is_first)
        return CLI_FINE;
    bool written = fputs(hd_str_text(text), stdout) != EOF && fflush(stdout) != EOF;
    if (written)
        return CLI_FINE;
    hd_fail(&c->diag, HD_ESYSTEM, NULL, "cannot write to standard output: %s", strerror(errno));
    return CLI_WRONG;
}

int cli_print_json(cli *c, json_t *value) {
    hd_str text = {.arena = c->arena};
    hd_str_add(&text, hd_json_dump(c->arena, value));
    return cli_print(c, &text);
}

void cli_show_rows(const cli *c, const char *title, const hd_member *members, hd_value rows,
                   hd_str *out) {
    if (title)
        hd_str_printf(out, "%s\n", title);
    hd_show_rows(&(hd_view){c->arena}, members, rows, c->style, out);
}

int cli_print_row(cli *c, const hd_member *members, hd_value row) {
    return cli_print_json(c, hd_json_value(&(hd_view){c->arena}, members, row));
}

const char *cli_shown(const cli *c, const char *path) {
    size_t length = c->program && path ? strlen(c->recording) : 0;
    if (!length || strncmp(path, c->recording, length) != 0)
        return path;
    const char *file = path + length + (path[length] == '/');
    if (!strncmp(file, "source/", 7))
        return file + 7;
    uint32_t count = 0;
    while (c->program[count])
        count++;
    return *file && !hd_ends_in(file, ".yaml") ? file : hd_join_words(c->arena, c->program, count);
}

/* Runs the program that follows "--", and the command on what it has recorded of it. A recording that is
 * kept is the command's input as any other is. */
static int run_on_program(cli *c, const cli_command *command, uint32_t at, char **words) {
    char *folder;
    if (hd_scratch_make(c->arena, &c->diag, &folder))
        return CLI_WRONG;
    c->program = words + at + 1;
    char **all = hd_new_array(c->arena, char *, at + 2);
    memcpy(all, words, at * sizeof *all);
    c->recording = all[at] = hd_format(c->arena, "%s/recording", folder);
    bool parsed = cli_parse(c, command, (int)at + 1, all);
    const char *kept = parsed ? c->given->keep : NULL;
    int status = parsed ? CLI_FINE : c->status;
    const bool is_live =
        parsed && command->live && !c->given->input.out && !c->given->diff && !c->given->in_place;
    if (is_live)
        status = command->live(c);
    else if (parsed && cli_record_program(c, c->program, kept ? kept : c->recording))
        status = CLI_WRONG;
    if (kept) {
        c->program = NULL;
        c->given->input.path = kept;
        c->given->input.source.options = NULL;
        c->given->input.source.sources.count = 0;
    }
    if (parsed && status == CLI_FINE && !is_live)
        status = command->run(c);
    hd_scratch_remove(folder);
    return status;
}

static int run_command(cli *c, const cli_command *command, uint32_t count, char **words) {
    uint32_t at = 0;
    bool is_help = command->run == cmd_help && count > 2;
    if (is_help && !strcmp(words[1], "complete"))
        return cli_help_complete(c, words + 2, count - 2);
    const cli_command *about = is_help ? cli_find_command(words + 1, count - 1, &at) : NULL;
    if (about && at && count == 3) { /* its option is none of help's */
        c->command = cli_full_name(c->arena, about);
        return cli_print_help(c, about);
    }
    at = 1;
    while (at < count && strcmp(words[at], "--") != 0)
        at++;
    if (command->takes_programs && at + 1 < count)
        return run_on_program(c, command, at, words);
    if (!cli_parse(c, command, (int)count, words))
        return c->status;
    if (command->takes_programs && c->given->keep)
        return cli_wrong(c, "--keep DIR goes with a program: heddle %s --keep DIR -- ./app",
                         c->command);
    return command->run(c);
}

static int run(cli *c, int argc, char **argv) {
    if (argc < 2)
        return cli_wrong(c, "which command? 'heddle help' lists them");
    const char *name = argv[1];
    if (!strcmp(name, "--help") || !strcmp(name, "-h"))
        name = "help";
    if (!strcmp(name, "--version")) {
        hd_str text = {.arena = c->arena};
        hd_str_add(&text, "heddle " HEDDLE_VERSION "\n");
        return cli_print(c, &text);
    }
    char **words = hd_new_array(c->arena, char *, argc);
    uint32_t at, count = (uint32_t)argc - 1;
    memcpy(words, argv + 1, count * sizeof *words);
    words[0] = hd_strdup(c->arena, name);
    const cli_command *command = cli_find_command(words, count, &at);
    if (command && c->ranks && !command->is_divided) {
        bool is_for_first = command->run == cmd_help || !strcmp(command->name, "trace");
        if (!is_for_first)
            return cli_wrong(c,
                             "'heddle %s' is for one process; heddle-mpi has run, trace, map, "
                             "cache --locality and cache --reuse",
                             cli_full_name(c->arena, command));
        if (!c->is_first)
            return CLI_FINE; /* and waits for its end */
        c->ranks = NULL;
    }
    if (command) {
        c->command = cli_full_name(c->arena, command);
        if (at && strcmp(command->variant, "--") != 0) /* what follows "--" is no option of ours */
            memmove(words + at, words + at + 1, (--count - at) * sizeof *words);
        words[count] = NULL;
        return run_command(c, command, count, words);
    }
    const char *names[64];
    size_t name_count = 0;
    for (const cli_command *known = cli_commands; known->name; known++)
        if (!known->variant)
            names[name_count++] = known->name;
    const char *near = cli_nearest(name, names, name_count);
    if (near)
        return cli_wrong(c, "there is no command '%s'; did you mean '%s'?", name, near);
    return cli_wrong(c, "there is no command '%s'; 'heddle help' lists them", name);
}

/* The end of the process where memory is refused, in whatever thread: with a message, and without
 * all that wants memory. The library's own says nothing. */
void hd_no_memory(size_t wanted) {
    static atomic_flag said = ATOMIC_FLAG_INIT;
    char bytes[40] = "", text[256];
    if (wanted == SIZE_MAX)
        snprintf(bytes, sizeof bytes, ": more bytes than there can be");
    else if (wanted)
        snprintf(bytes, sizeof bytes, ": %zu bytes refused", wanted);
    int length = snprintf(text, sizeof text,
                          "%sheddle: error: out of memory%s; give it smaller sizes, or more memory "
                          "(ulimit -v, the container's limit)\n",
                          isatty(STDERR_FILENO) ? "\r\033[K" : "", bytes);
    if (!atomic_flag_test_and_set(&said))
        (void)!write(STDERR_FILENO, text, (size_t)length);
    _exit(CLI_WRONG);
}

/* Of the other ranks nothing is printed: they come to the same results. Their errors are kept, as
 * they would be printed: what only one of them comes to, the first one prints. */
static void keep_error(const hd_message *message, void *user) {
    if (message->severity == HD_ERROR)
        hd_print_message(message, user);
}

int cli_main(const cli_ranks *ranks, int argc, char **argv) {
    /* A descriptor that the caller has closed would go to the next file that is opened, and what is
     * printed would end in there. To this one nothing can be written. */
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            (void)!open("/dev/null", O_RDONLY);
    hd_front_catch_no_memory();
    cli c = {.arena = hd_arena_new(), .ranks = ranks ? ranks->ranks : NULL};
    char *kept = NULL;
    size_t kept_bytes;
    c.is_first = !c.ranks || c.ranks->rank == 0;
    c.printer.out = stderr;
    c.printer.colour = isatty(STDERR_FILENO) && !getenv("NO_COLOR");
    c.style.bold = isatty(STDOUT_FILENO) && !getenv("NO_COLOR");
    /* As other programs do it: what COLUMNS says, or else the terminal. */
    const char *said = getenv("COLUMNS"), *end;
    uint64_t columns;
    struct winsize size;
    if (!said || !cli_whole(said, &end, &columns) || *end)
        columns = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) ? 0 : size.ws_col;
    c.style.width = columns >= 20 && columns <= 10000 ? (uint32_t)columns : HD_TABLE_WIDTH;
    c.diag = (hd_diag){hd_print_message, &c.printer};
    if (!c.is_first) {
        c.printer = (hd_printer){.out = hd_checked(open_memstream(&kept, &kept_bytes))};
        c.diag.fn = keep_error;
        c.quiet = true;
    }
    int status = run(&c, argc, argv);
    if (!c.is_first)
        fclose(c.printer.out);
    c.printer.out = stderr;
    if (ranks)
        status = ranks->ended(ranks, &c.diag, status, kept ? kept : "");
    free(kept);
    cli_progress(&c, NULL);
    if (fclose(stdout) == EOF && status != CLI_WRONG) {
        hd_fail(&c.diag, HD_ESYSTEM, NULL, "cannot write to standard output: %s", strerror(errno));
        status = CLI_WRONG;
    }
    hd_arena_free(c.arena);
    return status;
}
