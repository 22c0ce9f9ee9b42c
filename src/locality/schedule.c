/* The tables of orders. */
#include "locality/schedule.h"

const hd_block_order *const hd_block_orders[] = {&hd_order_sequential, &hd_order_random,
                                                 &hd_order_sharing, NULL};
const hd_warp_order *const hd_warp_orders[] = {&hd_order_round_robin, &hd_order_greedy, NULL};

static hd_status unknown(const hd_diag *diag, const char *what, const char *name,
                         const hd_str *names) {
    return hd_fail(diag, HD_EINPUT, NULL, "there is no order of %s '%s'; there are: %s", what, name,
                   hd_str_text(names));
}

static void add_name(hd_str *names, const char *name) {
    hd_str_printf(names, "%s%s", names->length ? ", " : "", name);
}

hd_status hd_find_block_order(hd_arena *arena, const hd_diag *diag, const char *name,
                              const hd_block_order **order) {
    hd_str names = {.arena = arena};
    for (size_t i = 0; hd_block_orders[i]; i++) {
        *order = hd_block_orders[i];
        if (!name || !strcmp(name, (*order)->name))
            return HD_OK;
        add_name(&names, (*order)->name);
    }
    return unknown(diag, "blocks", name, &names);
}

hd_status hd_find_warp_order(hd_arena *arena, const hd_diag *diag, const char *name,
                             const hd_warp_order **order) {
    hd_str names = {.arena = arena};
    for (size_t i = 0; hd_warp_orders[i]; i++) {
        *order = hd_warp_orders[i];
        if (!name || !strcmp(name, (*order)->name))
            return HD_OK;
        add_name(&names, (*order)->name);
    }
    return unknown(diag, "warps", name, &names);
}
