/*
 * The simulation of caches on traces made here: sectors in a second by one core, from the trace
 * file to the counts, and for comparison what reading the file alone takes of that.
 *
 *     stream       c[i] = a[i] + b[i], 4 bytes each
 *     record       a record of 28 bytes, field by field, read and written, with lanes side by side
 *     record soa   the same with the record laid out as soa while it is simulated
 *     gather       random elements of a million, 4 bytes each: 4 MB
 *     gather far   random elements of 256 MB
 *     mixed        a stream of indices, a gather of records by them, and atomics
 *
 * Each on four devices. The exit status is 1 when one of them is below what is required.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "analysis/cache.h"
#include "cli/report/report.h"

enum { LANES = 256, WORDS = LANES / 64, RUNS = 3, FIELDS = 7 };
static const double required = 20e6; /* sectors in a second by one core */

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- traces ------------------------------------------------------------------------- */

static hd_field fields[FIELDS];
static hd_record record = {.name = "body",
                           .spelling = "struct body",
                           .size = 28,
                           .align = 4,
                           .field_count = FIELDS,
                           .fields = fields};

/* A block's events; all its lanes are active. */
typedef struct block {
    const hd_sink *sink;
    void *stream;
    const hd_event_buffer *buffers;
    uint64_t first, position, random; /* first: element of its first thread */
} block;

static void give(block *b, uint32_t access, uint64_t base, int64_t stride,
                 const uint64_t *address) {
    static const uint64_t all[WORDS] = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};
    b->sink->event(b->stream, &(hd_event){.access = access,
                                          .threads = LANES,
                                          .active = LANES,
                                          .position = b->position++,
                                          .mask = all,
                                          .base = base,
                                          .stride = stride,
                                          .address = address});
}

static void give_stream(block *b) {
    for (uint32_t a = 0; a < 3; a++)
        give(b, a, b->buffers[a].base + b->first * 4, 4, NULL);
}

static void give_record(block *b) {
    for (uint32_t a = 0; a < 2 * FIELDS; a++)
        give(b, a, b->buffers[0].base + b->first * 28 + a % FIELDS * 4, 28, NULL);
}

static void give_gather(block *b, uint32_t access, uint32_t buffer) {
    uint64_t address[LANES], size = b->buffers[buffer].element_bytes;
    uint64_t elements = b->buffers[buffer].bytes / size;
    for (int l = 0; l < LANES; l++)
        address[l] = b->buffers[buffer].base + hd_next_random(&b->random) % elements * size;
    give(b, access, 0, 0, address);
}

static void give_gathers(block *b) { give_gather(b, 0, 0); }

static void give_mixed(block *b) {
    give(b, 0, b->buffers[0].base + b->first * 4, 4, NULL);
    uint64_t address[LANES];
    for (int l = 0; l < LANES; l++)
        address[l] = b->buffers[1].base + hd_next_random(&b->random) % (1 << 20) * 28;
    for (uint32_t a = 1; a < 4; a++)
        give(b, a, a * 4, 0, address);
    give_gather(b, 4, 2);
}

typedef struct made {
    const char *name;
    void (*give)(block *b); /* what a block does for LANES elements */
    uint64_t elements;      /* of each buffer */
    uint64_t blocks, rounds;
    uint32_t buffers, accesses, first_store; /* of the accesses; the last one may be an atomic */
    bool has_record, has_atomic;
    const char *layout;
} made;

static const made traces[] = {
    {"stream", give_stream, 1 << 24, 4096, 16, 3, 3, 2, false, false, NULL},
    {"record", give_record, 1 << 20, 1024, 4, 1, 2 * FIELDS, FIELDS, true, false, NULL},
    {"record soa", give_record, 1 << 20, 1024, 4, 1, 2 * FIELDS, FIELDS, true, false, "soa"},
    {"gather", give_gathers, 1000000, 1024, 32, 1, 1, 1, false, false, NULL},
    {"gather far", give_gathers, 64 << 20, 1024, 32, 1, 1, 1, false, false, NULL},
    {"mixed", give_mixed, 1 << 20, 1024, 4, 3, 5, 4, true, true, NULL},
};

static hd_event_launch launch_of(hd_arena *arena, const made *m) {
    hd_event_buffer *buffers = hd_new_array(arena, hd_event_buffer, m->buffers);
    hd_event_access *accesses = hd_new_array(arena, hd_event_access, m->accesses);
    uint64_t base = 1 << 20;
    for (uint32_t b = 0; b < m->buffers; b++) {
        bool is_record = m->has_record && b == m->buffers / 2;
        uint32_t size = is_record ? 28 : 4;
        buffers[b] = (hd_event_buffer){.name = hd_format(arena, "b%u", b),
                                       .space = KIR_GLOBAL,
                                       .base = base,
                                       .bytes = m->elements * size,
                                       .element_bytes = size,
                                       .record = is_record ? &record : NULL};
        base += hd_align_up(m->elements * size, 4096) + 4096;
    }
    for (uint32_t a = 0; a < m->accesses; a++)
        accesses[a] = (hd_event_access){
            .kind = a < m->first_store ? HD_LOAD
                    : m->has_atomic    ? HD_ATOMIC
                                       : HD_STORE,
            .space = KIR_GLOBAL,
            .width = 4,
            .buffer = -1,
        };
    return (hd_event_launch){.kernel = m->name,
                             .dims = 1,
                             .groups = {m->blocks, 1, 1},
                             .local = {LANES, 1, 1},
                             .block_count = m->blocks,
                             .block_threads = LANES,
                             .accesses = accesses,
                             .access_count = m->accesses,
                             .buffers = buffers,
                             .buffer_count = m->buffers};
}

static void write_trace(hd_arena *arena, const hd_diag *diag, const made *m, const char *path) {
    const hd_trace_header header = {m->name, 1u << KIR_GLOBAL};
    const hd_event_launch launch = launch_of(arena, m);
    hd_trace_writer *writer;
    if (hd_trace_create(arena, diag, path, &header, &writer))
        exit(2);
    const hd_sink sink = hd_trace_sink(writer);
    sink.launch(sink.self, &launch);
    for (uint64_t n = 0; n < m->blocks; n++) {
        block b = {&sink, sink.open_block(sink.self, n), launch.buffers, 0, 0, n};
        for (uint64_t r = 0; r < m->rounds; r++) {
            b.first = (n * m->rounds + r) * LANES % m->elements;
            m->give(&b);
        }
        sink.close_block(sink.self, b.stream, n, true);
    }
    sink.end_launch(sink.self, true);
    if (hd_trace_finish(writer, true))
        exit(2);
}

/* The job that the trace is of, as far as a layout needs it. */
static hd_job *job_of(hd_arena *arena, const made *m) {
    hd_job *job = hd_new(arena, hd_job);
    hd_buffer *buffer = hd_new(arena, hd_buffer);
    hd_launch *launch = hd_new(arena, hd_launch);
    *buffer = (hd_buffer){
        .name = "b0", .count = m->elements, .record = &record, .element_bytes = record.size};
    *launch = (hd_launch){.kernel_name = m->name,
                          .dims = 1,
                          .global = {m->blocks * LANES, 1, 1},
                          .local = {LANES, 1, 1},
                          .repeat = 1};
    *job = (hd_job){.path = "job",
                    .buffers = buffer,
                    .buffer_count = 1,
                    .launches = launch,
                    .launch_count = 1,
                    .record = &record};
    return job;
}

/* ---- measuring ------------------------------------------------------------------------ */

static void ignore_event(void *stream, const hd_event *event) {
    (void)stream;
    (void)event;
}

static double time_reading(const hd_diag *diag, hd_trace *trace) {
    const hd_sink nothing = {.event = ignore_event};
    double best = INFINITY;
    for (int r = 0; r < RUNS; r++) {
        double start = now();
        if (hd_trace_replay(trace, diag, &(hd_trace_choice){-1, 0, UINT64_MAX, 0, NULL}, &nothing))
            exit(2);
        best = fmin(best, now() - start);
    }
    return best;
}

static bool measure(const hd_diag *diag, const made *m, hd_trace *trace, const char *name,
                    double reading) {
    hd_arena *arena = hd_arena_new();
    const hd_device *device;
    const hd_caches_options options = {.registers = 32};
    const hd_caches *caches;
    hd_job *job = job_of(arena, m);
    hd_layout *layout = NULL;
    double best = INFINITY;
    if (hd_device_find(arena, diag, name, &device) ||
        (m->layout && hd_layout_parse(arena, diag, &record, m->layout, &layout)))
        exit(2);
    for (int r = 0; r < RUNS; r++) {
        double start = now();
        if (hd_caches_run(arena, diag, trace, device, layout ? job : NULL, layout, &options,
                          &caches))
            exit(2);
        best = fmin(best, now() - start);
    }
    const hd_cache_counts *c = &caches->total.counts;
    double rate = (double)c->sectors / best;
    printf("%-11s %-11s %8s %7s %7s %9s %9.3f %9.3f %8.1f  %s\n", m->name, name,
           hd_show_count(arena, (double)c->sectors),
           hd_show_share(arena, (double)c->l1_hits / (double)c->sectors),
           hd_show_share(arena, c->l2_sectors ? (double)c->l2_hits / (double)c->l2_sectors : 0),
           hd_show_bytes(arena, c->dram_read), best, reading, rate / 1e6,
           rate < required ? "missed" : "met");
    hd_arena_free(arena);
    return rate >= required;
}

static bool make_and_measure(const hd_diag *diag, const made *m) {
    static const char *const devices[] = {"h200", "tesla-k20c", "tesla-m2050", "radeon-fiji"};
    hd_arena *arena = hd_arena_new();
    char path[] = "/tmp/heddle-bench-XXXXXX";
    int fd = mkstemp(path);
    hd_trace *trace;
    bool reached = true;
    if (fd < 0 || close(fd))
        exit(2);
    write_trace(arena, diag, m, path);
    if (hd_trace_open(arena, diag, path, &trace))
        exit(2);
    double reading = time_reading(diag, trace);
    for (size_t d = 0; d < sizeof devices / sizeof *devices; d++)
        reached = measure(diag, m, trace, devices[d], reading) && reached;
    hd_trace_close(trace);
    unlink(path);
    hd_arena_free(arena);
    return reached;
}

int main(void) {
    hd_printer printer = {.out = stderr};
    const hd_diag diag = {hd_print_message, &printer};
    bool reached = true;
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (uint32_t f = 0; f < FIELDS; f++)
        fields[f] = (hd_field){(const char *const[]){"x", "y", "z", "vx", "vy", "vz", "mass"}[f],
                               "float",
                               4 * f,
                               4,
                               4,
                               1,
                               NULL};
    printf("%-11s %-11s %8s %7s %7s %9s %9s %9s %8s\n", "trace", "device", "sectors", "L1", "L2",
           "DRAM", "seconds", "reading", "M/s");
    for (size_t t = 0; t < sizeof traces / sizeof *traces; t++)
        reached = make_and_measure(&diag, &traces[t]) && reached;
    printf("required: %.0f million sectors in a second by one core: %s\n", required / 1e6,
           reached ? "met" : "missed");
    return !reached;
}
