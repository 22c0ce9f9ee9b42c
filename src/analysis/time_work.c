/* Counts of launches for the model of time (time_work.h). */
#include "analysis/time_work.h"

static double share_of(uint64_t part, uint64_t all) { return all ? (double)part / (double)all : 0; }

/* Until the end `active` is the sum of lanes, and hits are those of the runs. */
void hd_time_work_add(hd_time_work *w, double times, const hd_coalesce_counts *moved) {
    w->runs++;
    w->requests += times * (double)moved->requests;
    w->l1_bytes += times * (double)moved->bytes_moved;
    w->active += times * (double)moved->lane_accesses;
}

void hd_time_work_add_served(hd_time_work *w, const hd_caches *caches, uint32_t row) {
    const hd_cache_launch *l = &caches->launches[row];
    const hd_cache_counts *c = &l->sum.counts;
    const double times = l->blocks ? (double)l->launch->block_count / (double)l->blocks : 1;
    const double l1 = share_of(c->l1_hits, c->sectors);
    w->registers = l->registers;
    w->lines += times * (double)c->lines;
    w->l2_bytes += times * (double)c->l2_sectors * caches->sector;
    w->l2_partial += times * (double)c->l2_partial * caches->sector;
    w->dram_rows += times * (double)c->dram_rows;
    w->hottest += times * l->hottest;
    w->dram_bytes += times * ((double)c->dram_read + (double)c->dram_written);
    w->energy.l1_bytes += times * (double)c->sectors * caches->sector;
    w->energy.l2_bytes += times * (double)c->l2_bytes;
    w->energy.dram_bytes += times * ((double)c->dram_read + (double)c->dram_written);
    w->l1_hits += l1;
    w->l2_hits += (1 - l1) * share_of(c->l2_hits, c->l2_sectors);
}

void hd_time_work_end(hd_time_work *w, const hd_launch *launch, const hd_device *device,
                      double times, const hd_vm_counts *counts) {
    const hd_grid grid = hd_grid_of(launch->dims, launch->global, launch->local);
    const uint64_t *of = counts->operations;
    w->l1_hits /= w->runs;
    w->l2_hits /= w->runs;
    w->active = w->requests > 0 ? w->active / (w->requests * device->warp) : 1;
    w->blocks = grid.block_count;
    w->block_threads = (uint32_t)grid.block_threads;
    w->integer = times * (double)of[HD_ISSUED_INTEGER];
    w->fp32 = times * (double)of[HD_ISSUED_FP32];
    w->fp64 = times * (double)of[HD_ISSUED_FP64];
    w->special = times * (double)of[HD_ISSUED_SPECIAL];
    w->barriers = times * (double)of[HD_ISSUED_BARRIER];
    w->waits = times * (double)of[HD_ISSUED_WAIT];
    w->energy.fp32 = times * (double)of[HD_OPERATION_FP32];
    w->energy.fp64 = times * (double)of[HD_OPERATION_FP64];
    w->energy.integer = times * (double)of[HD_OPERATION_INTEGER];
}
