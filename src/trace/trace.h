/*
 * The trace file: writer, reader, text form. docs/trace-format.md has the format.
 *
 *     hd_trace_writer *writer;
 *     hd_trace_create(arena, diag, "run.hdt", &header, &writer);
 *     hd_vm_run(vm, 0, hd_trace_sink(writer), ...);     any producer of events
 *     hd_trace_finish(writer, true);
 *
 *     hd_trace *trace;
 *     hd_trace_open(arena, diag, "run.hdt", &trace);
 *     hd_trace_replay(trace, diag, &choice, &sink);     the same events again
 *     hd_trace_close(trace);
 */
#ifndef HD_TRACE_H
#define HD_TRACE_H

#include <signal.h>

#include "base/ranks.h"
#include "machine/event.h"

enum {
    HD_TRACE_VERSION = 1,
    HD_TRACE_WAITING = 64 << 20 /* bytes of blocks that wait for earlier ones */
};

/* ---- writer.c ------------------------------------------------------------------- */

typedef struct hd_trace_writer hd_trace_writer;

/* Which part of a run was traced; kept in the file. */
typedef struct hd_trace_header {
    const char *source; /* the job or kernel file, as the user named it; may be NULL */
    uint32_t spaces;    /* bit 1 << kir_space: these were traced */
} hd_trace_header;

/* Starts a file beside `path`, named PATH.part; it gets its name when finished. Until
 * then a killed process leaves PATH.part, whose complete blocks can be read. A thread of
 * the writer sees to it that a block is there a tenth of a second after its end and that of
 * the blocks before it. */
hd_status hd_trace_create(hd_arena *arena, const hd_diag *diag, const char *path,
                          const hd_trace_header *header, hd_trace_writer **writer);
/* The sink to give to a producer, for any number of launches. The file's bytes depend on
 * the events alone, not on the order in which threads deliver blocks: what later blocks
 * have written waits in memory for the earlier ones, at most HD_TRACE_WAITING bytes of it;
 * then event() waits. Launches have ascending numbers, positions of a block ascend (a
 * producer that leaves events out may leave positions out), and of a block that is closed
 * as not complete nothing stays in the file. An error (a full disk) is reported once and
 * returned by every call after it. */
hd_sink hd_trace_sink(hd_trace_writer *writer);
/* Writes the index and gives the file its name. `complete` false: the run was stopped; the file
 * says so and stays PATH.part, so that it takes no older one's place. Frees the writer. */
hd_status hd_trace_finish(hd_trace_writer *writer, bool complete);
/* The name that the file is to have then; an arena's. */
const char *hd_trace_name(const hd_trace_writer *writer, bool complete);
/* Removes the file and frees the writer. */
void hd_trace_abandon(hd_trace_writer *writer);
/* The one when what produced the events ended with HD_OK, else the other; returns how that
 * went, or `status`. */
hd_status hd_trace_end(hd_trace_writer *writer, hd_status status, bool complete);

/* ---- folder.c: a trace of several ranks, docs/trace-format.md -------------------- */

/* Starts a folder beside `path`, named PATH.part, for the files of all ranks; it gets its name when
 * finished. Called by all ranks, each of which then writes a file of its own with
 * hd_trace_create(): *own is its path. What a run before left under that name goes. */
hd_status hd_trace_folder_begin(hd_arena *arena, const hd_diag *diag, const char *path,
                                const hd_ranks *ranks, const char **own);
/* After hd_trace_end(), which returned `status`, on all ranks: the folder of a run that is `complete`
 * gets its name, and replaces an older trace of that name; where anything went wrong it is removed.
 * Returns how that went, or `status`. */
hd_status hd_trace_folder_end(hd_arena *arena, const hd_diag *diag, const char *path,
                              const hd_ranks *ranks, hd_status status, bool complete);
/* The name that the folder is to have then; an arena's. */
const char *hd_trace_folder_name(hd_arena *arena, const char *path, bool complete);
/* Whether `path` is such a folder. */
bool hd_trace_is_folder(const char *path);

/* ---- reader.c ------------------------------------------------------------------- */

typedef struct hd_trace hd_trace;

typedef struct hd_trace_block {
    uint64_t block; /* number in its launch */
    uint64_t mis, lane_accesses;
    uint64_t offset, bytes; /* in its file */
    uint32_t file;          /* of several: the rank that wrote it */
} hd_trace_block;

typedef struct hd_trace_launch {
    hd_event_launch launch;
    const hd_trace_block *blocks; /* the complete ones, ascending */
    uint64_t block_count;
    uint64_t mis, lane_accesses, bytes;
    bool complete; /* every block that was asked for is there */
} hd_trace_launch;

/* What can be known without decoding the blocks. */
typedef struct hd_trace_contents {
    uint32_t version;
    const char *source;
    uint32_t spaces;
    const hd_trace_launch *launches;
    uint32_t launch_count;
    bool complete;       /* the run ended by itself, and the file has its index */
    const char *missing; /* else: what is not there, in words */
    uint64_t bytes;      /* of the file, or of all */
} hd_trace_contents;

/* Opens a finished file, or what a killed run left; or a folder with such files of several ranks,
 * which is as good as one file with all of their blocks. A file that is no trace, is of a later
 * version or is damaged is an HD_EINPUT that says at which byte. */
hd_status hd_trace_open(hd_arena *arena, const hd_diag *diag, const char *path, hd_trace **trace);
const hd_trace_contents *hd_trace_get(const hd_trace *trace);

typedef struct hd_trace_sums {
    uint64_t launches, blocks, mis, lane_accesses;
} hd_trace_sums;

/* Of all launches. */
hd_trace_sums hd_trace_sum(const hd_trace_contents *contents);

/* Who watches a long reading. */
typedef struct hd_trace_watch {
    /* Called now and then from the thread that reads, with the share that is done; may be NULL. */
    void (*progress)(void *user, const char *doing, double done);
    void *user;
    /* When it is set the reading ends with HD_OK: the current block and its launch are closed as
     * not complete. May be NULL. */
    const volatile sig_atomic_t *stop;
} hd_trace_watch;

/* Which events to replay. */
typedef struct hd_trace_choice {
    int64_t launch;                   /* its number; -1: all */
    uint64_t first_block, last_block; /* of each launch, inclusive; 0, UINT64_MAX: all */
    uint32_t spaces;                  /* bit 1 << kir_space; 0: all */
    const hd_trace_watch *watch;      /* or NULL */
} hd_trace_choice;

/* Hands the events to a sink in the order of blocks, in the calling thread. With `spaces`
 * positions are those of the file. A damaged block is an HD_EINPUT that names it. */
hd_status hd_trace_replay(hd_trace *trace, const hd_diag *diag, const hd_trace_choice *choice,
                          const hd_sink *sink);
/* One block only, found through the index: open_block, event ..., close_block. Different
 * threads may read different blocks of one trace at once. */
hd_status hd_trace_replay_block(hd_trace *trace, const hd_diag *diag, uint32_t launch,
                                uint64_t block, const hd_sink *sink);

/* A block's events one by one, for who reads many blocks by turns. Streams may be used in different
 * threads, each in one. A stream takes memory for one part of its block, about a MiB at most, and
 * what the events in it repeat; it is closed before its trace. */
typedef struct hd_trace_stream hd_trace_stream;
hd_status hd_trace_stream_open(hd_trace *trace, const hd_diag *diag, uint32_t launch,
                               uint64_t block, hd_trace_stream **stream);
/* The next one, valid until the one after it is asked for; NULL at the end. */
hd_status hd_trace_stream_next(hd_trace_stream *stream, const hd_diag *diag,
                               const hd_event **event);
void hd_trace_stream_close(hd_trace_stream *stream);
void hd_trace_close(hd_trace *trace);

/* ---- text_read.c, text_write.c: the text form ----------------------------------- */

typedef struct hd_trace_text hd_trace_text;

/* Reads the text form. Any fault is an HD_EINPUT at its line and column: positions that go
 * back or leave one out, a lane beyond the block, one pc with two widths, a block twice. A
 * plain text is one launch of a kernel "" whose accesses are its pcs, in ascending order. Who
 * watches (or NULL) does so until the text was sent: once it is read, half is done. When it is
 * stopped before that, the text has only what was read. */
hd_status hd_trace_text_open(hd_arena *arena, const hd_diag *diag, const char *path,
                             const hd_trace_watch *watch, hd_trace_text **text);
/* The spaces of its accesses, bit 1 << kir_space; those of a plain text are global. */
uint32_t hd_trace_text_spaces(const hd_trace_text *text);
/* Hands its launches to a sink, in the calling thread. */
hd_status hd_trace_text_send(hd_trace_text *text, const hd_sink *sink);

/* ---- foreign.c: traces of other tools, docs/foreign-input.md ---------------------- */

/* The array of a record in a trace that knows no fields. */
typedef struct hd_trace_record {
    const hd_record *record;
    bool has_base;        /* else there must be one piece of memory, which is the array */
    uint64_t base, bytes; /* bytes 0: to the end of the piece of memory that it begins in */
} hd_trace_record;

typedef struct foreign hd_foreign;

/* What wrote the file, by its first bytes: a name. NULL: none of the tools, or it cannot be read. */
const char *hd_foreign_tool(const char *path);
/* The tools whose traces are read, as a list. */
const char *hd_foreign_kinds(hd_arena *arena);
/* Reads such a file. A fault of it is an HD_EINPUT at its line, and a file that holds no addresses
 * one that says why. `record` may be NULL, and so may `watch`: as with hd_trace_text_open(). The
 * launches have buffers m0, m1 ... for the memory that was touched, and accesses by what the tool
 * knows of the instruction. The warps of a block are taken as going in step. */
hd_status hd_foreign_open(hd_arena *arena, const hd_diag *diag, const char *path,
                          const hd_trace_record *record, const hd_trace_watch *watch,
                          hd_foreign **foreign);
/* In words; NULL: nothing but fields. */
const char *hd_foreign_lacks(const hd_foreign *foreign);
uint32_t hd_foreign_spaces(const hd_foreign *foreign);
hd_status hd_foreign_send(hd_foreign *foreign, const hd_sink *sink);

/* ---- laid_out.c: a trace in another layout ---------------------------------------- */

/* The events of a trace as they would be with every buffer of this record in this layout; the record
 * is known by its name. An access that touches several fields becomes one for each piece of memory
 * that these are in. */
hd_status hd_trace_lay_out(const hd_diag *diag, hd_trace *trace, const hd_record_layout *of,
                           const hd_trace_watch *watch, const hd_sink *sink);

typedef hd_status hd_text_write(void *user, const char *text, size_t length);
/* Writes what is chosen of a trace in the text form, and sums it up. A launch that a plain
 * text says everything of is written as one. */
hd_status hd_trace_text_write(hd_trace *trace, const hd_diag *diag, const hd_trace_choice *choice,
                              hd_text_write *write, void *user, hd_trace_sums *sums);

#endif
