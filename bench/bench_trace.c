/*
 * The trace file on streams of events made here: events and megabytes of addresses written
 * and read in a second by one core, and what is left of them in the file.
 *
 *     nbody     uniform and strided, 256 lanes: one event is one byte before zstd
 *     matmul    16x16 blocks: addresses given one by one, the same pattern at moving bases
 *     bitonic   patterns that come back, at the same base
 *     bfs       a random graph of 32,768 nodes, a thread for each: gathers at random
 *     gather    256 random elements of a million
 *     tiny      blocks of three events
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "cli/report/report.h"
#include "trace/trace.h"

enum { LANES = 256, WORDS = LANES / 64, NODES = 32768, DEGREE = 8 };

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint64_t next_random(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* ---- streams of events ---------------------------------------------------------- */

/* Accesses 0 to 7 of 4 bytes, each with a buffer of its own. */
static const hd_event_buffer buffers[8] = {
    {"a", "int", KIR_GLOBAL, 0x10000000, 1 << 26, 4, NULL},
    {"b", "int", KIR_GLOBAL, 0x20000000, 1 << 26, 4, NULL},
    {"c", "int", KIR_GLOBAL, 0x30000000, 1 << 26, 4, NULL},
    {"d", "int", KIR_GLOBAL, 0x40000000, 1 << 26, 4, NULL},
    {"e", "int", KIR_GLOBAL, 0x50000000, 1 << 26, 4, NULL},
    {"f", "int", KIR_GLOBAL, 0x60000000, 1 << 26, 4, NULL},
    {"g", "int", KIR_GLOBAL, 0x70000000, 1 << 26, 4, NULL},
    {"h", "int", KIR_GLOBAL, 0x80000000, 1 << 26, 4, NULL},
};

/* A producer of one block's events. */
typedef struct block {
    const hd_sink *sink;
    void *stream;
    uint64_t number, position;
    uint64_t mask[WORDS], address[LANES];
    uint64_t events, lane_accesses;
} block;

static void emit(block *b, hd_event event) {
    event.threads = LANES;
    event.mask = b->mask;
    for (int w = 0; w < WORDS; w++)
        event.active += (uint32_t)__builtin_popcountll(b->mask[w]);
    if (!event.active)
        return;
    event.position = b->position++;
    b->events++;
    b->lane_accesses += event.active;
    b->sink->event(b->stream, &event);
}
static void emit_strided(block *b, uint32_t access, uint64_t element, int64_t stride) {
    emit(b, (hd_event){
                .access = access, .base = buffers[access].base + element * 4, .stride = stride});
}
static void emit_list(block *b, uint32_t access) {
    emit(b, (hd_event){.access = access, .address = b->address});
}
static void all_active(block *b) { memset(b->mask, 0xff, sizeof b->mask); }

static void nbody(block *b, uint64_t *random) {
    (void)random;
    for (uint32_t a = 0; a < 4; a++)
        emit_strided(b, a, b->number * LANES, 16);
    for (uint64_t j = 0; j < 4096; j++)
        for (uint32_t a = 0; a < 4; a++)
            emit_strided(b, a, j * 4, 0);
}

static void matmul(block *b, uint64_t *random) {
    (void)random;
    for (uint64_t tile = 0; tile < 64; tile++)
        for (uint32_t k = 0; k < 16; k++)
            for (uint32_t a = 0; a < 4; a++) {
                for (uint32_t l = 0; l < LANES; l++)
                    b->address[l] =
                        buffers[a].base + 4 * (a == 0   ? tile * 1024 + l / 16 * 1024 + l % 16
                                               : a == 1 ? tile * 16 + l / 16 * 1024 + l % 16
                                               : a == 2 ? l / 16 * 16 + k
                                                        : k * 16 + l % 16);
                emit_list(b, a);
            }
}

static void bitonic(block *b, uint64_t *random) {
    (void)random;
    for (int repeat = 0; repeat < 64; repeat++)
        for (uint32_t k = 1; k < LANES; k *= 2)
            for (uint32_t j = k; j; j /= 2) {
                for (uint32_t l = 0; l < LANES; l++)
                    b->address[l] = buffers[0].base + 4 * (b->number * LANES + (l ^ j));
                emit_list(b, 0);
            }
}

static void tiny(block *b, uint64_t *random) {
    (void)random;
    for (uint32_t a = 0; a < 3; a++)
        emit_strided(b, a, b->number * LANES, 4);
}

static void gather(block *b, uint64_t *random) {
    for (int repeat = 0; repeat < 4096; repeat++) {
        for (uint32_t l = 0; l < LANES; l++)
            b->address[l] = buffers[0].base + 4 * (next_random(random) % 1000000);
        emit_list(b, 0);
    }
}

/* ---- breadth-first search ------------------------------------------------------- */

typedef struct graph {
    uint32_t first[NODES + 1], target[NODES * DEGREE];
    int level[NODES], next_level[NODES];
} graph;

static graph *graph_new(void) {
    graph *g = calloc(1, sizeof *g);
    if (!g)
        abort();
    uint64_t random = 1;
    for (uint32_t n = 0; n < NODES; n++) {
        uint32_t degree = (uint32_t)(next_random(&random) % (2 * DEGREE));
        g->first[n + 1] = g->first[n];
        for (uint32_t e = 0; e < degree && g->first[n + 1] < NODES * DEGREE; e++)
            g->target[g->first[n + 1]++] = (uint32_t)(next_random(&random) % NODES);
        g->level[n] = n ? -1 : 0;
    }
    return g;
}

static void set_active(block *b, uint32_t lane, bool active) {
    b->mask[lane / 64] &= ~((uint64_t)1 << lane % 64);
    b->mask[lane / 64] |= (uint64_t)active << lane % 64;
}
static void address_of(block *b, uint32_t lane, uint32_t access, uint64_t element) {
    b->address[lane] = buffers[access].base + 4 * element;
}

/* Edge k of every node of this level that has one: read, its target's level read, and
 * written where it is new. False when no node had such an edge. */
static bool bfs_edge(block *b, graph *g, int level, uint32_t k) {
    uint32_t from = (uint32_t)b->number * LANES;
    bool any = false;
    for (uint32_t l = 0; l < LANES; l++) {
        uint32_t n = from + l, e = g->first[n] + k;
        bool active = g->level[n] == level && e < g->first[n + 1];
        set_active(b, l, active);
        address_of(b, l, 3, e);
        any |= active;
    }
    emit_list(b, 3);
    for (uint32_t l = 0; l < LANES; l++)
        if (b->mask[l / 64] >> l % 64 & 1)
            address_of(b, l, 4, g->target[g->first[from + l] + k]);
    emit_list(b, 4);
    for (uint32_t l = 0; l < LANES; l++)
        if (b->mask[l / 64] >> l % 64 & 1) {
            uint32_t target = g->target[g->first[from + l] + k];
            bool fresh = g->level[target] < 0;
            set_active(b, l, fresh);
            address_of(b, l, 5, target);
            if (fresh)
                g->next_level[target] = level + 1;
        }
    emit_list(b, 5);
    return any;
}

static void bfs_block(block *b, graph *g, int level) {
    uint32_t from = (uint32_t)b->number * LANES;
    all_active(b);
    emit_strided(b, 0, from, 4);
    for (uint32_t l = 0; l < LANES; l++)
        set_active(b, l, g->level[from + l] == level);
    emit_strided(b, 1, from, 4);
    emit_strided(b, 2, from + 1, 4);
    for (uint32_t k = 0; bfs_edge(b, g, level, k); k++)
        continue;
}

/* ---- writing, reading ----------------------------------------------------------- */

typedef struct totals {
    uint64_t events, lane_accesses;
} totals;

static hd_event_launch make_launch(uint32_t number, uint64_t blocks,
                                   const hd_event_access *accesses) {
    return (hd_event_launch){.number = number,
                             .kernel = "bench",
                             .dims = 1,
                             .groups = {blocks, 1, 1},
                             .local = {LANES, 1, 1},
                             .block_count = blocks,
                             .block_threads = LANES,
                             .accesses = accesses,
                             .access_count = 8,
                             .buffers = buffers,
                             .buffer_count = 8};
}

typedef void block_fn(block *b, uint64_t *random);

static totals run_blocks(const hd_sink *sink, uint64_t blocks, block_fn *fill,
                         const hd_event_access *accesses) {
    totals sum = {0};
    uint64_t random = 42;
    hd_event_launch launch = make_launch(0, blocks, accesses);
    sink->launch(sink->self, &launch);
    for (uint64_t n = 0; n < blocks; n++) {
        block b = {.sink = sink, .number = n, .stream = sink->open_block(sink->self, n)};
        all_active(&b);
        fill(&b, &random);
        sink->close_block(sink->self, b.stream, n, true);
        sum.events += b.events;
        sum.lane_accesses += b.lane_accesses;
    }
    sink->end_launch(sink->self, true);
    return sum;
}

static totals run_bfs(const hd_sink *sink, const hd_event_access *accesses) {
    totals sum = {0};
    graph *g = graph_new();
    uint64_t visited = 0;
    for (int level = 0; visited != sum.events || !level; level++) {
        visited = sum.events;
        memcpy(g->next_level, g->level, sizeof g->level);
        hd_event_launch launch = make_launch((uint32_t)level, NODES / LANES, accesses);
        sink->launch(sink->self, &launch);
        for (uint64_t n = 0; n < NODES / LANES; n++) {
            block b = {.sink = sink, .number = n, .stream = sink->open_block(sink->self, n)};
            bfs_block(&b, g, level);
            sink->close_block(sink->self, b.stream, n, true);
            sum.events += b.events;
            sum.lane_accesses += b.lane_accesses;
        }
        sink->end_launch(sink->self, true);
        if (!memcmp(g->next_level, g->level, sizeof g->level))
            break;
        memcpy(g->level, g->next_level, sizeof g->level);
    }
    free(g);
    return sum;
}

static void ignore_event(void *stream, const hd_event *event) {
    (void)stream;
    (void)event;
}

static hd_status no_launch(void *self, const hd_event_launch *launch) {
    (void)self;
    (void)launch;
    return HD_OK;
}
static void *no_block(void *self, uint64_t number) {
    (void)number;
    return self;
}
static hd_status no_close(void *self, void *stream, uint64_t number, bool complete) {
    (void)self;
    (void)stream;
    (void)number;
    (void)complete;
    return HD_OK;
}
static hd_status no_end(void *self, bool complete) {
    (void)self;
    (void)complete;
    return HD_OK;
}

static totals produce(const hd_sink *sink, block_fn *fill, uint64_t blocks,
                      const hd_event_access *accesses) {
    return fill ? run_blocks(sink, blocks, fill, accesses) : run_bfs(sink, accesses);
}

static void measure(const hd_diag *diag, const char *name, block_fn *fill, uint64_t blocks) {
    hd_arena *arena = hd_arena_new();
    char path[] = "/tmp/heddle-bench-XXXXXX";
    int fd = mkstemp(path);
    if (fd < 0)
        exit(2);
    close(fd);
    hd_event_access accesses[8];
    for (int32_t a = 0; a < 8; a++)
        accesses[a] =
            (hd_event_access){.kind = HD_LOAD, .space = KIR_GLOBAL, .width = 4, .buffer = a};
    const hd_sink nothing = {NULL, no_launch, no_block, ignore_event, no_close, no_end};
    double start = now();
    totals sum = produce(&nothing, fill, blocks, accesses);
    double making = now() - start;

    hd_trace_writer *writer;
    if (hd_trace_create(arena, diag, path, &(hd_trace_header){.spaces = 2}, &writer))
        exit(2);
    hd_sink sink = hd_trace_sink(writer);
    start = now();
    produce(&sink, fill, blocks, accesses);
    double writing = now() - start - making;
    if (hd_trace_finish(writer, true))
        exit(2);

    hd_trace *trace;
    if (hd_trace_open(arena, diag, path, &trace))
        exit(2);
    double bytes = (double)hd_trace_get(trace)->bytes;
    start = now();
    if (hd_trace_replay(trace, diag, &(hd_trace_choice){-1, 0, UINT64_MAX, 0}, &nothing))
        exit(2);
    double reading = now() - start;
    hd_trace_close(trace);
    unlink(path);
    hd_arena_free(arena);
    double events = (double)sum.events, lanes = (double)sum.lane_accesses;
    printf("%-8s %10.0f %9.1f %12.2f %12.0f %12.2f %12.0f %14.5f\n", name, events, lanes / events,
           events / writing / 1e6, lanes * 8 / writing / 1e6, events / reading / 1e6,
           lanes * 8 / reading / 1e6, bytes / lanes);
}

int main(void) {
    setvbuf(stdout, NULL, _IOLBF, 0);
    hd_printer printer = {.out = stderr};
    const hd_diag diag = {hd_print_message, &printer};
    printf("%-8s %10s %9s %12s %12s %12s %12s %14s\n", "stream", "events", "lanes", "write M ev/s",
           "write MB/s", "read M ev/s", "read MB/s", "bytes per lane");
    measure(&diag, "nbody", nbody, 64);
    measure(&diag, "matmul", matmul, 64);
    measure(&diag, "bitonic", bitonic, 64);
    measure(&diag, "bfs", NULL, 0);
    measure(&diag, "gather", gather, 8);
    measure(&diag, "tiny", tiny, 50000);
    return 0;
}
