/*
 * What a launch does, for the model of time (model/time.h), from what was counted of its runs:
 *
 *     hd_time_work work = {0};
 *     for each run of the launch
 *         hd_time_work_add(&work, 1, requests), hd_time_work_add_served(&work, caches, row);
 *     hd_time_work_end(&work, launch, device, 1, counts);
 */
#ifndef HD_TIME_WORK_H
#define HD_TIME_WORK_H

#include "analysis/cache.h"
#include "analysis/coalesce.h"
#include "machine/vm.h"
#include "model/time.h"

/* A run: what its warps asked for of global memory, where `times` as many blocks as were counted are all of
 * it. And what caches served, which may have simulated fewer: launch `row` of them. */
void hd_time_work_add(hd_time_work *work, double times, const hd_coalesce_counts *moved);
void hd_time_work_add_served(hd_time_work *work, const hd_caches *caches, uint32_t row);
/* All runs were added, whose blocks did what `counts` has, again `times` as much in all: adds the sizes of the
 * launch and its instructions. Passes of banks are the caller's. */
void hd_time_work_end(hd_time_work *work, const hd_launch *launch, const hd_device *device,
                      double times, const hd_vm_counts *counts);

#endif
