#include "trace/chunk.h"
#include "trace_sums.h"
void fix_trace_checksums(uint8_t *data, size_t length) {
    if (length < FILE_HEAD_BYTES)
        return;
    store64(data + 24, file_hash(data, 24));
    for (size_t at = FILE_HEAD_BYTES, next; at + CHUNK_HEAD_BYTES <= length; at = next) {
        uint64_t stored = load32(data + at + 4);
        next = stored > length - at - CHUNK_HEAD_BYTES ? length
                                                       : at + CHUNK_HEAD_BYTES + (size_t)stored;
        store64(data + at + 16,
                file_hash(data + at + CHUNK_HEAD_BYTES, next - at - CHUNK_HEAD_BYTES));
        chunk_seal(data + at, at);
    }
    uint8_t *foot = data + length - FILE_FOOT_BYTES;
    if (length >= FILE_HEAD_BYTES + FILE_FOOT_BYTES && !memcmp(foot + 24, foot_magic, 8))
        store64(foot + 16, file_hash(foot, 16));
}
