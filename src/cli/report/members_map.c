/* Orders of threads and data, and what they do (advise/mapping.h). */
#include <math.h>

#include "cli/report/annotated.h"
#include "cli/report/members.h"

/* ---- a step -------------------------------------------------------------------------------- */

HD_GETTER(each_of, hd_map_step,
          row->counts.requests
              ? hd_real((double)row->counts.transactions / (double)row->counts.requests)
              : hd_null())
HD_GETTER(l1_of, hd_map_step,
          row->caches.sectors ? hd_real((double)row->caches.l1_hits / (double)row->caches.sectors)
                              : hd_null())
HD_GETTER(dram_of, hd_map_step, hd_whole(row->caches.dram_read + row->caches.dram_written))

const hd_member hd_map_step_columns[] = {
    {NULL, "step", HD_AT(hd_map_step, name)},
    {NULL, "transactions", HD_COUNT, HD_AT(hd_map_step, counts.transactions)},
    {NULL, "each", HD_DIGITS, .get = each_of},
    {NULL, "L1", HD_SHARE, .get = l1_of},
    {NULL, "from L2", HD_BYTES, HD_AT(hd_map_step, caches.l2_bytes),
     HD_IF(hd_map_step, caches.requests)},
    {NULL, "DRAM", HD_BYTES, .get = dram_of, HD_IF(hd_map_step, caches.requests)},
    {NULL, "made in", HD_SECONDS, HD_AT(hd_map_step, seconds), HD_IF(hd_map_step, seconds)},
    {0}};

/* What is known without running anything. */
const hd_member hd_map_graph_columns[] = {
    {NULL, "step", HD_AT(hd_map_step, name)},
    {NULL, "transactions", HD_COUNT, HD_AT(hd_map_step, counts.transactions)},
    {NULL, "each", HD_DIGITS, .get = each_of},
    {NULL, "of blocks", HD_BYTES, HD_AT(hd_map_step, block_bytes)},
    {NULL, "reuse distances", HD_COUNT, HD_AT(hd_map_step, reuse_distances)},
    {NULL, "made in", HD_SECONDS, HD_AT(hd_map_step, seconds), HD_IF(hd_map_step, seconds)},
    {0}};

HD_GETTER(pays_after, hd_map_step,
          isfinite(row->pays_after) ? hd_whole((uint64_t)row->pays_after) : hd_null())

const hd_member hd_map_time_columns[] = {
    {NULL, "step", HD_AT(hd_map_step, name)},
    {NULL, "time", HD_SECONDS, HD_AT(hd_map_step, time.median)},
    {NULL, "runs", HD_AT(hd_map_step, time.repeats)},
    {NULL, "speed-up", HD_RATIO, HD_AT(hd_map_step, speedup)},
    {NULL, "low", HD_RATIO, HD_AT(hd_map_step, speedup_low)},
    {NULL, "high", HD_RATIO, HD_AT(hd_map_step, speedup_high)},
    {NULL, "pays after", HD_COUNT, .get = pays_after},
    {0}};

static const hd_member reuse_members[] = {HD_SAME(hd_map_reuse, scenario, degree, first, domain),
                                          {0}};
static const hd_member time_members[] = {{HD_IN(hd_map_step, time), .of = hd_timing_members},
                                         HD_SAME(hd_map_step, speedup, speedup_low, speedup_high),
                                         {"pays_after", .get = pays_after},
                                         {0}};
HD_GETTER(has_order, hd_map_step, hd_bool(row->orders))
HD_GETTER(reuse_of, hd_map_step, hd_rows(row->reuse, row->reuse_count))

const hd_member hd_map_step_members[] = {
    HD_SAME(hd_map_step, name, what),
    {"threads", .get = has_order},
    {"data", HD_AT(hd_map_step, data)},
    {"numbering", HD_VIA(hd_map_step, numbering, HD_AT, name)},
    {"requests", HD_AT(hd_map_step, counts.requests)},
    {"transactions", HD_AT(hd_map_step, counts.transactions)},
    {"bytes_moved", HD_AT(hd_map_step, counts.bytes_moved)},
    {"bytes_used", HD_AT(hd_map_step, counts.bytes_used)},
    {"caches", HD_IN(hd_map_step, caches), HD_IF(hd_map_step, caches.requests),
     .of = hd_cache_count_members},
    {"reuse", .get = reuse_of, .of = reuse_members},
    HD_SAME(hd_map_step, block_bytes, reuse_distances, seconds),
    {"bit_equal", HD_AT(hd_map_step, bit_equal), HD_IF(hd_map_step, job)},
    {"time", HD_SELF, HD_IF(hd_map_step, time.repeats), .of = time_members},
    {0}};

/* ---- a launch ------------------------------------------------------------------------------ */

const hd_member hd_map_launch_members[] = {
    {"launch", HD_AT(hd_map_launch, launch)},
    {"kernel", HD_AT(hd_map_launch, kernel)},
    {"threads", HD_AT(hd_map_launch, threads)},
    {"block_threads", HD_AT(hd_map_launch, block_threads)},
    {"together", HD_AT(hd_map_launch, together)},
    HD_SAME(hd_map_launch, untouched, moved),
    {"transactions", HD_AT(hd_map_launch, before.transactions)},
    {"transactions_after", HD_AT(hd_map_launch, after.transactions)},
    {"requests", HD_AT(hd_map_launch, before.issues)},
    {"requests_after", HD_AT(hd_map_launch, after.issues)},
    {0}};
