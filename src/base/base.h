/*
 * What every folder stands on: arena, vector, string, files, messages.
 * Knows nothing of GPUs.
 */
#ifndef HD_BASE_H
#define HD_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/hash.h"
#include "heddle/heddle.h"

/* ---- arena.c: memory that is freed all at once ------------------------- */

/* An analysis allocates from one arena and frees it in one call. Allocation
 * never returns NULL: when the system has no memory left hd_no_memory() ends the process. */
typedef struct hd_arena hd_arena;

hd_arena *hd_arena_new(void);
void hd_arena_free(hd_arena *arena);

/* `size` zeroed bytes, aligned for any type. */
void *hd_alloc(hd_arena *arena, size_t size);
#define hd_new(arena, T) ((T *)hd_alloc((arena), sizeof(T)))
void *hd_alloc_items(hd_arena *arena, size_t count, size_t item_size);
#define hd_new_array(arena, T, n) ((T *)hd_alloc_items((arena), (size_t)(n), sizeof(T)))

/* Ends the process because so many bytes were refused (0: nobody knows how many; SIZE_MAX: more
 * than can be counted). Called from any thread. This one aborts without a word; a program may
 * define its own, as the command line does. */
_Noreturn void hd_no_memory(size_t wanted);
/* For what outgrows or outlives an arena: what malloc and the like returned, unless that is NULL;
 * calloc. */
void *hd_checked(void *memory);
void *hd_zeroed(size_t count, size_t size);

char *hd_strdup(hd_arena *arena, const char *text);
char *hd_strndup(hd_arena *arena, const char *text, size_t length);
char *hd_format(hd_arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));
char *hd_vformat(hd_arena *arena, const char *format, va_list args);

/* ---- vec: a growing array inside an arena ------------------------------ */

/* hd_vec(int) v = {0}; hd_push(arena, &v, 3); v.data[0]; v.count.
 * Growing moves the data, so keep indices, not pointers, across pushes. */
#define hd_vec(T)               \
    struct {                    \
        T *data;                \
        size_t count, capacity; \
    }
#define hd_push(arena, v, ...)                                                                     \
    (((v)->count == (v)->capacity ? (void)((v)->data = hd_grow((arena), (v)->data, &(v)->capacity, \
                                                               (v)->count, sizeof *(v)->data))     \
                                  : (void)0),                                                      \
     (void)((v)->data[(v)->count++] = (__VA_ARGS__)))
/* The items of a finished one, and how many they are, as a pointer and a number of 32 bits. */
#define hd_keep(v, items, number)                                          \
    ((void)((items) = (v)->data), (void)((number) = (uint32_t)(v)->count))
void *hd_grow(hd_arena *arena, void *data, size_t *capacity, size_t count, size_t item_size);

/* ---- str.c: a string under construction -------------------------------- */

typedef struct hd_str {
    hd_arena *arena;
    char *data; /* always ends in '\0' once something was added; NULL before */
    size_t length, capacity;
} hd_str;

void hd_str_add(hd_str *s, const char *text);
void hd_str_addn(hd_str *s, const char *text, size_t length);
void hd_str_printf(hd_str *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The text so far; "" when nothing was added. Borrowed from the arena. */
const char *hd_str_text(const hd_str *s);

/* `text` ends in `ending`, and has something before it. */
bool hd_ends_in(const char *text, const char *ending);
/* `word` is one of `words`, which stand with a blank between. */
bool hd_has_word(const char *words, const char *word);

/* ---- words.c: options as one text --------------------------------------- */

/* Splits at blanks; quotes, single or double, keep blanks together. */
char **hd_split_words(hd_arena *arena, const char *text, uint32_t *count);
/* A text that splits into these words. */
const char *hd_join_words(hd_arena *arena, char *const *words, uint32_t count);

/* ---- diag.c: messages --------------------------------------------------- */

/* Says nothing to anybody. */
extern const hd_diag hd_silent;
/* Keeps the text of the first error: hd_diag diag = {hd_keep_first, &kept}. */
typedef struct hd_first_error {
    hd_arena *arena;
    const char *text; /* NULL: there was none */
} hd_first_error;
void hd_keep_first(const hd_message *message, void *first_error);
/* Messages that are told later, or never: hd_diag diag = {hd_keep_message, &kept}. */
typedef struct hd_kept_messages {
    hd_arena *arena;
    hd_vec(hd_message) all;
} hd_kept_messages;
void hd_keep_message(const hd_message *message, void *kept_messages);
void hd_tell_kept(const hd_diag *diag, const hd_kept_messages *kept);

/* Reports one error through `diag` and returns `status`, so that a caller can
 * write `return hd_fail(...)`. `place` may be NULL. */
hd_status hd_fail(const hd_diag *diag, hd_status status, const hd_place *place, const char *format,
                  ...) __attribute__((format(printf, 4, 5)));
/* The same for what errno tells: "cannot DOING: reason". */
hd_status hd_fail_errno(const hd_diag *diag, hd_status status, const char *path, const char *doing);
void hd_warn(const hd_diag *diag, const hd_place *place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void hd_note(const hd_diag *diag, const hd_place *place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- random.c ------------------------------------------------------------ */

/* What the state of hd_next_random() grows by: number i of a seed is the next one of
 * seed + i * HD_RANDOM_STEP. */
#define HD_RANDOM_STEP UINT64_C(0x9e3779b97f4a7c15)
/* SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators",
 * OOPSLA 2014, figure 17): 64 bits, the same on every machine. */
uint64_t hd_next_random(uint64_t *state);

/* machine.c: seconds of a clock that never goes back, from a start of its own. */
double hd_clock(void);

/* machine.c: bytes that this process can still have before the machine, its control group or
 * ulimit says no; UINT64_MAX where nobody knows. */
uint64_t hd_memory_free(void);

/* machine.c: cores that this process may run on, at least 1. */
uint32_t hd_core_count(void);

/* ---- parallel.c: work for several threads --------------------------------- */

/* Calls `work` with 0 .. count - 1 in ascending order of beginning, from several threads; ends
 * early when one returns an error, and returns that of the lowest number, *failed. Worker 0 is the
 * calling thread. */
typedef hd_status hd_work(void *self, uint32_t worker, uint64_t number);
hd_status hd_in_parallel(uint32_t workers, uint64_t count, hd_work *work, void *self,
                         uint64_t *failed);

/* What that stands on, for whoever has work again and again: threads that are kept. Calls
 * work(self, 0) here, and work(self, 1 .. count - 1) in other threads, those of them that come
 * before the calling one is done. *crew is NULL at first, and hd_crew_free()'s in the end. */
typedef struct hd_crew hd_crew;
typedef void hd_crew_work(void *self, uint32_t number);
void hd_crew_run(hd_crew **crew, uint32_t count, hd_crew_work *work, void *self);
void hd_crew_free(hd_crew *crew);

/* ---- own.c: Heddle's own files ------------------------------------------- */

/* The path of a file or folder of Heddle's own: `installed` under the prefix that the running
 * program lies in ("share/heddle/devices"), else `in_source` in the source tree (NULL: it is not
 * there), else `installed` under the prefix that the build knows. NULL when there is none. */
const char *hd_own_file(hd_arena *arena, const char *installed, const char *in_source);

/* Another program of Heddle's: beside the running one, or in the folder above, else under the
 * prefix that the build knows. NULL when there is none. */
const char *hd_own_program(hd_arena *arena, const char *name);

/* user_file.c: a file of the user's by the XDG Base Directory Specification: `name` in $VARIABLE, else in the
 * folder `in_home` of $HOME; NULL where neither says. */
const char *hd_user_file(hd_arena *arena, const char *variable, const char *in_home,
                         const char *name);

/* Of more than `most` files in a folder that `is_one` takes, the one that was modified first; NULL: there
 * are no more. */
struct dirent;
const char *hd_oldest_file(hd_arena *arena, const char *folder,
                           int (*is_one)(const struct dirent *), int most);

/* fallback.c: what the build knows. */
typedef struct hd_own_folders {
    const char *source, *prefix; /* NULL: not to be looked in */
    const char *clang;           /* the program, where none came along */
} hd_own_folders;
extern const hd_own_folders hd_own_fallback;

/* ---- file.c: files that are read ---------------------------------------- */

/* No text that people write is longer, in bytes. */
#define HD_TEXT_MOST (UINT32_C(256) << 20)

/* Reads all of `path`, a regular file of at most HD_TEXT_MOST bytes; *text ends in a '\0' that
 * *length does not count. */
hd_status hd_read_file(hd_arena *arena, const hd_diag *diag, const char *path, char **text,
                       size_t *length);
/* The same with another bound. */
hd_status hd_read_long_file(hd_arena *arena, const hd_diag *diag, const char *path, uint64_t most,
                            char **text, size_t *length);
/* Opens a regular file; an error for what is none, such as a pipe, whose opening could wait for
 * ever. `size` may be NULL. */
hd_status hd_open_file(const hd_diag *diag, const char *path, int *fd, uint64_t *size);

/* Both are there, and are names of one file. */
bool hd_same_file(const char *a, const char *b);
/* `name` seen from the folder of `file`: absolute names stay as they are. */
char *hd_path_beside(hd_arena *arena, const char *file, const char *name);
/* The folder that a path is in: "." for a bare name. */
char *hd_path_folder(hd_arena *arena, const char *path);
/* The last part of a path; borrowed from it. */
const char *hd_path_name(const char *path);
/* Whether the last names of a path are these: "src/tree.cu" those of "/home/me/src/tree.cu". */
bool hd_path_ends_in(const char *path, const char *end);
/* `file` below `folder`, as seen from there; NULL: it is elsewhere. */
const char *hd_path_below(const char *folder, const char *file);
/* The place of text[at], with its line; `path` is borrowed. */
hd_place hd_place_in(hd_arena *arena, const char *path, const char *text, size_t at);
/* Line `line` (from 1) of `text`, without its newline; NULL past the end. */
char *hd_line_of(hd_arena *arena, const char *text, unsigned line);

/* ---- output.c: files that are written ------------------------------------ */

/* Writes a file so that it appears whole or not at all: into one without a name, flushed to disk,
 * that then gets the name. A failure leaves nothing behind, nor does a signal. A symbolic link
 * stays, and the file that it leads to is written. What is there keeps its mode, and its owner
 * where the system lets us; other names of it (hard links) keep the old contents. */
hd_status hd_write_file(const hd_diag *diag, const char *path, const void *data, size_t length);

/* Writes all of it to an open file. False, with errno, when that failed. */
bool hd_write_all(int fd, const void *bytes, size_t length);

/* Several files that belong together: none gets its name before all are written. */
typedef struct hd_output {
    const char *path;
    const char *data;
    size_t length;
} hd_output;
hd_status hd_write_files(const hd_diag *diag, const hd_output *files, size_t count);

/* A file that is written piece by piece, because it is too long to be held in memory, and
 * that appears whole or not at all. End it with hd_file_keep(), which gives it its name, or,
 * also after a failed hd_file_add(), with hd_file_drop(), which leaves nothing behind. */
typedef struct hd_file hd_file;
hd_status hd_file_begin(hd_arena *arena, const hd_diag *diag, const char *path, hd_file **file);
hd_status hd_file_add(hd_file *file, const void *data, size_t length);
hd_status hd_file_keep(hd_file *file);
void hd_file_drop(hd_file *file);

/* Where a file of this name is written: `path`, or what a symbolic link there leads to, which
 * need not be there. What is no regular file is an error, and so is standard output's own. */
hd_status hd_output_target(hd_arena *arena, const hd_diag *diag, const char *path,
                           const char **target);
/* Gives a new file the owner, where the system lets us, and the mode of the one at `path`; true
 * also when there is none. errno tells of a failure. */
bool hd_output_keep_rights(int fd, const char *path);

/* Folders that were made for files to come. */
typedef hd_vec(const char *) hd_folders;
/* Makes `path`, and those above it that are missing, to write into, and adds what it made. */
hd_status hd_folders_make(hd_arena *arena, const hd_diag *diag, const char *path, hd_folders *made);
/* Removes those of them that are empty. */
void hd_folders_remove(const hd_folders *made);

/* ---- journal.c: files that change together ------------------------------- */

/* Changes files in place, all or none: they stay the files that they are, with mode, owner, links
 * and attributes. What was in them is first written to the file `journal`, which goes at the end;
 * when the process dies before that, hd_take_back() of the journal restores them. before[i] is the
 * text that file i had when its new contents were made of it, or NULL: none is changed when it has
 * another one by now. */
hd_status hd_change_files(hd_arena *arena, const hd_diag *diag, const char *journal,
                          const hd_output *files, const char *const *before, size_t count);

/* The files of an interrupted change. */
typedef struct hd_taken_back {
    const char **files; /* that hold again what they held before */
    size_t count;
} hd_taken_back;
/* Takes back a change that was interrupted, and removes its journal. An error when a file holds
 * neither the old nor the new contents, when the journal was not written at its place, or when
 * the change is still being made: then nothing is touched. */
hd_status hd_take_back(hd_arena *arena, const hd_diag *diag, const char *journal,
                       hd_taken_back *result);

/* scratch.c: a new folder for temporary files, below $TMPDIR or /tmp, and its end with all that
 * is in it (NULL: there is none). */
hd_status hd_scratch_make(hd_arena *arena, const hd_diag *diag, char **folder);
void hd_scratch_remove(const char *folder);

/* ---- small arithmetic --------------------------------------------------- */

static inline uint64_t hd_align_up(uint64_t value, uint64_t align) {
    return (value + align - 1) / align * align;
}
static inline bool hd_is_power_of_two(uint64_t value) { return value && !(value & (value - 1)); }
/* Remainder that is never negative. */
static inline int64_t hd_mod(int64_t value, int64_t modulus) {
    int64_t r = value % modulus;
    return r < 0 ? r + modulus : r;
}

#endif
