/*
 * fuzz_files: damaged inputs of every kind that Heddle reads, against the program itself.
 *
 * A kind of input is a row of a table (kinds.c): the sound inputs to start from, what damages
 * one, and the calls of heddle that read it. Each call runs in a folder of its own with a limit on
 * its memory and its time (call.c), and has to end as a command ends: status 0 or 1; 2 after a
 * message, with nothing written; 130 soon after a signal. Everything else is a finding, and is
 * kept with the call that showed it.
 *
 * Sound inputs, tests/fuzz/corpus/KIND/, and those that once were findings, wrong/ there and, where
 * they are long, crafted.c, are the corpus: it is all tried first, as it is.
 */
#ifndef HD_FUZZ_FILES_H
#define HD_FUZZ_FILES_H

#include "base/base.h"

typedef struct bytes {
    uint8_t *data; /* of malloc */
    size_t length, room;
} bytes;

void bytes_set(bytes *b, const void *data, size_t length);
/* Puts `length` bytes in the place of `count` at `at`; NULL data: zeros. */
void bytes_replace(bytes *b, size_t at, size_t count, const void *data, size_t length);

typedef hd_vec(bytes) bytes_list;

/* ---- kinds.c ------------------------------------------------------------------- */

/* Changes `input`, one of `seeds`, at random. */
typedef void damage_fn(uint64_t *random, const bytes_list *seeds, bytes *input);

typedef struct limits {
    const char *program; /* heddle */
    const char *folder;  /* where calls run; files that are written are in its folder `out` */
    double seconds;      /* of processor time, after which a call is asked to end; then 1 more */
    unsigned megabytes;
} limits;

/* What is in the folder: sums of hashes of the files that a kind's inputs name, and of others. */
typedef struct folder_state {
    uint64_t named, others;
} folder_state;

enum { MOST_CALLS = 6, MOST_WORDS = 12 };

typedef struct kind {
    const char *name;   /* and of its folder in the corpus */
    const char *ending; /* of a file */
    damage_fn *damage;
    bool is_database;     /* which calls use: not named in them */
    bool may_want_memory; /* an input may say so much data that the call ends for want of memory */
    const char *seeds[3]; /* sound ones, by name from the root of the source */
    const char *made[MOST_CALLS][MOST_WORDS]; /* calls that make some: in "+" or as output */
    /* What reads it, as words: "@" is the file, "$" its text, "+" a file to write; other names
     * are of the folder that begin_folder() has filled. Ends with NULL. */
    const char *calls[MOST_CALLS][MOST_WORDS];
    /* Before and after each call, where it needs more than that; after: what was wrong, or NULL. */
    folder_state (*begin)(hd_arena *arena, const limits *l, const char *path, const bytes *input);
    const char *(*check)(const limits *l, folder_state before, bool refused);
} kind;

extern const kind kinds[];
extern const size_t kind_count;

/* ---- text.c, trace.c, database.c: damage --------------------------------------------- */

damage_fn damage_text;     /* tokens, lines, bytes */
damage_fn damage_trace;    /* bytes of chunks, also inside packed ones; checksums are right */
damage_fn damage_database; /* values of SQLite's tables, and bytes */

/* ---- journal.c: of kind "journal" ------------------------------------------------ */

folder_state begin_journal(hd_arena *arena, const limits *l, const char *path, const bytes *input);
const char *check_journal(const limits *l, folder_state before, bool refused);

/* ---- call.c -------------------------------------------------------------------- */

/* One call that reads `path`, where it puts `input`. NULL when it ended as it should, else what was
 * wrong, from `arena`. */
const char *try_call(hd_arena *arena, const limits *l, const kind *k, const char *const *call,
                     const char *path, const bytes *input);

/* ---- crafted.c ------------------------------------------------------------------ */

/* Inputs of the corpus that are too long to keep. */
void add_crafted(hd_arena *arena, const kind *k, bytes_list *seeds);

/* ---- seeds.c -------------------------------------------------------------------- */

/* Fills a new folder with what calls need besides their input: jobs, kernels, a trace. */
bool begin_folder(hd_arena *arena, const limits *l);
/* What damage to a kind starts from: sound inputs of the corpus and of examples/, and made by
 * heddle. `corpus` is what is tried as it is. */
bool read_seeds(hd_arena *arena, const limits *l, const kind *k, bytes_list *seeds,
                bytes_list *corpus);

#endif
