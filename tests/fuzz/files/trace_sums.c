/* Checksums of a trace file that was changed (docs/trace-format.md). */
#include "fuzz/files/trace_sums.h"

#include "trace/chunk.h"

static size_t next_chunk(const uint8_t *data, size_t length, size_t at) {
    size_t left = length - at - CHUNK_HEAD_BYTES;
    uint64_t stored = load32(data + at + 4);
    return stored > left ? length : at + CHUNK_HEAD_BYTES + (size_t)stored;
}

void fix_trace_checksums(uint8_t *data, size_t length) {
    if (length < FILE_HEAD_BYTES)
        return;
    store64(data + 24, file_hash(data, 24));
    for (size_t at = FILE_HEAD_BYTES, next; length - at >= CHUNK_HEAD_BYTES; at = next) {
        next = next_chunk(data, length, at);
        const uint8_t *rest = data + at + CHUNK_HEAD_BYTES;
        store64(data + at + 16, file_hash(rest, next - at - CHUNK_HEAD_BYTES));
        chunk_seal(data + at, at);
    }
    uint8_t *foot = data + length - FILE_FOOT_BYTES;
    if (length >= FILE_HEAD_BYTES + FILE_FOOT_BYTES && !memcmp(foot + 24, foot_magic, 8))
        store64(foot + 16, file_hash(foot, 16));
}
