/*
 * SELECT-TILESIZE: from the bytes of a cluster to its tile, by what a decision tree learned from
 * measurements (Kofler, Cosenza and Fahringer, "Automatic Data Layout Optimizations for GPUs",
 * Euro-Par 2015, section 3.2). The tree has one attribute, the bytes; so what it says is a step
 * function, and that is kept of it. model/tile_learn.h learns it; a device profile can have one.
 *
 * A tile is a proposal: nothing here knows the program. What a tile gains a race says (model/race.h).
 */
#ifndef HD_TILE_STEPS_H
#define HD_TILE_STEPS_H

#include "layout/layout.h"

/* The tiles that are told apart: AoS, 2, 4, ..., 2^15, SoA. */
enum { HD_TILE_CLASSES = 17 };
uint64_t hd_tile_of_class(uint32_t class);
/* HD_TILE_CLASSES when it is none of them. */
uint32_t hd_tile_class(uint64_t tile);

/* The tile for clusters of more bytes than the step before goes to. */
typedef struct hd_tile_step {
    uint64_t up_to; /* bytes, ascending; UINT64_MAX in the last one */
    uint64_t tile;  /* another one than that of the step before */
} hd_tile_step;
typedef hd_vec(hd_tile_step) hd_tile_steps;

uint64_t hd_tile_select(const hd_tile_steps *steps, uint64_t bytes);
/* Adds a step behind the last one, or to it when it is of the same tile. */
void hd_tile_steps_add(hd_arena *arena, hd_tile_steps *steps, uint64_t up_to, uint64_t tile);

/* On one line: "1024 to 12, 512 to 20, AoS". */
const char *hd_tile_steps_print(hd_arena *arena, const hd_tile_steps *steps);
/* The same without blanks: "1024-12,512-20,AoS". */
const char *hd_tile_steps_word(hd_arena *arena, const hd_tile_steps *steps);
/* Such a line, or such a word. */
hd_status hd_tile_steps_parse(hd_arena *arena, const hd_diag *diag, const char *text,
                              hd_tile_steps **steps);
/* For reading: a line for each step, indented by two. */
void hd_tile_steps_show(hd_str *out, const hd_tile_steps *steps);

#endif
