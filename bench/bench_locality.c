/*
 * Stack distances of traces made here: lane accesses in a second by one core, from the trace
 * file to the counts, and for comparison what reading the file alone takes of that.
 *
 *     nbody, kmeans, sampo, bitonic   the jobs of examples/, run on the machine
 *     gather                          random elements of a million, 4 bytes each: 4 MB
 *     gather far                      random elements of 256 MB: two million lines
 *
 * Each is analysed for the device, for 16 core clusters and for each block. The exit status
 * is 1 when one of them is below what is required.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "analysis/stack.h"
#include "cli/report/report.h"
#include "shared/run_job.h"
#include "trace/trace.h"

enum { LANES = 256, WORDS = LANES / 64, RUNS = 3, SCOPES = 3 };
static const double required = 10e6; /* lane accesses in a second by one core */

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- traces ------------------------------------------------------------------------- */

static void send_gather(const hd_sink *sink, uint64_t elements, uint64_t blocks, uint64_t events) {
    const hd_event_buffer buffer = {.name = "a",
                                    .type = "int",
                                    .space = KIR_GLOBAL,
                                    .base = 1 << 20,
                                    .bytes = elements * 4,
                                    .element_bytes = 4};
    const hd_event_access access = {.kind = HD_LOAD, .space = KIR_GLOBAL, .width = 4};
    const hd_event_launch launch = {.kernel = "gather",
                                    .dims = 1,
                                    .groups = {blocks, 1, 1},
                                    .local = {LANES, 1, 1},
                                    .block_count = blocks,
                                    .block_threads = LANES,
                                    .accesses = &access,
                                    .access_count = 1,
                                    .buffers = &buffer,
                                    .buffer_count = 1};
    uint64_t mask[WORDS], address[LANES], random = 42;
    memset(mask, 0xff, sizeof mask);
    sink->launch(sink->self, &launch);
    for (uint64_t b = 0; b < blocks; b++) {
        void *stream = sink->open_block(sink->self, b);
        for (uint64_t e = 0; e < events; e++) {
            for (int l = 0; l < LANES; l++)
                address[l] = buffer.base + hd_next_random(&random) % elements * 4;
            sink->event(stream, &(hd_event){.threads = LANES,
                                            .active = LANES,
                                            .position = e,
                                            .mask = mask,
                                            .address = address});
        }
        sink->close_block(sink->self, stream, b, true);
    }
    sink->end_launch(sink->self, true);
}

static hd_status trace_gather(hd_arena *arena, const hd_diag *diag, uint64_t elements,
                              const char *path) {
    const hd_trace_header header = {"gather", 1u << KIR_GLOBAL};
    hd_trace_writer *writer;
    hd_status status = hd_trace_create(arena, diag, path, &header, &writer);
    if (status != HD_OK)
        return status;
    const hd_sink sink = hd_trace_sink(writer);
    send_gather(&sink, elements, 32, 1024);
    return hd_trace_finish(writer, true);
}

/* ---- measuring ------------------------------------------------------------------------ */

static void ignore_event(void *stream, const hd_event *event) {
    (void)stream;
    (void)event;
}

static double time_replay(const hd_diag *diag, hd_trace *trace, const hd_sink *sink) {
    double start = now();
    if (hd_trace_replay(trace, diag, &(hd_trace_choice){-1, 0, UINT64_MAX, 0}, sink))
        exit(2);
    return now() - start;
}

static double time_reading(const hd_diag *diag, hd_trace *trace) {
    const hd_sink nothing = {.event = ignore_event};
    double best = INFINITY;
    for (int r = 0; r < RUNS; r++)
        best = fmin(best, time_replay(diag, trace, &nothing));
    return best;
}

/* The best of a few runs; what was counted last. */
static double time_analysis(const hd_diag *diag, hd_trace *trace, hd_stack_scope scope,
                            hd_stack_result *result) {
    const hd_stack_options options = {128, 32, scope, 16, 0};
    double best = INFINITY;
    for (int r = 0; r < RUNS; r++) {
        hd_arena *arena = hd_arena_new();
        hd_stack *analysis = hd_stack_new(arena, diag, &options);
        hd_sink sink = hd_stack_sink(analysis);
        best = fmin(best, time_replay(diag, trace, &sink));
        *result = *hd_stack_result_of(analysis);
        hd_stack_free(analysis);
        hd_arena_free(arena);
    }
    return best;
}

static bool measure(hd_arena *arena, const hd_diag *diag, const char *name, const char *path) {
    static const char *const scopes[SCOPES] = {"device", "cluster", "block"};
    hd_trace *trace;
    bool reached = true;
    if (hd_trace_open(arena, diag, path, &trace))
        exit(2);
    double reading = time_reading(diag, trace);
    for (int s = 0; s < SCOPES; s++) {
        hd_stack_result r;
        double seconds = time_analysis(diag, trace, (hd_stack_scope)s, &r);
        double rate = (double)r.lane_accesses / seconds;
        printf("%-11s %-8s %9s %9s %9s %9.3f %9.3f %10.1f %s\n", name, scopes[s],
               hd_show_count(arena, (double)r.lane_accesses),
               hd_show_count(arena, (double)r.line_accesses),
               hd_show_count(arena, (double)r.footprint), seconds, reading, rate / 1e6,
               rate < required ? "TOO SLOW" : "");
        reached = reached && rate >= required;
    }
    hd_trace_close(trace);
    return reached;
}

typedef struct made {
    const char *name;
    uint64_t elements; /* of a gather; 0: the job of this name */
} made;

static bool make_and_measure(const hd_diag *diag, const made *m) {
    hd_arena *arena = hd_arena_new();
    char path[] = "/tmp/heddle-bench-XXXXXX";
    int fd = mkstemp(path);
    const char *job = hd_format(arena, "examples/%s/%s.yaml", m->name, m->name);
    if (fd < 0 || close(fd))
        exit(2);
    if (m->elements ? trace_gather(arena, diag, m->elements, path)
                    : trace_job(diag, job, 1u << KIR_GLOBAL, path))
        exit(2);
    bool reached = measure(arena, diag, m->name, path);
    unlink(path);
    hd_arena_free(arena);
    return reached;
}

int main(void) {
    static const made traces[] = {{"nbody", 0},   {"kmeans", 0},       {"sampo", 0},
                                  {"bitonic", 0}, {"gather", 1000000}, {"gather far", 64 << 20}};
    hd_printer printer = {.out = stderr};
    const hd_diag diag = {hd_print_message, &printer};
    bool reached = true;
    setvbuf(stdout, NULL, _IOLBF, 0);
    printf("%-11s %-8s %9s %9s %9s %9s %9s %10s\n", "trace", "per", "lanes", "lines", "footprint",
           "seconds", "reading", "M lanes/s");
    for (size_t t = 0; t < sizeof traces / sizeof *traces; t++)
        reached = make_and_measure(&diag, &traces[t]) && reached;
    printf("required: %.0f million lane accesses in a second by one core: %s\n", required / 1e6,
           reached ? "reached" : "NOT REACHED");
    return !reached;
}
