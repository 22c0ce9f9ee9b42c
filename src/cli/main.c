/*
 * heddle: the command line.
 *
 *     heddle COMMAND [OPTIONS] JOB|FILE
 *
 * cli_main() finds the command in the table, gives it an arena and a printer for
 * messages, and turns what it returns into the exit status. The programs that call it
 * are heddle.c and, over ranks, mpi/main.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/reuse.h"
#include "cli/trace_file.h"
#include "report/json.h"

const cli_command cli_commands[] = {
    {"advise", "find the best layout of a record, and say what it gains", cmd_advise},
    {"cost", "price layouts on devices, access by access", cmd_cost},
    {"layout-graph", "show which fields are used close together, and their clusters",
     cmd_layout_graph},
    {"rewrite", "write the kernels in another layout, and a header for the host", cmd_rewrite},
    {"map", "find which thread should do what, and in which order data should lie", cmd_map},
    {"measure", "time the original against another layout on an OpenCL device", cmd_measure},
    {"train", "learn on a device which tile is best for how many bytes", cmd_train},
    {"explore", "measure generated kernels: which layout and placement is best for what",
     cmd_explore},
    {"run", "run the kernels without a GPU, and count what they touch", cmd_run},
    {"annotate", "show the source with what each line moves, heaviest first if wanted",
     cmd_annotate},
    {"diff", "set what two layouts, jobs or traces move side by side", cmd_diff},
    {"trace", "write every access of a run to a file, and read such files", cmd_trace},
    {"trace info", NULL, cmd_trace_info},
    {"trace export", NULL, cmd_trace_export},
    {"trace import", NULL, cmd_trace_import},
    {"locality", "count stack distances, and give miss ratios of caches", cmd_locality},
    {"caches", "simulate the caches of a device, in any layout", cmd_caches},
    {"reuse", "count how much data is used again, by distance, in six scenarios", cmd_reuse},
    {"reuse compare", NULL, cmd_reuse_compare},
    {"report", "write a page that shows all of this, for a browser", cmd_report},
    {"accesses", "list where the kernels touch memory", cmd_accesses},
    {"init", "write a job for a kernel file, from what its host code says", cmd_init},
    {"ir", "print the kernels as Heddle sees them", cmd_ir},
    {"watch", "run a CUDA program without a GPU, and count what its kernels touch", cmd_watch},
    {"record", "write the launches of a CUDA program as a job, with all that they need",
     cmd_record},
    {"gpu-check", "measure on an NVIDIA GPU what only one can show, as a page", cmd_gpu_check},
    {"devices", "list the device profiles, and the OpenCL and CUDA devices", cmd_devices},
    {"help", "explain a command, or a topic", cmd_help},
    {0}};

const char *cli_second_word(const cli_command *command, const char *first) {
    size_t length = strlen(first);
    bool is_second = !strncmp(command->name, first, length) && command->name[length] == ' ';
    return is_second ? command->name + length + 1 : NULL;
}

const cli_command *cli_find_command(char *const *words, uint32_t count, uint32_t *used) {
    const cli_command *found = NULL;
    *used = 0;
    for (const cli_command *command = cli_commands; command->name && count; command++) {
        const char *second = cli_second_word(command, words[0]);
        uint32_t length = !strcmp(command->name, words[0])                   ? 1
                          : second && count > 1 && !strcmp(second, words[1]) ? 2
                                                                             : 0;
        if (length > *used) {
            found = command;
            *used = length;
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

/* A few times a second: a terminal is slow. */
void cli_show_share(void *user, const char *what, double share) {
    cli_share *s = user;
    double time = hd_clock(), spent = time - s->start;
    if (time - s->shown < 0.2)
        return;
    s->shown = time;
    hd_arena *arena = hd_arena_new();
    const char *left = share < 0.01 ? ""
                                    : hd_format(arena, ", about %s left",
                                                hd_show_seconds(arena, spent / share - spent));
    cli_progress(s->c, hd_format(arena, "%.0f%%: %s%s", 100 * share, what, left));
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

/* What is divided among ranks; and what the first of them does by itself, so that who asks for
 * several gets the same. */
static bool is_divided(const cli_command *command) {
    return command->run == cmd_run || command->run == cmd_trace || command->run == cmd_locality ||
           command->run == cmd_reuse || command->run == cmd_map;
}
static bool is_for_first(const cli_command *command) {
    return command->run == cmd_help || cli_second_word(command, "trace");
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
    char *words[] = {hd_strdup(c->arena, name), argc > 2 ? argv[2] : NULL};
    uint32_t used;
    const cli_command *command = cli_find_command(words, argc > 2 ? 2 : 1, &used);
    if (command && c->ranks && !is_divided(command)) {
        if (!is_for_first(command))
            return cli_wrong(c,
                             "'heddle %s' is for one process; heddle-mpi has run, trace, locality, "
                             "reuse and map",
                             command->name);
        if (!c->is_first)
            return CLI_FINE; /* and waits for its end */
        c->ranks = NULL;
    }
    if (command) {
        c->command = command->name;
        return command->run(c, argc - (int)used, argv + used);
    }
    const char *names[64];
    size_t count = 0;
    for (const cli_command *known = cli_commands; known->name; known++)
        names[count++] = known->name;
    const char *near = cli_nearest(name, names, count);
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

/* A descriptor that the caller has closed would go to the next file that is opened, and
 * what is printed would end in there. To this one nothing can be written. */
static void fill_descriptors(void) {
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            (void)!open("/dev/null", O_RDONLY);
}

/* Of the other ranks nothing is printed: they come to the same results. Their errors are kept, as
 * they would be printed: what only one of them comes to, the first one prints. */
static void keep_error(const hd_message *message, void *user) {
    if (message->severity == HD_ERROR)
        hd_print_message(message, user);
}

int cli_main(const cli_ranks *ranks, int argc, char **argv) {
    fill_descriptors();
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
