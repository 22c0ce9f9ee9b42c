/*
 * Orders in files: the map file of src/order, which has a launch for each.
 */
#include <inttypes.h>
#include <stdio.h>

#include "order/orders.h"
#include "remap/remap_order.h"

enum { BYTES_OF_NUMBER = 48 }; /* as text that grows, and as what is read */

/* ---- checks -------------------------------------------------------------------------------- */

static hd_status check_names(const hd_diag *diag, const char *path,
                             const hd_remap_named_order *orders, uint32_t count) {
    hd_status status = hd_remap_needs(diag, {path, "path of the orders' file"}, {orders, "orders"});
    if (status == HD_OK && !count)
        status = hd_fail(diag, HD_EINPUT, NULL, "there are 0 orders; a file has at least one");
    uint64_t all = 0;
    for (uint32_t i = 0; i < count && status == HD_OK; i++) {
        const hd_remap_named_order *o = &orders[i];
        if (!o->name || !*o->name || strpbrk(o->name, "\r\n") || strchr(" \t", *o->name))
            return hd_fail(diag, HD_EINPUT, NULL,
                           "order %" PRIu32 " has no name; one is a line that begins with no blank",
                           i);
        for (uint32_t k = 0; k < i; k++)
            if (!strcmp(orders[k].name, o->name) && orders[k].launch == o->launch)
                return hd_fail(diag, HD_EINPUT, NULL,
                               "orders %" PRIu32 " and %" PRIu32 " are both of launch %" PRIu32
                               " of '%s'",
                               k, i, o->launch, o->name);
        if (!o->block || o->count % o->block)
            return hd_fail(diag, HD_EINPUT, NULL,
                           "the order of '%s' has %" PRIu64 " places, which are no whole blocks of "
                           "%" PRIu32,
                           o->name, o->count, o->block);
        status = hd_remap_needs(diag, {o->order, "array of an order's numbers"});
        if (status == HD_OK)
            status = hd_remap_check_count(diag, o->count, "places");
        all += status == HD_OK ? o->count : 0;
    }
    return status == HD_OK ? hd_remap_check_room(diag, all * BYTES_OF_NUMBER, all, "places")
                           : status;
}

/* ---- saving -------------------------------------------------------------------------------- */

hd_status hd_remap_save_orders(const hd_diag *diag, const char *path,
                               const hd_remap_named_order *orders, uint32_t order_count) {
    hd_status status = check_names(diag, path, orders, order_count);
    for (uint32_t i = 0; i < order_count && status == HD_OK; i++) {
        uint64_t bad;
        if (!hd_is_permutation(orders[i].order, orders[i].count, &bad))
            status =
                hd_fail(diag, HD_EINPUT, NULL,
                        "the order of '%s' is none: place %" PRIu64 " has %" PRIu32 ", which is %s",
                        orders[i].name, bad, orders[i].order[bad],
                        orders[i].order[bad] < orders[i].count ? "at another place, too"
                                                               : "beyond the last one");
    }
    if (status != HD_OK)
        return status;
    hd_arena *arena = hd_arena_new();
    hd_order_file file = {hd_new_array(arena, hd_launch_order, order_count), order_count};
    for (uint32_t i = 0; i < order_count; i++) {
        const hd_remap_named_order *o = &orders[i];
        uint32_t count = (uint32_t)o->count;
        file.orders[i] =
            (hd_launch_order){.kernel = o->name,
                              .launch = o->launch,
                              .threads = count,
                              .block_threads = o->block,
                              .whole_blocks = hd_order_keeps_blocks(o->order, count, o->block),
                              .order = o->order};
    }
    hd_str text = {.arena = arena};
    hd_order_file_print(&text, &file);
    if (text.length > HD_TEXT_MOST)
        status = hd_fail(diag, HD_EUNSUPPORTED, NULL,
                         "the orders take %zu MiB as text, and no more than %" PRIu32
                         " are read again; save them one by one",
                         text.length >> 20, HD_TEXT_MOST >> 20);
    else
        status = hd_write_file(diag, path, text.data, text.length);
    hd_arena_free(arena);
    return status;
}

/* ---- loading -------------------------------------------------------------------------------- */

static const hd_launch_order *find(const hd_order_file *file, const hd_remap_named_order *wanted) {
    for (uint32_t i = 0; i < file->order_count; i++)
        if (!strcmp(file->orders[i].kernel, wanted->name) &&
            file->orders[i].launch == wanted->launch)
            return &file->orders[i];
    return NULL;
}

static hd_status check_found(const hd_diag *diag, const char *path, const hd_launch_order *found,
                             const hd_remap_named_order *wanted) {
    hd_place whole = {.file = path};
    if (!found)
        return hd_fail(diag, HD_EINPUT, &whole,
                       "there is no order for launch %" PRIu32 " of '%s'; make it again",
                       wanted->launch, wanted->name);
    if (found->threads != wanted->count || found->block_threads != wanted->block)
        return hd_fail(diag, HD_EINPUT, &found->place,
                       "the order of '%s' is of %" PRIu32 " in blocks of %" PRIu32 ", and %" PRIu64
                       " in blocks of %" PRIu32 " are wanted; make it again",
                       wanted->name, found->threads, found->block_threads, wanted->count,
                       wanted->block);
    return HD_OK;
}

hd_status hd_remap_load_orders(const hd_diag *diag, const char *path,
                               const hd_remap_named_order *orders, uint32_t order_count) {
    hd_order_file *file;
    hd_status status = check_names(diag, path, orders, order_count);
    if (status != HD_OK)
        return status;
    hd_arena *arena = hd_arena_new();
    status = hd_order_file_read(arena, diag, path, &file);
    for (uint32_t i = 0; i < order_count && status == HD_OK; i++)
        status = check_found(diag, path, find(file, &orders[i]), &orders[i]);
    for (uint32_t i = 0; i < order_count && status == HD_OK; i++)
        memcpy(orders[i].order, find(file, &orders[i])->order,
               orders[i].count * sizeof *orders[i].order);
    hd_arena_free(arena);
    return status;
}
