/*
 * The figures of a profile, in one table that both forms (YAML and synthetic)
 * are read by and printed from. Private to this folder.
 */
#ifndef HD_DEVICE_INTERNAL_H
#define HD_DEVICE_INTERNAL_H

#include "device/device.h"

/* What the text of a part says. */
typedef enum device_part { PART_NUMBER, PART_SIZE, PART_REAL, PART_WORD, PART_TILES } device_part;

/* A figure is made of parts, side by side in hd_device: from one (32, half-warp) to eight (energy). */
enum { DEVICE_MAX_PARTS = 8 };
typedef struct device_kind {
    device_part type; /* of each part; behind a size stand numbers */
    char separator[2];
    size_t fewest, count;
    const char *names[DEVICE_MAX_PARTS]; /* of the parts, in YAML */
    const char *like, *in_yaml;          /* examples */
    const char *called;                  /* what the parts are, in messages */
} device_kind;

typedef struct device_figure {
    const char *key; /* the same word in both forms */
    const device_kind *kind;
    size_t offset;            /* of its (first) member in hd_device */
    const char *fallback;     /* of a synthetic form that leaves it out; NULL: must be given */
    bool optional;            /* a YAML profile may leave it out, too */
    bool quiet;               /* not printed where it is as the fallback */
    const char *const *words; /* of a word: those that it can be, then NULL */
} device_figure;

enum { DEVICE_FIGURES = 26 };
extern const device_figure device_figures[DEVICE_FIGURES];

/* Sets a figure from the text of its parts; those behind `count` become 0. Returns NULL, or what is
 * wrong. */
const char *device_figure_set(hd_arena *arena, hd_device *device, const device_figure *figure,
                              const char *const *parts, size_t count);

/* The same from one text as the synthetic form has it. */
const char *device_figure_read(hd_arena *arena, hd_device *device, const device_figure *figure,
                               const char *text);

/* Adds the value as the synthetic form has it: parts with '/' or ',' between them, and no blank. */
void device_figure_print(hd_str *s, const hd_device *device, const device_figure *figure);

/* What is wrong with the numbers, and with which figure; NULL when nothing is. */
const char *device_fault(const hd_device *device, const char **key);

#endif
