#include "base/base.h"

uint64_t hd_hash_bytes(uint64_t hash, const void *data, size_t length) {
    const unsigned char *at = data;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    return hash;
}
