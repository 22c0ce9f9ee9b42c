/*
 * Which blocks of a program's launches are counted, so that counting costs no more than a given
 * share of the time that the program takes without it.
 *
 * Of each kernel, at each size, the first blocks are counted, all of them, until they have taken
 * FULL_SECONDS. What counting costs is known by then, and from there on one block out of every
 * `group` is counted, chosen at random, and stands for its group:
 *
 *     blocks    0 1 2 3 4 5 6 | 7 8 9 10 | 11 12 13 14 | 15 ...
 *     counted   . . . . . . .       .      .
 *     weight    1 1 1 1 1 1 1       4      4
 *
 * so that sums of weight times count are estimates without bias (stratified sampling, one block of
 * each stratum: Cochran, Sampling Techniques, chapter 5A). Groups go on from one launch to the next
 * one of the same kernel and size, so that launches of few blocks are sampled, too. How large a group
 * is follows from what blocks took before it, counted and not. A size that is new to a kernel which
 * has had its full part is sampled at once, as large as groups of the other sizes would be; it has
 * a full part of its own only while all counting so far is within the share.
 *
 * Not safe for threads: the machine's calls of a sink for one launch come one at a time.
 */
#ifndef HD_SAMPLING_H
#define HD_SAMPLING_H

#include "base/base.h"

typedef struct hd_sampling hd_sampling; /* of a program */
typedef struct hd_sampled hd_sampled;   /* of a kernel, at one size */

/* `overhead` as a share: 0.2. Negative: all blocks are counted. In the arena. */
hd_sampling *hd_sampling_new(hd_arena *arena, double overhead);
/* Sizes are blocks of a grid and threads of a block, in three dimensions. */
hd_sampled *hd_sampling_of(hd_sampling *sampling, const char *kernel, const uint32_t grid[3],
                           const uint32_t block[3]);
/* True where none of the next `blocks` ones is to be counted; then they have come. */
bool hd_sampled_skips(hd_sampled *sampled, uint64_t blocks);
/* The next block comes: 0 where it is not counted, else how many it stands for. */
uint64_t hd_sampled_next(hd_sampled *sampled);
/* All of these come and are counted, each for itself, whatever the group says. */
void hd_sampled_count_all(hd_sampled *sampled, uint64_t blocks);
/* A block has ended after so many seconds of its thread. */
void hd_sampled_ran(hd_sampled *sampled, bool counted, double seconds);
/* Counting has taken so many seconds besides those of blocks. */
void hd_sampled_spent(hd_sampled *sampled, double seconds);

/* What has come of a kernel at all its sizes, and was counted; sums of counts times `scale` stand for
 * all that has come, also of groups that are not full. */
typedef struct hd_sampling_share {
    uint64_t blocks, counted;
    double scale;
} hd_sampling_share;
hd_sampling_share hd_sampling_share_of(const hd_sampling *sampling, const char *kernel);

#endif
