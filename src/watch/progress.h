/*
 * How far a launch is that takes long: a line on standard error, where that is a terminal, in a process
 * that is counted or recorded. It goes when the launch ends, or something else is said.
 *
 *     heddle: heat: launch 12, 34% of its blocks, about 8 s left
 *
 * HEDDLE_WATCH_OPTIONS or HEDDLE_RECORD_OPTIONS that begin with the word "quiet" ask for none.
 */
#ifndef HD_PROGRESS_H
#define HD_PROGRESS_H

#include "base/base.h"
#include "heddle/ptx.h"

typedef struct hd_progress hd_progress;

/* NULL: none is wanted. All of the following do nothing then. */
hd_progress *hd_progress_new(hd_arena *arena);
/* The machine is to tell how far it is. */
void hd_progress_options(hd_progress *progress, hd_ptx_options *options);
/* Before a launch of a kernel, and after it. */
void hd_progress_launch(hd_progress *progress, const char *title);
void hd_progress_launched(hd_progress *progress);
/* Something else is printed next. */
void hd_progress_erase(hd_progress *progress);

#endif
