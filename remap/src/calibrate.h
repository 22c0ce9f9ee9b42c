/*
 * What is measured of a device, once, and kept: for the plan, and which kernels are fastest.
 * Private.
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

/* Of a kind of map in one direction; bytes of the source per second. */
typedef struct hd_remap_kind_figures {
    double remap;     /* by the device, in its memory; 0: not measured yet */
    double host;      /* by the host, with the transfer */
    double zero_copy; /* by the device, out of the host's memory; 0: it cannot */
    hd_remap_tuning tuning;
    double in_place[HD_REMAP_PLACEMENTS]; /* by the host, in memory in place; 0: not measured yet */
} hd_remap_kind_figures;

enum { HD_REMAP_KINDS = HD_REMAP_USER + 1 };

typedef struct hd_remap_figures {
    hd_remap_transfer_figures transfers[2];
    hd_remap_kind_figures kinds[HD_REMAP_KINDS][2];
} hd_remap_figures;

/* How the map's kernels are to be made, as far as it is known. */
hd_remap_tuning hd_remap_tuning_of(hd_remap_device *device, const hd_remap *map,
                                   hd_remap_direction direction);

/* The device's figures for a map and a direction: what is missing is measured, and kept. */
hd_status hd_remap_calibrate(const hd_diag *diag, hd_remap_device *device, hd_remap_kind kind,
                             hd_remap_direction direction);

/* The same of the host's remap in memory in place. */
hd_status hd_remap_calibrate_in_place(const hd_diag *diag, hd_remap_device *device,
                                      hd_remap_kind kind, hd_remap_direction direction,
                                      hd_remap_placement placement);

/* ---- figures.c: the file ------------------------------------------------------------ */

/* What the user's cache has for the device; all zeros where it has nothing, or a file that is
 * damaged. */
void hd_remap_figures_read(const char *device, const char *driver, hd_remap_figures *figures);
/* Where it cannot be written, the figures are measured again by the next process. */
void hd_remap_figures_write(const char *device, const char *driver,
                            const hd_remap_figures *figures);
/* The file's path, in `arena`; NULL: there is no place for it. */
char *hd_remap_figures_path(hd_arena *arena, const char *device, const char *driver);

#endif
