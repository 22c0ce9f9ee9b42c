#include "analysis/throttle.h"

uint32_t hd_throttle_local_bytes(const hd_device *device, uint32_t blocks) {
    enum { ALIGN = 128 };
    uint32_t most = device->shared / blocks, least = device->shared / (blocks + 1) + 1;
    uint32_t bytes = (uint32_t)((uint64_t)most + least) / 2 / ALIGN * ALIGN;
    return bytes >= least ? bytes : 0;
}

/* The device as it is with that much of its shared memory taken: L1 loses it where both are one
 * storage, and then L1 is the larger one. Sets lose ways. */
static hd_device padded(const hd_device *device, uint64_t taken) {
    hd_device d = *device;
    if (!d.shared || !d.l1.ways || d.l1.size <= d.shared)
        return d;
    uint64_t set = d.l1.size / d.l1.ways, left = d.l1.size - taken;
    d.l1.ways = left > set ? (uint32_t)(left / set) : 1;
    d.l1.size = set * d.l1.ways;
    return d;
}

double hd_price_of_bytes(const hd_device *device, const hd_cache_counts *c) {
    return device->w_l2 * (double)c->l2_bytes +
           device->w_dram * (double)(c->dram_read + c->dram_written);
}

/* Of the launches that were simulated, the most blocks on an SM, and threads on it then. */
static uint32_t most_blocks(const hd_caches *caches, uint64_t *threads) {
    uint32_t most = 0;
    *threads = 0;
    for (uint32_t l = 0; l < caches->launch_count; l++) {
        const hd_cache_launch *launch = &caches->launches[l];
        uint64_t held = launch->launch->block_threads * (uint64_t)launch->blocks_per_sm;
        most = launch->blocks_per_sm > most ? launch->blocks_per_sm : most;
        *threads = held > *threads ? held : *threads;
    }
    return most;
}

typedef struct trying {
    hd_arena *arena;
    const hd_diag *diag;
    hd_trace *trace;
    const hd_device *device;
    const hd_job *job;
    const hd_layout *layout;
    hd_caches_options options;
    bool complete;
} trying;

/* 0 blocks: as many as fit. */
static hd_status try_number(trying *t, uint32_t blocks, hd_throttled *row) {
    uint32_t bytes = blocks ? hd_throttle_local_bytes(t->device, blocks) : 0;
    const hd_device device = padded(t->device, (uint64_t)bytes * blocks);
    const hd_caches *caches;
    uint64_t threads;
    t->options.blocks_at_once = blocks;
    hd_status status = hd_caches_run(t->arena, t->diag, t->trace, &device, t->job, t->layout,
                                     &t->options, &caches);
    if (status)
        return status;
    t->complete = caches->complete;
    uint32_t most = most_blocks(caches, &threads);
    *row = (hd_throttled){.blocks_at_once = most,
                          .occupancy = (double)threads / t->device->max_threads,
                          .local_bytes = bytes,
                          .l1_bytes = device.l1.size,
                          .sum = caches->total,
                          .price = hd_price_of_bytes(t->device, &caches->total.counts)};
    return HD_OK;
}

hd_status hd_throttle(hd_arena *arena, const hd_diag *diag, hd_trace *trace,
                      const hd_device *device, const hd_job *job, const hd_layout *layout,
                      const hd_caches_options *options, const hd_throttling **throttling) {
    enum { MOST_ROWS = 33 };
    trying t = {arena, diag, trace, device, job, layout, *options};
    hd_throttling *result = hd_new(arena, hd_throttling);
    result->rows = hd_new_array(arena, hd_throttled, MOST_ROWS);
    hd_throttled full;
    hd_status status = try_number(&t, 0, &full);
    for (uint32_t n = 1; !status && t.complete && n < full.blocks_at_once; n *= 2)
        status = try_number(&t, n, &result->rows[result->row_count++]);
    *throttling = result;
    if (status || !t.complete)
        return status;
    result->complete = true;
    result->best = result->row_count;
    result->rows[result->row_count++] = full;
    for (uint32_t r = result->best; r-- > 0;)
        if (result->rows[r].price < (1 - HD_THROTTLE_SAVES) * full.price &&
            result->rows[r].price < result->rows[result->best].price)
            result->best = r;
    result->rows[result->best].chosen = true;
    return HD_OK;
}

/* ---- what a reader sees ---------------------------------------------------------------------- */

HD_GETTER(mark_of, hd_throttled, hd_text(row->chosen ? "yes" : ""))

const hd_member hd_throttled_members[] = {
    {"blocks_at_once", "blocks at once", HD_PLAIN, HD_AT(hd_throttled, blocks_at_once)},
    {"occupancy", "occupancy", HD_SHARE, HD_AT(hd_throttled, occupancy)},
    {"local_bytes", "padded to", HD_BYTES, HD_AT(hd_throttled, local_bytes)},
    {"l1_bytes", "L1", HD_BYTES, HD_AT(hd_throttled, l1_bytes)},
    {"l2_bytes", "from L2", HD_BYTES, HD_AT(hd_throttled, sum.counts.l2_bytes)},
    {"dram_read", "from DRAM", HD_BYTES, HD_AT(hd_throttled, sum.counts.dram_read)},
    {"dram_written", "to DRAM", HD_BYTES, HD_AT(hd_throttled, sum.counts.dram_written)},
    {"chosen", HD_AT(hd_throttled, chosen)},
    {NULL, "chosen", HD_PLAIN_WORD, .get = mark_of},
    {0}};
