/*
 * The output of NVBit's tool mem_trace, among whatever the program prints:
 *
 *     MEMTRACE: CTX 0x... - LAUNCH - Kernel pc 0x... - Kernel name f(float*) - grid launch id 0 -
 *               grid size 4,1,1 - block size 64,1,1 - nregs 12 - shmem 0 - cuda stream id 0
 *     MEMTRACE: CTX 0x... - grid_launch_id 0 - CTA 3,0,0 - warp 1 - LDG.E - 0x... 0x... ...
 *
 * with 32 addresses, where 0 stands for a lane that is not active, and with the name of the
 * instruction in place of its address.
 */
#include "foreign.h"

#define MARK "MEMTRACE: CTX "

typedef struct nvbit {
    hd_hash_table opcodes; /* numbers by their names */
} nvbit;

static nvbit *own_of(foreign *f) {
    if (!f->own) {
        f->own = hd_new(f->arena, nvbit);
        ((nvbit *)f->own)->opcodes = (hd_hash_table){.arena = f->arena, .key_bytes = HD_TEXT_KEYS};
    }
    return f->own;
}

static bool is_mem_trace(hd_span start) { return foreign_has(start, MARK); }

static uint64_t number_of_opcode(foreign *f, hd_span opcode) {
    nvbit *own = own_of(f);
    char name[64] = {0}; /* longer ones count as one */
    memcpy(name, opcode.at, opcode.length < sizeof name ? opcode.length : sizeof name - 1);
    uint64_t number = hd_hash_get_key(&own->opcodes, name);
    return number != HD_NO_VALUE
               ? number
               : hd_hash_add_key(&own->opcodes, hd_strdup(f->arena, name), own->opcodes.count);
}

static bool read_access(foreign *f) {
    warp_access *a = &f->access;
    if (!foreign_behind(f, "grid_launch_id "))
        return false;
    a->launch = foreign_number(f, foreign_word(f, "a launch"), 10, UINT32_MAX, "a launch's number");
    if (!foreign_behind(f, "CTA "))
        return false;
    foreign_triple(f, foreign_word(f, "a block"), UINT32_MAX, a->block, "a block");
    if (!foreign_behind(f, "warp "))
        return false;
    a->warp = foreign_number(f, foreign_word(f, "a warp"), 10, UINT32_MAX, "a warp's number");
    if (!foreign_behind(f, "- "))
        return false;
    hd_span opcode = foreign_word(f, "an instruction");
    if (!foreign_behind(f, "- "))
        return false;
    a->mask = 0;
    for (uint32_t lane = 0; lane < 32 && !f->in.status; lane++) {
        a->address[lane] = foreign_address(f, foreign_word(f, "one of 32 addresses"), "an address");
        a->mask |= (uint64_t)(a->address[lane] != 0) << lane;
    }
    if (f->in.status || !foreign_sass(a, opcode))
        return false;
    foreign_sass_copies(a, opcode);
    a->key = number_of_opcode(f, opcode);
    return true;
}

static void read_launch(foreign *f) {
    const char *name = NULL, *after;
    if (!foreign_behind(f, "Kernel name "))
        return;
    hd_scan_blanks(&f->in);
    name = f->in.at;
    if (!foreign_behind(f, " - grid launch id "))
        return;
    after = f->in.at - strlen(" - grid launch id ");
    uint64_t id =
        foreign_number(f, foreign_word(f, "a launch"), 10, UINT32_MAX, "a launch's number");
    if (f->in.status)
        return;
    foreign_launch *launch = foreign_launch_of(f, id);
    launch->kernel = hd_strndup(f->arena, name, (size_t)(after - name));
    if (foreign_behind(f, "grid size "))
        foreign_triple(f, foreign_word(f, "the grid"), UINT32_MAX, launch->groups, "a grid's size");
    if (!f->in.status && foreign_behind(f, "block size "))
        foreign_triple(f, foreign_word(f, "the block"), LANES_MAX, launch->local, "a block's size");
}

/* What the program and other tools print stands between these lines. */
static void read_line(foreign *f) {
    const char *at = f->in.at;
    if ((size_t)(f->in.end - at) < strlen(MARK) || memcmp(at, MARK, strlen(MARK)) != 0)
        return;
    const char *end = memchr(at, '\n', (size_t)(f->in.end - at));
    size_t length = (size_t)((end ? end : f->in.end) - at);
    if (memmem(at, length, " - LAUNCH - ", 12))
        read_launch(f);
    else if (memmem(at, length, " - grid_launch_id ", 18) && read_access(f))
        foreign_add(f, at);
    else if (!end && !f->in.status)
        hd_scan_fail(&f->in, at, "the last line is cut off");
}

const foreign_format foreign_mem_trace = {
    .tool = "NVBit's mem_trace",
    .is_one = is_mem_trace,
    .lacks = "masks (a lane whose address is 0 counts as not active) and addresses of instructions "
             "(those of one name, buffer and field count as one)",
    .lanes = 32,
    .has_names = true,
    .has_slots = true,
    .read_line = read_line,
    .read_access = read_access};
