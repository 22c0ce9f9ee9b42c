/* What several analyses do over ranks, made of exchanges. */
#include <stdlib.h>

#include "base/ranks.h"

enum { SUMMED_AT_ONCE = 1 << 18 }; /* values of each rank */

void hd_free_pieces(const hd_ranks *ranks, hd_piece *pieces) {
    for (uint32_t r = 0; r < ranks->count; r++) {
        free(pieces[r].bytes);
        pieces[r] = (hd_piece){0};
    }
}

hd_status hd_ranks_gather(const hd_ranks *ranks, const hd_diag *diag, const void *own, size_t bytes,
                          void *all) {
    if (!ranks || ranks->count == 1) {
        memcpy(all, own, bytes);
        return HD_OK;
    }
    hd_piece *out = hd_zeroed(ranks->count, sizeof *out), *in = hd_zeroed(ranks->count, sizeof *in);
    void *copy = hd_checked(malloc(bytes));
    memcpy(copy, own, bytes);
    for (uint32_t r = 0; r < ranks->count; r++)
        out[r] = (hd_piece){copy, bytes};
    hd_status status = ranks->exchange(ranks->self, diag, out, in);
    for (uint32_t r = 0; r < ranks->count && !status; r++)
        memcpy((uint8_t *)all + r * bytes, in[r].bytes, bytes);
    if (!status)
        hd_free_pieces(ranks, in);
    free(copy);
    free(out);
    free(in);
    return status;
}

/* Where rank r's part of `count` values begins. */
static uint64_t part_of(uint64_t count, uint32_t ranks, uint32_t r) {
    return count / ranks * r + (count % ranks < r ? count % ranks : r);
}

/* Each rank adds up a part, and sends the sums to all. */
static hd_status sum_few(const hd_ranks *ranks, const hd_diag *diag, uint64_t *values,
                         uint64_t count, hd_piece *out, hd_piece *in) {
    const uint32_t n = ranks->count;
    uint64_t first = part_of(count, n, ranks->rank), end = part_of(count, n, ranks->rank + 1);
    for (uint32_t r = 0; r < n; r++) {
        uint64_t from = part_of(count, n, r);
        out[r] = (hd_piece){values + from, (part_of(count, n, r + 1) - from) * sizeof *values};
    }
    hd_status status = ranks->exchange(ranks->self, diag, out, in);
    if (status)
        return status;
    for (uint64_t i = first; i < end; i++) {
        uint64_t sum = 0;
        for (uint32_t r = 0; r < n; r++)
            sum += ((const uint64_t *)in[r].bytes)[i - first];
        values[i] = sum;
    }
    hd_free_pieces(ranks, in);
    for (uint32_t r = 0; r < n; r++)
        out[r] = (hd_piece){values + first, (end - first) * sizeof *values};
    status = ranks->exchange(ranks->self, diag, out, in);
    if (status)
        return status;
    for (uint32_t r = 0; r < n; r++)
        if (in[r].count)
            memcpy(values + part_of(count, n, r), in[r].bytes, in[r].count);
    hd_free_pieces(ranks, in);
    return HD_OK;
}

hd_status hd_ranks_sum(const hd_ranks *ranks, const hd_diag *diag, uint64_t *values,
                       uint64_t count) {
    if (!ranks || ranks->count == 1)
        return HD_OK;
    hd_piece *out = hd_zeroed(ranks->count, sizeof *out), *in = hd_zeroed(ranks->count, sizeof *in);
    hd_status status = HD_OK;
    for (uint64_t at = 0, few; at < count && !status; at += few) {
        few = count - at < SUMMED_AT_ONCE ? count - at : SUMMED_AT_ONCE;
        status = sum_few(ranks, diag, values + at, few, out, in);
    }
    free(out);
    free(in);
    return status;
}
