/* Orders from the inside: lists as they are read, and the memory that an order takes. */
#ifndef HD_REMAP_ORDER_H
#define HD_REMAP_ORDER_H

#include "remap/remap_map.h"

/* Number i of an array of numbers of `bytes` bytes, which may begin at any byte; -1 is
 * HD_REMAP_NONE. */
static inline uint64_t hd_remap_index_at(const void *data, uint32_t bytes, uint64_t i) {
    uint64_t wide;
    uint32_t narrow;
    if (bytes == 8) {
        memcpy(&wide, (const char *)data + i * sizeof wide, sizeof wide);
        return wide;
    }
    memcpy(&narrow, (const char *)data + i * sizeof narrow, sizeof narrow);
    return narrow == UINT32_MAX ? HD_REMAP_NONE : narrow;
}

/* Where list i begins, and the one before it ends. */
static inline uint64_t hd_remap_list_begin(const hd_remap_lists *lists, uint64_t i) {
    return lists->first ? hd_remap_index_at(lists->first, lists->index_bytes, i) : i * lists->each;
}

static inline uint64_t hd_remap_list_number(const hd_remap_lists *lists, uint64_t at) {
    return hd_remap_index_at(lists->number, lists->index_bytes, at);
}

/* That the lists are ascending and their numbers below `limit`; `what` says which ones they are.
 * *numbers, of all lists, is their count. */
hd_status hd_remap_check_lists(const hd_diag *diag, const hd_remap_lists *lists, const char *what,
                               uint64_t limit, uint64_t *numbers);

/* That an order can be made of so many, which `what` names. */
hd_status hd_remap_check_count(const hd_diag *diag, uint64_t count, const char *what);

/* That `bytes` of memory are free, to order `count` of `what`. */
hd_status hd_remap_check_room(const hd_diag *diag, uint64_t bytes, uint64_t count,
                              const char *what);

#endif
