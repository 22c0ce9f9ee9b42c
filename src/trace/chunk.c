/* Chunks, packed and unpacked; docs/trace-format.md has their bytes. */
#define XXH_INLINE_ALL
#include <errno.h>
#include <unistd.h>

#include <xxhash.h>

#include "chunk.h"

enum {
    LEVEL = 1,           /* of zstd */
    LEAST_PACKED = 1024, /* a smaller body stands as it is: packing it would take longer than
                          * making it */
    WINDOW_BYTES = 1 << 16,
    EXPANSION = 8 /* a body other than a part's is at most that many times its bytes
                   * in the file, or SMALL_BODY; so a small file cannot ask for much */
};
#define SMALL_BODY ((size_t)1 << 16)

uint64_t file_hash(const void *data, size_t count) { return XXH64(data, count, 0); }

/* ---- writing -------------------------------------------------------------------- */

static bool may_expand(uint32_t type, size_t stored, size_t body) {
    if (type == CHUNK_PART)
        return body <= PART_BYTES_MAX;
    if (type != CHUNK_TABLE && body <= SMALL_BODY)
        return true;
    return body / EXPANSION <= stored;
}

void chunk_make(ZSTD_CCtx *packer, uint32_t type, const uint8_t *head, size_t head_count,
                const bytes *body, bytes *out) {
    out->count = 0;
    size_t room = ZSTD_compressBound(body->count);
    uint8_t *at = bytes_room(out, CHUNK_HEAD_BYTES + head_count + room);
    uint8_t *stored = at + CHUNK_HEAD_BYTES + head_count;
    size_t count = body->count;
    if (count >= LEAST_PACKED)
        count = ZSTD_compressCCtx(packer, stored, room, body->data, body->count, LEVEL);
    bool packed =
        !ZSTD_isError(count) && count < body->count && may_expand(type, count, body->count);
    if (!packed) {
        count = body->count;
        memcpy(stored, body->data, count);
    }
    if (head_count)
        memcpy(at + CHUNK_HEAD_BYTES, head, head_count);
    store32(at, type);
    store32(at + 4, (uint32_t)(head_count + count));
    store32(at + 8, (uint32_t)body->count);
    store32(at + 12, packed);
    store64(at + 16, file_hash(at + CHUNK_HEAD_BYTES, head_count + count));
    out->count = CHUNK_HEAD_BYTES + head_count + count;
}

/* The checksum of the head, the place, and the checksum of the rest. */
static uint64_t sealed(const uint8_t *head, uint64_t offset, uint64_t rest) {
    uint8_t all[32];
    memcpy(all, head, 16);
    store64(all + 16, offset);
    store64(all + 24, rest);
    return file_hash(all, sizeof all);
}

void chunk_seal(uint8_t *at, uint64_t offset) {
    store64(at + 16, sealed(at, offset, load64(at + 16)));
}

void part_head_store(uint8_t head[PART_HEAD_BYTES], const part_head *part) {
    store32(head, part->launch);
    store32(head + 4, part->part | (part->last ? PART_LAST : 0));
    store64(head + 8, part->block);
    store64(head + 16, part->first_position);
    store64(head + 24, part->lane_accesses);
    store32(head + 32, part->events);
    store32(head + 36, 0);
}

/* ---- reading -------------------------------------------------------------------- */

/* True when all of it could be read. */
static bool read_at(int fd, uint8_t *to, size_t count, uint64_t offset) {
    while (count) {
        ssize_t got = pread(fd, to, count, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        to += got;
        count -= (size_t)got;
        offset += (uint64_t)got;
    }
    return true;
}

/* Small pieces come from a window, so that a file of small blocks is not read with a system
 * call for each. */
const uint8_t *source_read(chunk_source *s, uint64_t offset, size_t count) {
    if (offset > s->size || count > s->size - offset)
        return NULL;
    if (s->window && offset >= s->window_at && offset - s->window_at <= s->window_count &&
        count <= s->window_count - (size_t)(offset - s->window_at))
        return s->window + (offset - s->window_at);
    if (count > WINDOW_BYTES) {
        s->large.count = 0;
        uint8_t *to = bytes_room(&s->large, count);
        return read_at(s->fd, to, count, offset) ? to : NULL;
    }
    if (!s->window)
        s->window = memory_grow(NULL, WINDOW_BYTES);
    s->window_at = offset;
    s->window_count = s->size - offset < WINDOW_BYTES ? (size_t)(s->size - offset) : WINDOW_BYTES;
    if (read_at(s->fd, s->window, s->window_count, offset))
        return s->window;
    s->window_count = 0;
    return NULL;
}

static bool is_type(uint32_t type) {
    switch (type) {
    case CHUNK_HEADER:
    case CHUNK_TABLE:
    case CHUNK_LAUNCH:
    case CHUNK_PART:
    case CHUNK_PAGE:
    case CHUNK_END:
    case CHUNK_DIRECTORY: return true;
    default: return false;
    }
}

/* What is wrong with the lengths that a chunk gives; NULL when nothing is. */
static const char *length_fault(const chunk *c, uint32_t stored, size_t head_count) {
    if (stored < head_count)
        return "a chunk is shorter than its head";
    if (c->body_count > (c->type == CHUNK_PART ? PART_BYTES_MAX : CHUNK_BODY_MAX))
        return "a chunk is longer than any can be";
    size_t count = stored - head_count;
    if (c->packed ? count >= c->body_count || !may_expand(c->type, count, c->body_count)
                  : count != c->body_count)
        return "a chunk's lengths do not agree";
    return NULL;
}

const char chunk_cut[] = "the file ends inside a chunk";

const char *chunk_read(chunk_source *source, uint64_t offset, chunk *c) {
    const uint8_t *at = source_read(source, offset, CHUNK_HEAD_BYTES);
    if (!at)
        return chunk_cut;
    uint32_t stored = load32(at + 4), packed = load32(at + 12);
    *c = (chunk){.type = load32(at),
                 .offset = offset,
                 .bytes = CHUNK_HEAD_BYTES + (uint64_t)stored,
                 .body_count = load32(at + 8),
                 .packed = packed};
    size_t head_count = c->type == CHUNK_PART ? PART_HEAD_BYTES : 0;
    const char *fault = is_type(c->type) && packed <= 1 ? length_fault(c, stored, head_count)
                                                        : "there is no chunk of a known type";
    if (fault)
        return fault;
    at = source_read(source, offset, c->bytes);
    if (!at)
        return chunk_cut;
    c->head = at + CHUNK_HEAD_BYTES;
    c->stored = c->head + head_count;
    c->stored_count = stored - head_count;
    bool is_right = load64(at + 16) == sealed(at, offset, file_hash(c->head, stored));
    return is_right ? NULL : "a checksum is wrong";
}

const uint8_t *chunk_body(chunk_source *source, const chunk *c) {
    if (!c->packed)
        return c->stored;
    if (!source->unpacker && !(source->unpacker = ZSTD_createDCtx()))
        hd_no_memory(0);
    source->body.count = 0;
    uint8_t *to = bytes_room(&source->body, c->body_count + 1);
    size_t count =
        ZSTD_decompressDCtx(source->unpacker, to, c->body_count, c->stored, c->stored_count);
    return !ZSTD_isError(count) && count == c->body_count ? to : NULL;
}

void part_head_load(const uint8_t head[PART_HEAD_BYTES], part_head *part) {
    uint32_t number = load32(head + 4);
    *part = (part_head){
        .launch = load32(head),
        .part = number & ~PART_LAST,
        .last = number & PART_LAST,
        .block = load64(head + 8),
        .first_position = load64(head + 16),
        .lane_accesses = load64(head + 24),
        .events = load32(head + 32),
    };
}

void source_free(chunk_source *source) {
    free(source->window);
    bytes_free(&source->large);
    bytes_free(&source->body);
    ZSTD_freeDCtx(source->unpacker);
    *source = (chunk_source){.fd = source->fd};
}
