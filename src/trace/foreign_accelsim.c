/*
 * Accel-Sim's .traceg, one kernel as its tracer and post-traces-processing leave it: a head of
 * lines with '-', then the blocks with their warps one after the other.
 *
 *     -kernel name = f
 *     -grid dim = (4,1,1)
 *     -block dim = (64,1,1)
 *     #BEGIN_TB
 *     thread block = 0,0,0
 *     warp = 0
 *     insts = 1
 *     0050 ffffffff 1 R2 LDG.E 1 R4 4 1 0x7f5e00000000 4
 *     #END_TB
 *
 * An instruction: the source's line (where the head says "-enable lineinfo = 1"), address, mask,
 * registers written, name, registers read, bytes of each lane, and where those are not 0 the
 * addresses of the active lanes: 0 and all of them, 1 and the first with a stride, 2 and the first
 * with the difference of each to the one before.
 */
#include "foreign.h"

typedef struct accel_sim {
    bool lineinfo, in_block, in_warp;
    uint64_t block[3], warp;
    uint64_t left; /* instructions of the warp that are still to come */
} accel_sim;

static accel_sim *own_of(foreign *f) {
    if (!f->own)
        f->own = hd_new(f->arena, accel_sim);
    return f->own;
}

static bool is_kernel(hd_span start) { return foreign_starts(start, "-kernel name = "); }
/* Lines of blocks are there soon, where the trace has any. */
static bool is_raw(hd_span start) {
    const char *at = memmem(start.at, start.length, "#traces format", 14);
    const char *next = at ? memchr(at, '\n', start.length - (size_t)(at - start.at)) : NULL;
    hd_scan s = {.text = start.at, .at = next ? next : start.at, .end = start.at + start.length};
    return is_kernel(start) && next && hd_scan_until(&s, "").length && s.at < s.end &&
           !foreign_has(start, "#BEGIN_TB");
}

/* "(4,1,1)" */
static void read_size(foreign *f, uint64_t most, uint64_t size[3]) {
    if (foreign_behind(f, "("))
        foreign_triple(f, hd_scan_until(&f->in, ")"), most, size, "a size");
}

static void read_head(foreign *f) {
    foreign_launch *launch = foreign_launch_of(f, 0);
    if (foreign_take(f, "-kernel name =")) {
        launch->kernel = hd_span_text(f->arena, hd_scan_rest(&f->in));
    } else if (foreign_take(f, "-grid dim =")) {
        read_size(f, UINT32_MAX, launch->groups);
    } else if (foreign_take(f, "-block dim =")) {
        read_size(f, LANES_MAX, launch->local);
    } else if (foreign_take(f, "-enable lineinfo =")) {
        own_of(f)->lineinfo = foreign_number(f, foreign_word(f, "0 or 1"), 10, 1, "0 or 1") != 0;
    }
}

static int64_t read_signed(foreign *f, const char *what) {
    hd_span word = foreign_word(f, what);
    bool negative = word.length && *word.at == '-';
    hd_span digits = {word.at + negative, word.length - negative};
    int64_t number = (int64_t)foreign_number(f, digits, 10, INT64_MAX, what);
    return negative ? -number : number;
}

static void read_addresses(foreign *f) {
    warp_access *a = &f->access;
    uint64_t mode = foreign_number(f, foreign_word(f, "how addresses are written"), 10, 2,
                                   "how addresses are written");
    uint64_t last = 0;
    int64_t step = 0;
    bool first = true;
    for (uint64_t left = a->mask; left && !f->in.status; left &= left - 1) {
        if (first || mode == 0)
            last = foreign_address(f, foreign_word(f, "an address"), "an address");
        else
            last += (uint64_t)(mode == 1 ? step : read_signed(f, "a difference of addresses"));
        if (first && mode == 1)
            step = read_signed(f, "a stride");
        first = false;
        a->address[__builtin_ctzll(left)] = last;
    }
}

/* So many registers, and their names. */
static void skip_registers(foreign *f) {
    uint64_t count = foreign_number(f, foreign_word(f, "a number of registers"), 10, 64,
                                    "a number of registers");
    while (count-- && !f->in.status)
        foreign_word(f, "a register");
}

static bool read_access(foreign *f) {
    warp_access *a = &f->access;
    if (own_of(f)->lineinfo)
        foreign_number(f, foreign_word(f, "a line"), 10, UINT32_MAX, "a line of the source");
    a->key = foreign_number(f, foreign_word(f, "an instruction's address"), 16, UINT64_MAX,
                            "an instruction's address");
    a->mask = foreign_number(f, foreign_word(f, "a mask"), 16, UINT32_MAX, "a mask");
    skip_registers(f);
    hd_span opcode = foreign_word(f, "an instruction");
    skip_registers(f);
    hd_span word = foreign_word(f, "bytes of an access");
    uint64_t width = foreign_number(f, word, 10, ACCESS_WIDTH_MAX, "bytes of an access");
    if (f->in.status || !width || !a->mask || !foreign_sass(a, opcode))
        return false;
    a->width = (uint32_t)width;
    read_addresses(f);
    return !f->in.status;
}

static void begin_block(foreign *f, accel_sim *own) {
    if (own->in_block)
        hd_scan_fail(&f->in, f->line, "the block before has no '#END_TB'");
    *own = (accel_sim){.lineinfo = own->lineinfo, .in_block = true};
}

static void end_warp(foreign *f, const accel_sim *own) {
    if (own->left)
        hd_scan_fail(&f->in, f->line,
                     "%llu instructions of warp %llu of block %llu,%llu,%llu are missing here",
                     (unsigned long long)own->left, (unsigned long long)own->warp,
                     (unsigned long long)own->block[0], (unsigned long long)own->block[1],
                     (unsigned long long)own->block[2]);
}

static void read_instruction(foreign *f, accel_sim *own) {
    if (!own->in_warp || !own->left) {
        hd_scan_fail(&f->in, f->line,
                     own->in_warp ? "the warp has more instructions than its 'insts = ' says"
                                  : "an instruction must stand in a warp, behind 'warp = '");
        return;
    }
    own->left--;
    f->access.launch = 0;
    memcpy(f->access.block, own->block, sizeof own->block);
    f->access.warp = own->warp;
    if (read_access(f))
        foreign_add(f, f->line);
}

static void read_line(foreign *f) {
    accel_sim *own = own_of(f);
    if (hd_scan_ends(&f->in))
        return;
    if (*f->in.at == '-')
        read_head(f);
    else if (foreign_take(f, "#BEGIN_TB"))
        begin_block(f, own);
    else if (foreign_take(f, "#END_TB")) {
        end_warp(f, own);
        own->in_block = own->in_warp = false;
    } else if (*f->in.at == '#' || foreign_take(f, "cluster"))
        ; /* a comment, where the block lies */
    else if (foreign_take(f, "thread block ="))
        foreign_triple(f, foreign_word(f, "a block"), UINT32_MAX, own->block, "a block");
    else if (foreign_take(f, "warp =")) {
        end_warp(f, own);
        own->in_warp = own->in_block;
        own->left = 0;
        own->warp = foreign_number(f, foreign_word(f, "a warp"), 10, UINT32_MAX, "a warp");
    } else if (foreign_take(f, "insts ="))
        own->left = foreign_number(f, foreign_word(f, "a number"), 10, UINT64_MAX,
                                   "a number of instructions");
    else
        read_instruction(f, own);
}

static void read_end(foreign *f) {
    if (own_of(f)->in_block)
        hd_scan_fail(&f->in, f->in.end, "the last block has no '#END_TB': the trace is cut off");
}

const foreign_format foreign_accel_sim = {.tool = "Accel-Sim's .traceg",
                                          .is_one = is_kernel,
                                          .lanes = 32,
                                          .has_masks = true,
                                          .read_line = read_line,
                                          .read_access = read_access,
                                          .end = read_end};
const foreign_format foreign_accel_sim_raw = {
    .tool = "Accel-Sim's tracer",
    .is_one = is_raw,
    .refused = "its .trace has the warps of all blocks mixed: make the .traceg of it with "
               "post-traces-processing, and read that"};
