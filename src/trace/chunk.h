/*
 * Chunks: what a trace file is made of. Each has a type, its lengths and a checksum that
 * also covers where it stands in the file, so that neither damage nor a chunk at a wrong
 * place goes unseen.
 */
#ifndef HD_TRACE_CHUNK_H
#define HD_TRACE_CHUNK_H

#include <zstd.h>

#include "bytes.h"
#include "decode.h"

/* Four characters, read as a little-endian number. */
#define CHUNK_TYPE(a, b, c, d) ((uint32_t)(a) | (b) << 8 | (c) << 16 | (uint32_t)(d) << 24)
enum chunk_type {
    CHUNK_HEADER = CHUNK_TYPE('H', 'E', 'A', 'D'),   /* once, first */
    CHUNK_TABLE = CHUNK_TYPE('T', 'A', 'B', 'L'),    /* a kernel with its accesses and buffers */
    CHUNK_LAUNCH = CHUNK_TYPE('L', 'N', 'C', 'H'),   /* begins a launch */
    CHUNK_PART = CHUNK_TYPE('P', 'A', 'R', 'T'),     /* of a block's events */
    CHUNK_PAGE = CHUNK_TYPE('P', 'A', 'G', 'E'),     /* lists the blocks before it */
    CHUNK_END = CHUNK_TYPE('E', 'N', 'D', 'L'),      /* of a launch; lists blocks, too */
    CHUNK_DIRECTORY = CHUNK_TYPE('D', 'I', 'R', 'E') /* once, last: all but the parts */
};

enum {
    FILE_HEAD_BYTES = 32,
    FILE_FOOT_BYTES = 32,
    CHUNK_HEAD_BYTES = 24,
    PART_HEAD_BYTES = 40,
    PART_LAST = 1u << 31,      /* in the number of a block's last part */
    CHUNK_BODY_MAX = 64 << 20, /* of any chunk but a part, unpacked */
    PAGE_BLOCKS = 1024         /* that a page lists */
};
#define PART_CHUNK_LEAST ((uint64_t)CHUNK_HEAD_BYTES + PART_HEAD_BYTES + 1)
#define FILE_FEATURES ((uint64_t)1) /* bit 0: bodies packed with zstd */

static const uint8_t file_magic[8] = {0x89, 'H', 'D', 'T', '\r', '\n', 0x1a, '\n'};
static const uint8_t foot_magic[8] = {'H', 'D', 'T', 'I', 'N', 'D', 'E', 'X'};
enum { BYTE_ORDER_MARK = 0x01020304 };

uint64_t file_hash(const void *data, size_t count);

/* ---- writing -------------------------------------------------------------------- */

/* A whole chunk in out[0 .. out->count), but for its place, which chunk_seal() adds.
 * `head` is what stands before the body and is never packed. */
void chunk_make(ZSTD_CCtx *packer, uint32_t type, const uint8_t *head, size_t head_count,
                const bytes *body, bytes *out);
void chunk_seal(uint8_t *chunk, uint64_t offset);
void part_head_store(uint8_t head[PART_HEAD_BYTES], const part_head *part);

/* ---- reading -------------------------------------------------------------------- */

/* A file that chunks are read from, and the piece of it that was read last. */
typedef struct chunk_source {
    int fd;
    uint64_t size;
    uint64_t window_at;
    size_t window_count;
    uint8_t *window;
    bytes large; /* a chunk that the window does not hold */
    ZSTD_DCtx *unpacker;
    bytes body;
} chunk_source;

typedef struct chunk {
    uint32_t type;
    uint64_t offset, bytes; /* in the file, all of it */
    const uint8_t *head;    /* PART_HEAD_BYTES of a part, else none */
    const uint8_t *stored;  /* the body as it is in the file */
    size_t stored_count, body_count;
    bool packed;
} chunk;

/* `count` bytes of the file, valid until the next call; NULL when they are not there. */
const uint8_t *source_read(chunk_source *source, uint64_t offset, size_t count);
/* The chunk at `offset`, its checksum right; valid until the next call. NULL, or what is wrong with
 * it: chunk_cut when the file ends inside it. */
const char *chunk_read(chunk_source *source, uint64_t offset, chunk *c);
extern const char chunk_cut[];
/* Its body; valid until the next call. NULL when it cannot be unpacked. */
const uint8_t *chunk_body(chunk_source *source, const chunk *c);
void part_head_load(const uint8_t head[PART_HEAD_BYTES], part_head *part);
void source_free(chunk_source *source);

#endif
