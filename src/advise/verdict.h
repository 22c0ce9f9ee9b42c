/*
 * The answer in one line: what to do, what it gains, and how sure that is.
 *
 * A static cost is as good as what it takes for granted: loops whose length is not known,
 * conditions on data, indices that are read from memory. hd_basis_of() adds up how much of a cost
 * rests on such guesses, and names them.
 */
#ifndef HD_ADVISE_VERDICT_H
#define HD_ADVISE_VERDICT_H

#include "model/cost.h"

/* ---- basis.c: what a static cost rests on ------------------------------------------- */

typedef enum hd_guess_kind {
    HD_GUESS_LOOP,      /* a loop of unknown length, taken as `length` iterations */
    HD_GUESS_EXIT,      /* one that may end early, taken to run to its end */
    HD_GUESS_CONDITION, /* accesses under conditions on data, taken to hold */
    HD_GUESS_GATHER,    /* lanes that may point anywhere, taken to share no segment */
    HD_GUESS_INDEX,     /* indices that a warp shares, not known: taken to be any */
    HD_GUESS_PART,      /* one of several fields, each taken to be met equally often */
    /* What Heddle made up of the job (made_up.h); shares of the cost are not known: */
    HD_GUESS_CONTENTS,
    HD_GUESS_COUNT,
    HD_GUESS_VALUE,
    HD_GUESS_SIZES
} hd_guess_kind;
const char *hd_guess_name(hd_guess_kind kind); /* "loop", "exit", "condition", ... */

typedef struct hd_guess {
    hd_guess_kind kind;
    const hd_kernel_info *info; /* NULL: made up */
    const char *kernel;         /* NULL: of a buffer */
    int32_t loop;               /* that it is of, or that the accesses stand in; -1: none */
    uint32_t line, last_line;   /* of the loop, or of the accesses */
    uint64_t length;            /* of a loop; else 0 */
    const char *text;           /* "loop at line 40 taken as 100 iterations" */
    double share;               /* of the cost, with the lengths that are taken */
} hd_guess;

typedef struct hd_basis {
    double assumed;    /* share of the cost that rests on at least one guess */
    hd_guess *guesses; /* those with most of the cost first */
    uint32_t count;
} hd_basis;

/* Of what hd_cost_of_layout() has in `lines`, under these options. */
hd_basis hd_basis_of(hd_arena *arena, const hd_cost_line *lines, size_t count,
                     const hd_cost_options *options);
/* Adds what of the job is made up. */
void hd_basis_add_made_up(hd_arena *arena, const hd_job *job, hd_basis *basis);
/* "static cost; 97% of it rests on assumptions: loop at line 40 taken as 100 iterations". The
 * largest guesses are named. */
const char *hd_basis_print(hd_arena *arena, const hd_basis *basis);

/* ---- verdict.c ---------------------------------------------------------------------- */

typedef struct hd_verdict {
    const hd_record *record;
    const char *unknown;      /* why nothing can be told; NULL: something can */
    const hd_layout *layout;  /* to take; NULL: leave it as it is */
    double ratio;             /* of its cost to the original's */
    const char *basis;        /* what that rests on, in words */
    hd_objective objective;   /* that ratios are of: of the time it is the cost */
    bool slower;              /* `layout` is NULL since what costs less takes longer */
    const char *saved;        /* what less moves, hd_saving_print(); or NULL */
    const char *const *apart; /* fields that are taken apart first */
    uint32_t apart_count;
    /* A layout that costs less, but that the sources cannot be put in; NULL: none. Where `layout`
     * is NULL no other one was possible either. */
    const hd_layout *refused;
    double refused_ratio;
    const char *why_refused;
} hd_verdict;

/* One sentence without its full stop: "take soa, at 0.143 of the cost of AoS (static cost; all of
 * it follows from the source)". */
const char *hd_verdict_print(hd_arena *arena, const hd_verdict *verdict);

/* Of two layouts that do the same: the level where `after` saves most of the energy, as "it moves 2.1x
 * fewer bytes from memory"; NULL: it saves none. */
const char *hd_saving_print(hd_arena *arena, const hd_device *device,
                            const hd_energy_counts *before, const hd_energy_counts *after);

#endif
