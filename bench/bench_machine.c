/*
 * How fast the SIMT machine is: four programs on PoCL, on our machine without a sink, counted as
 * `heddle run` does and with the trace file, and on Oclgrind, in one table measured in one go.
 *
 * All use every core: PoCL and Oclgrind by default, the machine with a worker for each.
 * Seconds are those of the kernels alone, by the wall clock. On OpenCL they go from the
 * first enqueue to the end of the last kernel, after one run that warms PoCL up; on the
 * machine they are those of hd_vm_run() for all launches and, with the trace, of finishing
 * the file, when they have run once before. Compiling is left out everywhere, also that of native
 * code (HEDDLE_NATIVE=never in the environment times the interpreter). Each figure is a median. Every run's result
 * is compared with the same computation in plain C, so nothing is timed that is wrong.
 *
 * OpenCL runs in a process of its own, this program once more:
 *
 *     bench_machine --client NAME RUNS              on PoCL
 *     oclgrind bench_machine --client NAME RUNS     on Oclgrind, which takes the loader's place
 *
 * and so does a traced run whose peak memory is wanted, since only then is the peak its own:
 *
 *     bench_machine --trace NAME TIMES
 *
 * The table ends with the figures that the machine has to reach, and whether it does; the
 * exit status is 1 where it doesn't.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analysis/analysis.h"
#include "device/device.h"
#include "machine/workload.h"
#include "cli/report/report.h"
#include "trace/trace.h"
#include "machine/vm.h"

enum { POCL_RUNS = 9, MACHINE_RUNS = 5, OCLGRIND_RUNS = 1, MOST_RUNS = 16, LONGER = 10 };

typedef struct result {
    double pocl, plain, counted, traced, oclgrind; /* seconds; 0: it failed */
    uint64_t trace_bytes, lane_accesses;
} result;

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int count) {
    qsort(values, (size_t)count, sizeof *values, by_size);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* ---- the machine ----------------------------------------------------------------------- */

static hd_status hear_nothing(void *self, const hd_event_launch *launch) {
    (void)self, (void)launch;
    return HD_OK;
}
static void drop_event(void *stream, const hd_event *event) { (void)stream, (void)event; }

/* What listens to a run. */
typedef enum listener { NOBODY, COUNTERS, TRACE } listener;

/* Runs all launches once and puts the buffers' contents back. `traced`: as for a sink. */
static hd_status warm_up(const workload *w, hd_vm *vm, bool traced) {
    const hd_sink deaf = {.launch = hear_nothing, .event = drop_event};
    hd_status status = HD_OK;
    for (uint32_t l = 0; l < w->job->launch_count && status == HD_OK; l++)
        status = hd_vm_run(vm, l, traced ? &deaf : NULL, NULL);
    for (uint32_t b = 0; b < w->job->buffer_count && status == HD_OK; b++) {
        const hd_buffer *buffer = &w->job->buffers[b];
        memcpy(hd_vm_contents(vm, b), w->contents[b], buffer->count * buffer->element_bytes);
    }
    return status;
}

/* One run of all launches; `path`: where the trace file goes. */
static hd_status run_machine(const hd_diag *diag, const workload *w, listener who, const char *path,
                             bool check, double *seconds, result *r) {
    hd_arena *arena = hd_arena_new();
    const hd_vm_options options = {0};
    const hd_device *device;
    const hd_trace_header header = {.source = w->job->kernel_path, .spaces = ~0u};
    hd_vm *vm = NULL;
    hd_trace_writer *writer = NULL;
    hd_sink sink;
    hd_status status = hd_vm_open(arena, diag, w->job, w->contents, &options, &vm);
    if (status == HD_OK && who == TRACE)
        status = hd_trace_create(arena, diag, path, &header, &writer);
    if (status == HD_OK && who == COUNTERS)
        status = hd_device_find(arena, diag, "h200", &device);
    if (status == HD_OK && who == COUNTERS)
        sink = hd_tally_sink(hd_counters_new(arena, device));
    if (writer)
        sink = hd_trace_sink(writer);
    if (status == HD_OK)
        status = warm_up(w, vm, who != NOBODY);
    double start = hd_clock();
    r->lane_accesses = 0;
    for (uint32_t l = 0; l < w->job->launch_count && status == HD_OK; l++) {
        hd_vm_counts counts = {0};
        status = hd_vm_run(vm, l, who == NOBODY ? NULL : &sink, &counts);
        r->lane_accesses += counts.lane_accesses;
    }
    if (writer)
        status = hd_trace_end(writer, status, true);
    *seconds = hd_clock() - start;
    struct stat file;
    if (writer && status == HD_OK && stat(path, &file) == 0)
        r->trace_bytes = (uint64_t)file.st_size;
    void **contents = hd_new_array(arena, void *, w->job->buffer_count);
    for (uint32_t b = 0; b < w->job->buffer_count && status == HD_OK; b++)
        contents[b] = hd_vm_contents(vm, b);
    if (status == HD_OK && check && !w->correct(w, contents))
        status =
            hd_fail(diag, HD_EDIFFER, NULL, "%s: the machine computes something else", w->name);
    if (vm)
        hd_vm_close(vm);
    hd_arena_free(arena);
    return status;
}

static hd_status time_machine(const hd_diag *diag, const workload *w, listener who,
                              const char *path, double *seconds, result *r) {
    double runs[MACHINE_RUNS];
    for (int i = 0; i < MACHINE_RUNS; i++) {
        hd_status status = run_machine(diag, w, who, path, true, &runs[i], r);
        if (who == TRACE)
            unlink(path);
        if (status != HD_OK)
            return status;
    }
    *seconds = median(runs, MACHINE_RUNS);
    return HD_OK;
}

/* ---- other processes --------------------------------------------------------------------- */

/* Runs a program and reads at most MOST_RUNS numbers that it prints. `peak` in bytes; may be
 * NULL. False when it cannot be run or fails. */
static bool run_child(const char *const *words, double *numbers, int *count, uint64_t *peak) {
    int ends[2], status;
    struct rusage usage;
    if (pipe(ends) != 0)
        return false;
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        execvp(words[0], (char *const *)(uintptr_t)words);
        _exit(127);
    }
    close(ends[1]);
    FILE *out = fdopen(ends[0], "r");
    for (*count = 0; *count < MOST_RUNS && fscanf(out, "%lf", &numbers[*count]) == 1;)
        ++*count;
    while (getc(out) != EOF) /* what a closed pipe would kill */
        ;
    fclose(out);
    while (child > 0 && wait4(child, &status, 0, &usage) < 0)
        if (errno != EINTR)
            return false;
    if (peak)
        *peak = (uint64_t)usage.ru_maxrss * 1024;
    return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static const char *own_path(void) {
    static char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    return length > 0 ? path : "bench_machine";
}

/* Median seconds of a workload through OpenCL; 0 when it cannot be run. */
static double time_opencl(workload_id id, bool oclgrind) {
    double seconds[MOST_RUNS];
    int count;
    char runs[8];
    snprintf(runs, sizeof runs, "%d", oclgrind ? OCLGRIND_RUNS : POCL_RUNS);
    const char *words[] = {"oclgrind", own_path(), "--client", workload_names[id], runs, NULL};
    bool ran = run_child(oclgrind ? words : words + 1, seconds, &count, NULL);
    return ran && count ? median(seconds, count) : 0;
}

static bool have_oclgrind(void) {
    double none[MOST_RUNS];
    int count;
    return run_child((const char *const[]){"oclgrind", "--version", NULL}, none, &count, NULL);
}

/* Peak bytes of a process that traces the workload `times` times in a row; 0: failed. */
static uint64_t peak_of_tracing(workload_id id, int times) {
    double none[MOST_RUNS];
    int count;
    uint64_t peak = 0;
    char text[16];
    snprintf(text, sizeof text, "%d", times);
    const char *words[] = {own_path(), "--trace", workload_names[id], text, NULL};
    return run_child(words, none, &count, &peak) ? peak : 0;
}

/* ---- what a child does ------------------------------------------------------------------- */

static const char *trace_path(hd_arena *arena) {
    const char *folder = getenv("TMPDIR");
    return hd_format(arena, "%s/heddle-bench-%ld.trace", folder ? folder : "/tmp", (long)getpid());
}

static bool find_workload(const char *name, workload_id *id) {
    for (*id = 0; *id < WORKLOADS; ++*id)
        if (!strcmp(name, workload_names[*id]))
            return true;
    return false;
}

/* --client NAME RUNS: the seconds of each run, a line each. */
static hd_status client(hd_arena *arena, const hd_diag *diag, workload_id id, int runs) {
    workload w;
    double seconds[MOST_RUNS];
    /* Oclgrind shows nothing but itself, so there PoCL is not asked for. */
    const char *preload = getenv("LD_PRELOAD");
    bool oclgrind = preload && strstr(preload, "oclgrind");
    hd_status status = workload_make(arena, diag, HEDDLE_SOURCE, id, 1, &w);
    if (status == HD_OK)
        status = client_run(arena, diag, &w, oclgrind ? NULL : "Portable Computing Language",
                            !oclgrind, (uint32_t)runs, seconds);
    for (int i = 0; i < runs && status == HD_OK; i++)
        printf("%.9f\n", seconds[i]);
    return status;
}

/* --trace NAME TIMES */
static hd_status trace(hd_arena *arena, const hd_diag *diag, workload_id id, uint32_t times) {
    workload w;
    double seconds;
    result r;
    const char *path = trace_path(arena);
    hd_status status = workload_make(arena, diag, HEDDLE_SOURCE, id, times, &w);
    if (status == HD_OK)
        status = run_machine(diag, &w, TRACE, path, times == 1, &seconds, &r);
    unlink(path);
    return status;
}

/* ---- the table ----------------------------------------------------------------------------- */

static hd_status measure(const hd_diag *diag, workload_id id, workload *w, hd_arena *arena,
                         result *r) {
    *r = (result){0};
    hd_status status = workload_make(arena, diag, HEDDLE_SOURCE, id, 1, w);
    if (status == HD_OK)
        status = time_machine(diag, w, NOBODY, NULL, &r->plain, r);
    if (status == HD_OK)
        status = time_machine(diag, w, COUNTERS, NULL, &r->counted, r);
    if (status == HD_OK)
        status = time_machine(diag, w, TRACE, trace_path(arena), &r->traced, r);
    if (status == HD_OK) {
        r->pocl = time_opencl(id, false);
        r->oclgrind = time_opencl(id, true);
    }
    return status;
}

static const char *seconds_text(hd_arena *arena, double seconds) {
    return seconds > 0 ? hd_show_seconds(arena, seconds) : "-";
}
static const char *ratio_text(hd_arena *arena, double a, double b) {
    return a > 0 && b > 0 ? hd_show_ratio(arena, a / b) : "-";
}
static double bytes_per_access(const result *r) {
    return r->lane_accesses ? (double)r->trace_bytes / (double)r->lane_accesses : 0;
}

static void add_row(hd_arena *arena, report_table *table, const workload *w, const result *r) {
    report_table_row(
        table,
        (const char *[]){w->name, seconds_text(arena, r->pocl), seconds_text(arena, r->plain),
                         ratio_text(arena, r->plain, r->pocl), seconds_text(arena, r->counted),
                         ratio_text(arena, r->counted, r->pocl), seconds_text(arena, r->traced),
                         ratio_text(arena, r->traced, r->pocl), seconds_text(arena, r->oclgrind),
                         ratio_text(arena, r->oclgrind, r->traced),
                         hd_format(arena, "%.4f", bytes_per_access(r))});
}

/* One required figure; true when it is met. What could not be measured is not. */
static bool require(const char *what, double got, double bound, bool at_least, bool known) {
    bool met = known && (at_least ? got >= bound : got <= bound);
    if (!known)
        printf("  %-64s not measured\n", what);
    else
        printf("  %-64s %8.4g  %s\n", what, got, met ? "met" : "missed");
    return met;
}

static bool require_all(hd_arena *arena, const result *results) {
    static const double most_bytes[WORKLOADS] = {[NBODY] = 0.1, [MATMUL] = 0.1, [BFS] = 2};
    bool met = true;
    for (int id = 0; id < WORKLOADS; id++) {
        const result *r = &results[id];
        double least = id == NBODY ? 200 : 50;
        met &= require(hd_format(arena, "%s, traced: at least %g times as fast as Oclgrind",
                                 workload_names[id], least),
                       r->oclgrind / r->traced, least, true, r->oclgrind > 0);
    }
    for (int id = 0; id < WORKLOADS; id++) {
        const result *r = &results[id];
        const char *name = workload_names[id];
        met &= require(hd_format(arena, "%s: at most 1.5 times slower than PoCL", name),
                       r->plain / r->pocl, 1.5, false, r->pocl > 0);
        met &= require(hd_format(arena, "%s, counted: at most 2.5 times slower than PoCL", name),
                       r->counted / r->pocl, 2.5, false, r->pocl > 0);
        met &= require(hd_format(arena, "%s, traced: at most 4 times slower than PoCL", name),
                       r->traced / r->pocl, 4, false, r->pocl > 0);
    }
    for (int id = 0; id < WORKLOADS; id++)
        if (most_bytes[id] > 0)
            met &= require(hd_format(arena, "%s: trace bytes per lane access, at most %g",
                                     workload_names[id], most_bytes[id]),
                           bytes_per_access(&results[id]), most_bytes[id], false, true);
    return met;
}

/* What a run ten times longer may add to the peak, most of which is the compiler's: the rows
 * of the file's index, and what the allocator does. Its events are many times that. */
static bool require_memory(hd_arena *arena) {
    bool met = true;
    puts("");
    for (workload_id id = 0; id < WORKLOADS; id++) {
        uint64_t once = peak_of_tracing(id, 1), longer = peak_of_tracing(id, LONGER);
        const char *what =
            hd_format(arena, "%s, traced: peak memory %s, %d times as long %s", workload_names[id],
                      hd_show_bytes(arena, once), LONGER, hd_show_bytes(arena, longer));
        met &= require(what, once ? (double)longer / (double)once : 0, 1.02, false, once && longer);
    }
    return met;
}

static int print_all(hd_arena *arena, const hd_diag *diag) {
    static const report_column columns[] = {
        {"program", REPORT_LEFT, false},   {"PoCL", REPORT_RIGHT, false},
        {"machine", REPORT_RIGHT, false},  {"/PoCL", REPORT_RIGHT, false},
        {"counted", REPORT_RIGHT, false},  {"/PoCL", REPORT_RIGHT, false},
        {"traced", REPORT_RIGHT, false},   {"/PoCL", REPORT_RIGHT, false},
        {"Oclgrind", REPORT_RIGHT, false}, {"/traced", REPORT_RIGHT, false},
        {"B/access", REPORT_RIGHT, false}};
    report_table *table = report_table_new(arena, columns, sizeof columns / sizeof *columns);
    result results[WORKLOADS];
    hd_str out = {.arena = arena}, notes = {.arena = arena};
    if (!have_oclgrind()) {
        fputs("bench_machine: no oclgrind to compare with: apt-get install oclgrind\n", stderr);
        return 2;
    }
    for (workload_id id = 0; id < WORKLOADS; id++) {
        workload w;
        if (measure(diag, id, &w, arena, &results[id]) != HD_OK)
            return 2;
        hd_str_printf(&notes, "  %s: %s%s%s\n", w.name, w.title, w.note ? "; " : "",
                      w.note ? w.note : "");
        add_row(arena, table, &w, &results[id]);
    }
    report_table_print(table, &out, false);
    printf(
        "%s\n%s\n"
        "  Kernels only, %ld cores for each. /PoCL: times the seconds of PoCL; /traced: seconds"
        "\n  of Oclgrind over those of the traced machine; B/access: bytes of the trace file for\n"
        "  each access of a lane.\n\n",
        hd_str_text(&out), hd_str_text(&notes), sysconf(_SC_NPROCESSORS_ONLN));
    bool met = require_all(arena, results);
    met &= require_memory(arena);
    return met ? 0 : 1;
}

int main(int argc, char **argv) {
    hd_printer printer = {.out = stderr};
    const hd_diag diag = {hd_print_message, &printer};
    hd_arena *arena = hd_arena_new();
    workload_id id;
    setenv("HEDDLE_NATIVE", "always", 0);
    int number = argc == 4 ? atoi(argv[3]) : 0, code;
    if (argc == 1)
        code = print_all(arena, &diag);
    else if (argc != 4 || !find_workload(argv[2], &id) || number < 1 || number > MOST_RUNS)
        code = 2;
    else if (!strcmp(argv[1], "--client"))
        code = client(arena, &diag, id, number) == HD_OK ? 0 : 2;
    else
        code = trace(arena, &diag, id, (uint32_t)number) == HD_OK ? 0 : 2;
    if (code == 2 && argc != 1 && argc != 4)
        fputs("usage: bench_machine [--client NAME RUNS | --trace NAME TIMES]\n", stderr);
    hd_arena_free(arena);
    return code;
}
