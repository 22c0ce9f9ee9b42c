/*
 * How long whole CUDA programs take on the machine, beside the same loops in plain C.
 *
 * Each program of bench/programs/cuda is built by nvcc -O3 and run by `heddle run`, as anybody would run
 * it; its twin of bench/programs/plain is built by cc -O3 -march=native -fopenmp and runs on two threads.
 * Seconds are those of whole processes by the wall clock: of plain C the median of three, of Heddle the
 * first run, for which it compiles the kernels (its cache of code is emptied before), and the mean of two
 * more. Outputs have to agree: integers exactly, other numbers to a thousandth. A process that takes more
 * than two minutes is stopped.
 *
 *     bench_programs [--interpreter] [NAME]      all, or those whose names begin with NAME
 *
 * --interpreter: also the interpreter, which counts every block, and how many times faster the warm runs
 * are. Where it was stopped they are so many times faster at least.
 *
 * The table ends with what is to be reached, and whether it is; the exit status is 1 where it isn't or a
 * program fails or computes something else, and 2 where there is no nvcc.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "advise/nvcc_job.h"
#include "cli/report/report.h"

enum { PLAIN_RUNS = 3, WARM_RUNS = 2, MOST_PROGRAMS = 64 };
static const double LIMIT = 120; /* seconds of a process */
static const double NEAR = 1e-3;
static const double MEDIAN_RATIO = 3, WORST_RATIO = 10, LEAST_FASTER = 5;

typedef struct program {
    const char *name;
    double plain, cold, warm, interpreter; /* seconds; LIMIT: it was stopped; 0: it did not run */
    const char *failed;                    /* NULL: nothing did */
} program;

typedef struct bench {
    hd_arena *arena;
    const char *nvcc, *only;
    bool interpreter;
    const char *folder; /* build/programs, by its whole name */
    program programs[MOST_PROGRAMS];
    uint32_t count;
} bench;

/* ---- processes --------------------------------------------------------------------------------- */

static void become(const char *const *words, const char *out, const char *log) {
    setpgid(0, 0);
    int fd = open(out, O_CREAT | O_TRUNC | O_WRONLY, 0666);
    int errors = open(log, O_CREAT | O_TRUNC | O_WRONLY, 0666);
    if (fd < 0 || errors < 0 || dup2(fd, STDOUT_FILENO) < 0 || dup2(errors, STDERR_FILENO) < 0)
        _exit(127);
    execvp(words[0], (char *const *)(uintptr_t)words);
    _exit(127);
}

/* Seconds of a process that writes to the files `out` and `log`; LIMIT: it was stopped; below 0: it
 * failed. */
static double run(const char *const *words, const char *out, const char *log) {
    double start = hd_clock(), seconds = 0;
    int status;
    pid_t child = fork(), ended = 0;
    if (child == 0)
        become(words, out, log);
    if (child < 0)
        return -1;
    setpgid(child, child);
    while (ended == 0 && seconds < LIMIT) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        ended = waitpid(child, &status, WNOHANG);
        ended = ended < 0 && errno == EINTR ? 0 : ended;
        seconds = hd_clock() - start;
    }
    if (ended == 0) {
        kill(-child, SIGKILL);
        waitpid(child, &status, 0);
        return LIMIT;
    }
    bool done = ended == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    return done ? fmin(seconds, LIMIT) : -1;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, uint32_t count) {
    qsort(values, count, sizeof *values, by_size);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* ---- what they print --------------------------------------------------------------------------- */

static bool is_number(const char *word, double *value) {
    char *end;
    *value = strtod(word, &end);
    return end != word && *end == '\0' && isfinite(*value);
}

/* Words that are not equal are near where one has a point and they are numbers. */
static bool agree_words(const char *a, const char *b) {
    double x, y;
    if (!strcmp(a, b))
        return true;
    return (strchr(a, '.') || strchr(b, '.')) && is_number(a, &x) && is_number(b, &y) &&
           fabs(x - y) <= NEAR * fmax(fabs(x), fabs(y));
}

/* What Heddle says of the run stands after what the program prints. */
static bool agree(hd_arena *arena, const char *expected, const char *got) {
    static const char between[] = " ,:()\n";
    char *a, *b, *rest_a, *rest_b;
    size_t length;
    if (hd_read_file(arena, NULL, expected, &a, &length) ||
        hd_read_file(arena, NULL, got, &b, &length))
        return false;
    a = strtok_r(a, between, &rest_a);
    b = strtok_r(b, between, &rest_b);
    while (a && b && agree_words(a, b)) {
        a = strtok_r(NULL, between, &rest_a);
        b = strtok_r(NULL, between, &rest_b);
    }
    return !a;
}

/* ---- one program ------------------------------------------------------------------------------- */

static const char *in_folder(const bench *b, const program *p, const char *suffix) {
    return hd_format(b->arena, "%s/%s%s", b->folder, p->name, suffix);
}

static bool build(const bench *b, program *p) {
    static const char sources[] = HEDDLE_SOURCE "/bench/programs";
    const char *cuda = hd_format(b->arena, "%s/cuda/%s.cu", sources, p->name);
    const char *plain = hd_format(b->arena, "%s/plain/%s.c", sources, p->name);
    const char *log = in_folder(b, p, ".log");
    const char *const nvcc[] = {b->nvcc, "-O3", "-cudart",           "shared", "-I",
                                sources, "-o",  in_folder(b, p, ""), cuda,     NULL};
    const char *const cc[] = {"cc",    "-O3", "-march=native",           "-fopenmp", "-I",
                              sources, "-o",  in_folder(b, p, ".plain"), plain,      "-lm",
                              NULL};
    if (run(nvcc, "/dev/null", log) < 0)
        p->failed = "nvcc fails";
    else if (run(cc, "/dev/null", log) < 0)
        p->failed = "cc fails";
    return !p->failed;
}

/* Seconds of one more run, whose output is to be that of plain C; 0 where it isn't. */
static double run_on_heddle(const bench *b, program *p, bool interpreter) {
    const char *const native[] = {HEDDLE_PROGRAM, "run", "--", in_folder(b, p, ""), NULL};
    const char *const counted[] = {HEDDLE_PROGRAM, "run", "--all", "--", in_folder(b, p, ""), NULL};
    const char *out = in_folder(b, p, ".out");
    if (interpreter)
        setenv("HEDDLE_NATIVE", "never", 1);
    double seconds = run(interpreter ? counted : native, out, in_folder(b, p, ".log"));
    if (interpreter)
        unsetenv("HEDDLE_NATIVE");
    if (seconds < 0)
        p->failed = "fails";
    else if (seconds < LIMIT && !agree(b->arena, in_folder(b, p, ".expected"), out))
        p->failed = "wrong";
    return p->failed ? 0 : seconds;
}

static void run_plain(const bench *b, program *p) {
    const char *const words[] = {in_folder(b, p, ".plain"), NULL};
    double seconds[PLAIN_RUNS];
    for (int i = 0; i < PLAIN_RUNS && !p->failed; i++) {
        seconds[i] = run(words, in_folder(b, p, ".expected"), in_folder(b, p, ".log"));
        if (seconds[i] < 0 || seconds[i] >= LIMIT)
            p->failed = "plain C fails";
    }
    p->plain = p->failed ? 0 : median(seconds, PLAIN_RUNS);
}

static void measure(const bench *b, program *p) {
    double warm[WARM_RUNS];
    if (!build(b, p))
        return;
    run_plain(b, p);
    if (!p->failed && system(hd_format(b->arena, "rm -rf '%s/cache'", b->folder)))
        p->failed = "the cache stays";
    if (!p->failed)
        p->cold = run_on_heddle(b, p, false);
    for (int i = 0; i < WARM_RUNS && !p->failed; i++)
        warm[i] = p->cold < LIMIT ? run_on_heddle(b, p, false) : LIMIT;
    if (!p->failed)
        p->warm = median(warm, WARM_RUNS);
    if (!p->failed && b->interpreter)
        p->interpreter = run_on_heddle(b, p, true);
}

/* ---- the table --------------------------------------------------------------------------------- */

static const char *seconds_text(const bench *b, double seconds) {
    return seconds >= LIMIT ? hd_format(b->arena, "over %.0f s", LIMIT)
           : seconds > 0    ? hd_format(b->arena, "%.2f s", seconds)
                            : "-";
}

static double ratio_of(const program *p) { return p->warm / p->plain; }
static double faster_of(const program *p) { return p->interpreter / p->warm; }

static const char *ratio_text(const bench *b, double ratio, bool at_least) {
    return isfinite(ratio) && ratio > 0 ? hd_format(b->arena, "%s%.2f", at_least ? ">" : "", ratio)
                                        : "-";
}

static void print_row(const bench *b, const program *p) {
    printf("  %-14s %10s %11s %11s %8s", p->name, seconds_text(b, p->plain),
           seconds_text(b, p->cold), seconds_text(b, p->warm),
           ratio_text(b, ratio_of(p), p->warm >= LIMIT));
    if (b->interpreter)
        printf(" %11s %8s", seconds_text(b, p->interpreter),
               ratio_text(b, faster_of(p), p->interpreter >= LIMIT));
    printf("%s%s\n", p->failed ? "  " : "", p->failed ? p->failed : "");
    fflush(stdout);
}

static bool require(const char *what, double got, bool met) {
    printf("  %-60s %8.2f  %s\n", what, got, met ? "met" : "missed");
    return met;
}

/* Of the programs that ran to their end, as they should. */
static bool print_verdict(const bench *b) {
    double ratios[MOST_PROGRAMS], faster[MOST_PROGRAMS], worst = 0;
    const char *worst_name = "";
    uint32_t count = 0;
    for (uint32_t i = 0; i < b->count; i++) {
        const program *p = &b->programs[i];
        if (p->failed)
            continue;
        ratios[count] = ratio_of(p);
        faster[count] = faster_of(p);
        worst_name = ratios[count] > worst ? p->name : worst_name;
        worst = fmax(worst, ratios[count++]);
    }
    printf("\n");
    if (count < b->count)
        printf("  %u of %u programs fail or compute something else\n", b->count - count, b->count);
    if (!count)
        return false;
    double middle = median(ratios, count), times = median(faster, count);
    bool met = count == b->count;
    met &= require(hd_format(b->arena, "times plain C, the median of %u programs: at most %g",
                             count, MEDIAN_RATIO),
                   middle, middle <= MEDIAN_RATIO);
    met &= require(
        hd_format(b->arena, "times plain C, the worst (%s): at most %g", worst_name, WORST_RATIO),
        worst, worst <= WORST_RATIO);
    if (b->interpreter)
        met &= require(
            hd_format(b->arena, "times faster than the interpreter, the median: %g", LEAST_FASTER),
            times, times >= LEAST_FASTER);
    return met;
}

/* ---- all of them --------------------------------------------------------------------------------- */

static int is_source(const struct dirent *entry) {
    const char *end = strrchr(entry->d_name, '.');
    return end && !strcmp(end, ".cu");
}

static void list_programs(bench *b) {
    struct dirent **entries;
    int count = scandir(HEDDLE_SOURCE "/bench/programs/cuda", &entries, is_source, alphasort);
    for (int i = 0; i < count; i++) {
        const char *file = entries[i]->d_name;
        if (b->count < MOST_PROGRAMS && (!b->only || !strncmp(file, b->only, strlen(b->only))))
            b->programs[b->count++].name =
                hd_format(b->arena, "%.*s", (int)strcspn(file, "."), file);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
}

/* build/programs, by its whole name, with the cache of code in it. */
static bool make_folder(bench *b) {
    mkdir("build", 0777);
    mkdir("build/programs", 0777);
    char *path = realpath("build/programs", NULL);
    b->folder = path ? hd_strdup(b->arena, path) : NULL;
    free(path);
    return b->folder && !setenv("XDG_CACHE_HOME", hd_format(b->arena, "%s/cache", b->folder), 1) &&
           !setenv("OMP_NUM_THREADS", "2", 1);
}

static bool read_words(bench *b, int count, char **words) {
    for (int i = 1; i < count; i++)
        if (!strcmp(words[i], "--interpreter"))
            b->interpreter = true;
        else if (words[i][0] == '-' || b->only)
            return false;
        else
            b->only = words[i];
    return true;
}

static int run_all(bench *b) {
    b->nvcc = hd_nvcc_find(b->arena);
    if (!b->nvcc) {
        printf("no nvcc here: nothing was measured\n");
        return 2;
    }
    list_programs(b);
    if (!b->count || !make_folder(b)) {
        fprintf(stderr, "bench_programs: there is %s\n",
                b->count ? "no folder" : "no such program");
        return 2;
    }
    printf("  %-14s %10s %11s %11s %8s%s\n", "program", "plain C", "cold", "warm", "/plain",
           b->interpreter ? " interpreter   faster" : "");
    for (uint32_t i = 0; i < b->count; i++) {
        measure(b, &b->programs[i]);
        print_row(b, &b->programs[i]);
    }
    return print_verdict(b) ? 0 : 1;
}

int main(int argc, char **argv) {
    bench b = {.arena = hd_arena_new()};
    int code = 2;
    if (read_words(&b, argc, argv))
        code = run_all(&b);
    else
        fputs("usage: bench_programs [--interpreter] [NAME]\n", stderr);
    hd_arena_free(b.arena);
    return code;
}
