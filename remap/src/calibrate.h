/*
 * What is measured of a device and kept: for the plan, and which kernels are fastest. Private.
 */
#ifndef HD_REMAP_CALIBRATE_H
#define HD_REMAP_CALIBRATE_H

#include "remap/remap_kernels.h"

/* Of moves in one direction; seconds, and bytes of the source for each. */
typedef struct hd_remap_transfer_figures {
    double latency;  /* of a move of next to nothing */
    double chunk;    /* that one more chunk costs */
    double transfer; /* bytes per second in one piece */
    double staged;   /* the same in chunks, from memory that is not pinned */
    double overlap;  /* of transfers and kernels: 0 they follow each other, 1 the shorter is free */
} hd_remap_transfer_figures;

/* Of a kind of map in one direction; bytes of the source per second. All were measured by turns, so
 * whatever the machine did beside, they can be held against each other. */
typedef struct hd_remap_kind_figures {
    double transfer;  /* in one piece */
    double remap;     /* by the device, in its memory; 0: not measured yet */
    double host;      /* by the host, with the transfer */
    double zero_copy; /* by the device, out of the host's memory; 0: it cannot */
    hd_remap_tuning tuning;
    bool settled; /* measured twice, and both times the same strategy was the fastest */
    double in_place[HD_REMAP_PLACEMENTS]; /* by the host, in memory in place; 0: not measured yet */
} hd_remap_kind_figures;

enum { HD_REMAP_KINDS = HD_REMAP_USER + 1 };

/* What moves of a map in one direction have taken. */
enum { HD_REMAP_LESSONS = 32, HD_REMAP_LATEST = 3 };
typedef struct hd_remap_lesson {
    uint64_t map;                                         /* a hash; 0: none, nor any after it */
    double seconds[HD_REMAP_STRATEGIES][HD_REMAP_LATEST]; /* the latest first; 0: not yet */
    uint32_t moves, trials; /* since the strategy changed; that were made by another one */
} hd_remap_lesson;

typedef struct hd_remap_figures {
    hd_remap_transfer_figures transfers[2];
    hd_remap_kind_figures kinds[HD_REMAP_KINDS][2];
    hd_remap_lesson lessons[HD_REMAP_LESSONS]; /* the map that was moved last first */
} hd_remap_figures;

/* How the map's kernels are to be made, as far as it is known. */
hd_remap_tuning hd_remap_tuning_of(hd_remap_device *device, const hd_remap *map,
                                   hd_remap_direction direction);

/* The device's figures for a map and a direction: what is missing is measured, and kept. So is what
 * was measured once, by another process. */
hd_status hd_remap_calibrate(const hd_diag *diag, hd_remap_device *device, hd_remap_kind kind,
                             hd_remap_direction direction);

/* The same of the host's remap in memory in place. */
hd_status hd_remap_calibrate_in_place(const hd_diag *diag, hd_remap_device *device,
                                      hd_remap_kind kind, hd_remap_direction direction,
                                      hd_remap_placement placement);

/* ---- lessons.c ---------------------------------------------------------------------- */

/* That of the map, until another one is asked for; NULL: there is none, or the map is too small. */
hd_remap_lesson *hd_remap_lesson_of(hd_remap_device *device, const hd_remap *map,
                                    hd_remap_direction direction, bool make);
/* The seconds that three moves by the strategy have told; 0: there were not so many. */
double hd_remap_learned(const hd_remap_lesson *lesson, hd_remap_strategy strategy);
/* What was learned takes the place of what was promised. */
void hd_remap_apply_lesson(const hd_remap_lesson *lesson, hd_remap_choice *choice);
/* The strategy for the next move: the choice's, or one that is to be tried. */
hd_remap_strategy hd_remap_to_try(const hd_remap_lesson *lesson, const hd_remap_choice *choice);
/* A move for which the plan was `choice` has been made by the strategy `used`. */
void hd_remap_learn(hd_remap_device *device, const hd_remap *map, hd_remap_direction direction,
                    const hd_remap_choice *choice, hd_remap_strategy used, double seconds);

/* ---- figures.c: the file ------------------------------------------------------------ */

/* What the user's cache has for the device; all zeros where it has nothing, or a file that is
 * damaged. */
void hd_remap_figures_read(const hd_compute *gpu, hd_remap_figures *figures);
/* Where it cannot be written, the figures are measured again by the next process. */
void hd_remap_figures_write(const hd_compute *gpu, const hd_remap_figures *figures);
/* The file's path, in `arena`; NULL: there is no place for it. */
char *hd_remap_figures_path(hd_arena *arena, const hd_compute *gpu);

#endif
