/*
 * What ranks make of the analyses of a trace: nbf at ten times the size of the document (the graph
 * foil), its data reuse characteristic in scenario 1 and its stack distances, by 1, 2 and 4 ranks of
 * heddle-mpi on this machine.
 *
 * First the trace is written, which is not timed. Then mpirun starts the ranks, each as the child of
 * this program, which notes what the child took. Seconds are those of the wall clock from mpirun to
 * its end; core seconds those of the processor, of the rank that took most; on a machine with fewer
 * cores than ranks, or with other work, only these show what is divided. Peak memory is that of a
 * whole process, libraries and all.
 *
 * Required: the same output, to the last digit, whatever the number of ranks (every degree; of stack
 * distances the curve); and the peak of the largest of N ranks is at most 1.5 / N of that of one. The
 * exit status is 1 when something is not as required.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/report/report.h"
#include "shared/run_job.h"

#ifdef HEDDLE_MPI

enum { LEAST = 1, MOST = 4, TIMES = 10, NODES = 144649, EDGES = 1074393, GLOBAL = 144896 };
static const double allowed = 1.5;

typedef struct bench {
    hd_arena *arena;
    const hd_diag *diag;
    const char *self, *folder, *trace;
} bench;

/* What a run took. */
typedef struct taken {
    double seconds, core_seconds; /* of the rank that took most */
    uint64_t largest, all;        /* bytes */
    char *output;
    size_t length;
} taken;

/* ---- as a rank's parent ---------------------------------------------------------------------- */

/* Runs a command and adds a line on it to the file: bytes, core seconds. */
static int run_rank(const char *file, char **command) {
    struct rusage usage;
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        execv(command[0], command);
        _exit(127);
    }
    if (child < 0 || wait4(child, &status, 0, &usage) < 0)
        return 2;
    FILE *out = fopen(file, "a");
    if (!out)
        return 2;
    fprintf(out, "%ld %.6f\n", usage.ru_maxrss,
            (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6);
    fclose(out);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 2;
}

/* ---- a run ----------------------------------------------------------------------------------- */

_Noreturn static void stop(const bench *b, const char *what) {
    fprintf(stderr, "bench_mpi: %s did not come to its end\n", what);
    hd_scratch_remove(b->folder);
    exit(2);
}

static taken run_ranks(const bench *b, int ranks, const char *words) {
    const char *usage = hd_format(b->arena, "%s/usage", b->folder);
    const char *output = hd_format(b->arena, "%s/output", b->folder);
    /* Ranks are more than cores here; a rank on each core is what a cluster has. */
    const char *command =
        hd_format(b->arena,
                  "mpirun --oversubscribe --bind-to none -n %d %s --rank %s %s %s "
                  "%s >%s",
                  ranks, b->self, usage, HEDDLE_MPI, words, b->trace, output);
    taken t = {0};
    char *text, *line;
    size_t whole;
    unlink(usage);
    double start = hd_clock();
    if (system(command) != 0)
        stop(b, command);
    t.seconds = hd_clock() - start;
    if (hd_read_file(b->arena, b->diag, usage, &text, &whole) ||
        hd_read_file(b->arena, b->diag, output, &t.output, &t.length))
        stop(b, command);
    while ((line = strsep(&text, "\n")) && *line) {
        char *end;
        uint64_t bytes = strtoull(line, &end, 10) * 1024;
        double seconds = strtod(end, NULL);
        t.largest = bytes > t.largest ? bytes : t.largest;
        t.all += bytes;
        t.core_seconds = seconds > t.core_seconds ? seconds : t.core_seconds;
    }
    return t;
}

/* ---- the trace ------------------------------------------------------------------------------- */

/* The job with so many times the nodes and edges; kernels have 256 threads in a block. */
static void write_job(const bench *b, const char *path) {
    const struct {
        unsigned from, to;
    } sizes[] = {{NODES, NODES * TIMES},
                 {EDGES, EDGES * TIMES},
                 {GLOBAL, (NODES * TIMES + 255) / 256 * 256}};
    char *text;
    size_t whole;
    hd_str job = {.arena = b->arena};
    if (hd_read_file(b->arena, b->diag, HEDDLE_SOURCE "/examples/nbf/nbf.yaml", &text, &whole))
        stop(b, "reading the job");
    for (const char *at = text; *at;) {
        size_t s = 0, length = 0, kernel = sizeof "kernel: nbf" - 1;
        for (; s < 3; s++) {
            length = strlen(hd_format(b->arena, "%u", sizes[s].from));
            if (!strncmp(at, hd_format(b->arena, "%u", sizes[s].from), length))
                break;
        }
        if (s < 3) {
            hd_str_printf(&job, "%u", sizes[s].to);
            at += length;
        } else if (!strncmp(at, "kernel: nbf", kernel)) {
            hd_str_add(&job, "kernel: " HEDDLE_SOURCE "/examples/nbf/nbf");
            at += kernel;
        } else {
            hd_str_addn(&job, at++, 1);
        }
    }
    if (hd_write_file(b->diag, path, hd_str_text(&job), job.length))
        stop(b, "writing the job");
}

static hd_status write_trace(const bench *b) {
    const hd_trace_header header = {.source = "nbf", .spaces = 1u << KIR_GLOBAL};
    const char *path = hd_format(b->arena, "%s/nbf.yaml", b->folder);
    hd_trace_writer *writer;
    hd_job *job;
    hd_arena *arena = hd_arena_new();
    write_job(b, path);
    hd_status status = hd_job_read(arena, b->diag, path, &job);
    if (!status)
        status = hd_trace_create(arena, b->diag, b->trace, &header, &writer);
    if (!status) {
        const hd_sink sink = hd_trace_sink(writer);
        status =
            hd_trace_end(writer, run_read_job(arena, b->diag, job, 1u << KIR_GLOBAL, &sink), true);
    }
    hd_arena_free(arena);
    return status;
}

static void show_trace(const bench *b) {
    hd_trace *trace;
    hd_arena *arena = hd_arena_new();
    if (write_trace(b) || hd_trace_open(arena, b->diag, b->trace, &trace))
        stop(b, "tracing");
    const hd_trace_sums sums = hd_trace_sum(hd_trace_get(trace));
    printf("nbf of %u nodes, %u edges: %s blocks, %s MIs, %s lane accesses, a trace of %s\n\n",
           NODES * TIMES, EDGES * TIMES, hd_show_count(arena, (double)sums.blocks),
           hd_show_count(arena, (double)sums.mis), hd_show_count(arena, (double)sums.lane_accesses),
           hd_show_bytes(arena, hd_trace_get(trace)->bytes));
    hd_trace_close(trace);
    hd_arena_free(arena);
}

/* ---- the table ------------------------------------------------------------------------------- */

typedef struct analysis {
    const char *name, *words;
} analysis;

/* Enough memory that elements need no shares, and a worker for each rank. */
static const analysis analyses[] = {
    {"reuse, scenario 1", "cache --reuse --scenario 1 --csv --workers 1 --memory 17179869184"},
    {"stack distances", "cache --locality --line 32 --json --memory 17179869184"}};

static bool show_analysis(const bench *b, const analysis *a) {
    taken one = {0};
    bool fine = true;
    for (int ranks = LEAST; ranks <= MOST; ranks *= 2) {
        taken t = run_ranks(b, ranks, a->words);
        one = ranks == LEAST ? t : one;
        bool same = t.length == one.length && !memcmp(t.output, one.output, t.length);
        double share = (double)t.largest / (double)one.largest, most = allowed / ranks;
        bool fits = ranks == LEAST || share <= most;
        printf("%-18s %5d %8.1f %8.1f %6.2f %10s %10s %7.3f %7.3f  %s, %s\n", a->name, ranks,
               t.seconds, t.core_seconds, one.core_seconds / t.core_seconds,
               hd_show_bytes(b->arena, t.largest), hd_show_bytes(b->arena, t.all), share,
               most < 1 ? most : 1, fits ? "met" : "MISSED", same ? "equal" : "DIFFERENT");
        fflush(stdout);
        fine = fine && fits && same;
    }
    return fine;
}

static void message(const hd_message *m, void *user) {
    (void)user;
    fprintf(stderr, "bench_mpi: %s\n", m->text);
}

int main(int argc, char **argv) {
    if (argc > 3 && !strcmp(argv[1], "--rank"))
        return run_rank(argv[2], argv + 3);
    const hd_diag diag = {message, NULL};
    bench b = {.arena = hd_arena_new(), .diag = &diag, .self = argv[0]};
    char *folder;
    bool fine = true;
    if (hd_scratch_make(b.arena, &diag, &folder))
        return 2;
    b.folder = folder;
    b.trace = hd_format(b.arena, "%s/nbf.hdt", folder);
    if (!getuid()) { /* in a container, say */
        setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
        setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
    }
    show_trace(&b);
    taken nothing = run_ranks(&b, 1, "trace info");
    printf("%-18s %5s %8s %8s %6s %10s %10s %7s %7s\n", "analysis", "ranks", "seconds", "core s",
           "times", "largest", "all ranks", "of one", "allowed");
    for (size_t a = 0; a < sizeof analyses / sizeof *analyses; a++)
        fine = show_analysis(&b, &analyses[a]) && fine;
    printf(
        "  core s: of the rank that took most; times: as fast by that as one rank.\n"
        "  largest: peak memory of the largest rank, of which a process that has only opened the "
        "trace takes %s.\n",
        hd_show_bytes(b.arena, nothing.largest));
    hd_scratch_remove(folder);
    hd_arena_free(b.arena);
    return fine ? 0 : 1;
}

#else

int main(void) {
    printf("no MPI (libopenmpi-dev) when this was built, and so no heddle-mpi\n");
    return 0;
}

#endif
