/*
 * Omniprobe's AddressLogger with -t json, an object on a line for each instruction of a wave:
 *
 *     {"kernel_name": "f(float*)","dispatch_id": 1,"exec": 18446744073709551615,"dwarf_line": 12,
 *      "dwarf_column": 9,"block_idx_x": 3,"block_idx_y": 0,"block_idx_z": 0,"wave_num": 1,
 *      "active_lane_count": 64,"op_type": "read","addresses": [1407...,...], ...}
 *
 * Addresses are those of the active lanes, whose mask is exec (decimal, once 0x and hexadecimal).
 */
#include "foreign.h"

enum { LDS_MOST = 1 << 20 }; /* offsets in a work-group's memory are below, addresses above */

static bool is_json(hd_span start) {
    return foreign_has(start, "\"dispatch_id\"") && foreign_has(start, "\"exec\"");
}
static bool is_csv(hd_span start) { return foreign_has(start, "ADDRESS_MESSAGE,timestamp,kernel"); }

typedef struct wave {
    hd_span kernel, kind;
    uint64_t line, column, list[WARP_MOST];
    uint32_t count;
    bool has_addresses, has_dispatch;
} wave;

static uint64_t coordinate(foreign *f, const char *what) {
    return foreign_json_number(f, UINT32_MAX, what);
}

static void read_member(foreign *f, hd_span name, wave *w) {
    warp_access *a = &f->access;
    if (hd_span_is(name, "kernel_name"))
        w->kernel = foreign_json_text(f, "a kernel's name");
    else if (hd_span_is(name, "dispatch_id")) {
        a->launch = foreign_json_number(f, UINT64_MAX, "a dispatch's number");
        w->has_dispatch = true;
    } else if (hd_span_is(name, "exec"))
        a->mask = foreign_json_number(f, UINT64_MAX, "a mask");
    else if (hd_span_is(name, "dwarf_line"))
        w->line = coordinate(f, "a line of the source");
    else if (hd_span_is(name, "dwarf_column"))
        w->column = coordinate(f, "a column of the source");
    else if (hd_span_is(name, "block_idx_x"))
        a->block[0] = coordinate(f, "a block's number");
    else if (hd_span_is(name, "block_idx_y"))
        a->block[1] = coordinate(f, "a block's number");
    else if (hd_span_is(name, "block_idx_z"))
        a->block[2] = coordinate(f, "a block's number");
    else if (hd_span_is(name, "wave_num"))
        a->warp = foreign_json_number(f, LANES_MAX / WARP_MOST - 1, "a wave's number");
    else if (hd_span_is(name, "op_type"))
        w->kind = foreign_json_text(f, "an operation");
    else if (hd_span_is(name, "addresses")) {
        w->has_addresses = true;
        w->count = foreign_json_numbers(f, w->list, WARP_MOST, "addresses");
    } else
        foreign_json_skip(f);
}

static bool read_access(foreign *f) {
    warp_access *a = &f->access;
    const char *at = f->in.at;
    wave w = {.count = 0};
    a->mask = 0;
    hd_span name = foreign_json_begin(f);
    for (; name.length; name = foreign_json_next(f))
        read_member(f, name, &w);
    foreign_json_end(f);
    if (!f->in.status && !w.has_dispatch)
        hd_scan_fail(&f->in, at, "the object has no \"dispatch_id\", as those of Omniprobe have");
    if (f->in.status || !w.has_addresses)
        return false;
    if (w.count != (uint32_t)__builtin_popcountll(a->mask)) {
        hd_scan_fail(&f->in, at, "the mask in \"exec\" has %u lanes, and there are %u addresses",
                     (uint32_t)__builtin_popcountll(a->mask), w.count);
        return false;
    }
    uint32_t next = 0;
    for (uint64_t left = a->mask; left; left &= left - 1)
        a->address[__builtin_ctzll(left)] = w.list[next++];
    a->kind = hd_span_is(w.kind, "write")       ? HD_STORE
              : hd_span_is(w.kind, "readwrite") ? HD_ATOMIC
                                                : HD_LOAD;
    a->space = w.count && w.list[0] < LDS_MOST ? KIR_LOCAL : KIR_GLOBAL;
    a->width = 4;
    a->key = w.line * 1000 + (w.column < 1000 ? w.column : 999);
    foreign_launch *launch = foreign_launch_of(f, a->launch);
    if (w.kernel.length && !launch->kernel)
        launch->kernel = hd_span_text(f->arena, w.kernel);
    return true;
}

/* The program's own output may stand between. */
static void read_line(foreign *f) {
    if (!hd_scan_ends(&f->in) && *f->in.at == '{' && read_access(f))
        foreign_add(f, f->line);
}

const foreign_format foreign_omniprobe = {
    .tool = "Omniprobe",
    .is_one = is_json,
    .lacks =
        "the bytes of an access (4 are taken: transactions are right where each lane's access "
        "is aligned, bytes that are used may not be), the space (addresses below 1 MiB count as "
        "local) and the size of a block",
    .lanes = 64,
    .has_masks = true,
    .read_line = read_line,
    .read_access = read_access};
const foreign_format foreign_omniprobe_csv = {
    .tool = "Omniprobe",
    .is_one = is_csv,
    .refused = "its CSV has no blocks and no waves: log with -t json"};
