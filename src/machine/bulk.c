/*
 * Copies that a thread asks a part of the SM for: of bytes, and of boxes of tensors (PTX's cp.async.bulk
 * and its like). They are done at once.
 *
 * A copy is moved in pieces of 16 bytes, and announced as if the lanes of the thread's warp moved them,
 * a piece each, in rounds: a load, then a store. What a box has beyond its tensor is zero and not loaded.
 *
 *     box of 4 x 2 floats at (-2, 5)      00 00 x0 x1      one piece for each row of it
 */
#include <fenv.h>
#include <stdlib.h>

#include "machine/builtin.h"
#include "machine/format.h"
#include "machine/lane_flow.h"
#include "machine/tensor_map.h"

enum { PIECE = 16 };

/* An operation on what is there, and the type of its numbers. */
typedef struct folding {
    enum { SET, ADD, MIN, MAX, INC, DEC, AND, OR, XOR } what;
    hd_tensor_kind kind;
    uint32_t bytes; /* of a number */
} folding;

typedef struct bulk {
    vm_memory *to, *from; /* their addresses are in scratch cells, a piece's in a lane's */
    vm_operand to_start, from_start, bytes;
    vm_operand again; /* what is loaded has been loaded for another block, too */
    vm_operand map, at[HD_TENSOR_RANK];
    uint32_t rank; /* 0: bytes */
    bool stores;   /* a box into the tensor */
    folding fold;
} bulk;

/* A piece of a copy: so many bytes, the rest of which are zero. */
typedef struct piece {
    uint64_t to, from;
    uint32_t bytes, skip; /* behind so many that are zero */
} piece;

/* ---- numbers --------------------------------------------------------------------- */

static uint64_t fold_real(const folding *f, uint64_t a, uint64_t b) {
    const vm_elem elem = f->kind == HD_TENSOR_BRAIN || f->bytes == 4 ? VM_F32
                         : f->bytes == 2                             ? VM_F16
                                                                     : VM_F64;
    const uint32_t shift = f->kind == HD_TENSOR_BRAIN ? 16 : 0;
    const double x = vm_real_of(elem, a << shift), y = vm_real_of(elem, b << shift);
    const double z = f->what == ADD ? x + y : f->what == MIN ? (y < x ? y : x) : (y > x ? y : x);
    if (f->bytes > 2)
        return vm_bits_of(elem, z);
    return vm_format_real(f->kind == HD_TENSOR_BRAIN ? &vm_bf16 : &vm_f16, z, FE_TONEAREST);
}

static uint64_t fold_number(const folding *f, uint64_t a, uint64_t b) {
    const int64_t x = kir_sign_extend(a, 8 * f->bytes), y = kir_sign_extend(b, 8 * f->bytes);
    const bool is_less = f->kind == HD_TENSOR_SIGNED ? y < x : b < a;
    if (f->kind >= HD_TENSOR_REAL)
        return fold_real(f, a, b);
    switch (f->what) {
    case ADD: return a + b;
    case MIN: return is_less ? b : a;
    case MAX: return is_less ? a : b;
    case INC: return a >= b ? 0 : a + 1;
    case DEC: return !a || a > b ? b : a - 1;
    case AND: return a & b;
    case OR: return a | b;
    case XOR: return a ^ b;
    default: return b;
    }
}

static bool is_there(const folding *f) {
    if (f->what == SET)
        return true;
    if (f->kind < HD_TENSOR_REAL)
        return f->bytes >= 4;
    return f->what == ADD || (f->bytes == 2 && (f->what == MIN || f->what == MAX));
}

static void fold_bytes(const folding *f, uint8_t *to, const uint8_t *from, uint32_t bytes) {
    if (f->what == SET) {
        memcpy(to, from, bytes);
        return;
    }
    for (uint32_t i = 0; i + f->bytes <= bytes; i += f->bytes) {
        const uint64_t sum =
            fold_number(f, vm_read_bits(to + i, f->bytes), vm_read_bits(from + i, f->bytes));
        memcpy(to + i, &sum, f->bytes);
    }
}

/* ---- pieces ---------------------------------------------------------------------- */

/* Where bytes of a piece are; faults where it may not have them. */
static uint8_t *find_piece(vm_run *r, const vm_op *op, uint32_t lane, uint64_t address,
                           uint32_t bytes, vm_way way) {
    const bool writes = way != VM_READS;
    const vm_region *g = vm_find_region(r, address, bytes);
    if (!g || (writes && g->read_only))
        vm_fault_access(r, op, lane, address, bytes, 1, writes);
    const vm_target t = {.region = g, .strided = true, .base = address};
    if (r->checked)
        vm_check_lane(r, op, &t, lane, bytes, way);
    return vm_host(r, &t, lane, address);
}

/* One side of a round, by lanes `first` and behind it. */
static void announce_side(vm_run *r, const vm_memory *m, const piece *pieces, uint32_t count,
                          uint32_t first, bool is_target) {
    uint64_t *mask = r->flow->taken[0];
    uint64_t *address = VM_CELL(r, m->address.at, uint64_t);
    uint32_t active = 0;
    memset(mask, 0, r->words * sizeof *mask);
    for (uint32_t i = 0; i < count; i++) {
        if (!is_target && !pieces[i].bytes)
            continue;
        address[first + i] = is_target ? pieces[i].to : pieces[i].from;
        mask[(first + i) / 64] |= UINT64_C(1) << (first + i) % 64;
        active++;
    }
    if (!active)
        return;
    vm_activate(r, mask, active);
    vm_target t = {.address = address};
    t.strided = vm_are_strided(r, address, &t.stride);
    if (t.strided) {
        const uint32_t lane = vm_first_active(r);
        t.base = address[lane] - lane * (uint64_t)t.stride;
        t.address = NULL;
    }
    vm_announce(r, &t, m->space, m->announced, m->announced_count);
}

/* What one lane asked for: the pieces by the lanes of its warp. */
static void move_pieces(vm_run *r, const vm_op *op, uint32_t lane, const folding *fold,
                        const piece *pieces, uint32_t count) {
    const bulk *b = op->more;
    const uint32_t first = lane - lane % VM_WARP;
    if (!vm_element(r, b->again, lane))
        announce_side(r, b->from, pieces, count, first, false);
    for (uint32_t i = 0; i < count; i++) {
        const piece *p = &pieces[i];
        uint8_t data[PIECE] = {0};
        if (p->bytes)
            memcpy(data + p->skip, find_piece(r, op, lane, p->from, p->bytes, VM_READS), p->bytes);
        const vm_way way = fold->what == SET ? VM_WRITES : VM_UPDATES;
        /* Into a tensor goes what is in it, into shared memory all. */
        const uint32_t bytes = b->stores ? p->bytes : PIECE;
        if (bytes)
            fold_bytes(fold, find_piece(r, op, lane, p->to, bytes, way),
                       b->stores ? data + p->skip : data, bytes);
    }
    announce_side(r, b->to, pieces, count, first, true);
}

typedef struct gathering {
    vm_run *r;
    const vm_op *op;
    folding fold;
    uint32_t lane, most, count;
    piece pieces[VM_WARP];
} gathering;

static void flush(gathering *g) {
    if (g->count)
        move_pieces(g->r, g->op, g->lane, &g->fold, g->pieces, g->count);
    g->count = 0;
}

static void add_piece(gathering *g, piece p) {
    g->pieces[g->count++] = p;
    if (g->count == g->most)
        flush(g);
}

/* ---- bytes ----------------------------------------------------------------------- */

static void copy_bytes(gathering *g, const bulk *b) {
    vm_run *r = g->r;
    const uint64_t to = vm_element(r, b->to_start, g->lane);
    const uint64_t from = vm_element(r, b->from_start, g->lane);
    const uint64_t bytes = vm_element(r, b->bytes, g->lane);
    if ((to | from | bytes) % PIECE)
        vm_fault(r, g->op->inst, g->lane,
                 "a copy of %llu bytes from 0x%llx to 0x%llx; both addresses and the number of "
                 "bytes must be multiples of %d",
                 (unsigned long long)bytes, (unsigned long long)from, (unsigned long long)to,
                 PIECE);
    for (uint64_t i = 0; i < bytes; i += PIECE)
        add_piece(g, (piece){to + i, from + i, PIECE, 0});
}

/* ---- boxes ----------------------------------------------------------------------- */

/* Which bytes of shared memory a box's byte goes to: the numbers of 16-byte pieces in a row of the
 * pattern are mixed with the number of the row. */
static uint64_t swizzled(uint64_t address, uint32_t swizzle) {
    const uint64_t mask = (UINT64_C(1) << swizzle) - 1;
    return address ^ (address >> 7 & mask) << 4;
}

static hd_tensor_map read_map(vm_run *r, const vm_op *op, uint32_t lane, uint64_t address) {
    hd_tensor_map map;
    const vm_region *at = vm_find_region(r, address, sizeof map);
    const vm_target t = {.region = at, .strided = true, .base = address};
    if (!at)
        vm_fault(r, op->inst, lane,
                 "a tensor map at address 0x%llx, where there are no 128 bytes of memory",
                 (unsigned long long)address);
    memcpy(&map, vm_host(r, &t, lane, address), sizeof map);
    if (map.mark != HD_TENSOR_MAP_MARK)
        vm_fault(r, op->inst, lane,
                 "the copy of a box with what is no tensor map; maps are made by "
                 "cuTensorMapEncodeTiled()");
    return map;
}

/* A row of the box, of dimension 0, into pieces. `inside`: the other coordinates are in the tensor. */
static void add_row(gathering *g, const bulk *b, const hd_tensor_map *map, int64_t first,
                    uint64_t row, uint64_t shared, bool inside) {
    const int64_t element = map->element_bytes, bytes = map->box[0] * element;
    const int64_t end = (int64_t)map->sizes[0] * element; /* of the tensor's row */
    for (int64_t i = 0; i < bytes; i += PIECE) {
        const int64_t from = first * element + i;
        const int64_t least = from < 0 ? 0 : from, most = from + PIECE < end ? from + PIECE : end;
        piece p = {.to = swizzled(shared + (uint64_t)i, map->swizzle)};
        if (inside && least < most) {
            p.bytes = (uint32_t)(most - least);
            p.skip = (uint32_t)(least - from);
            p.from = row + (uint64_t)least;
        }
        if (b->stores) {
            const uint64_t there = p.from;
            p.from = p.to + p.skip;
            p.to = there;
            if (!p.bytes)
                continue;
        }
        add_piece(g, p);
    }
}

static void copy_box(gathering *g, const bulk *b) {
    vm_run *r = g->r;
    const hd_tensor_map map = read_map(r, g->op, g->lane, vm_element(r, b->map, g->lane));
    uint64_t shared = vm_element(r, b->stores ? b->from_start : b->to_start, g->lane);
    int64_t start[HD_TENSOR_RANK] = {0};
    uint64_t counts[HD_TENSOR_RANK] = {1, 1, 1, 1, 1}, rows = 1;
    if (map.rank != b->rank)
        vm_fault(r, g->op->inst, g->lane,
                 "the copy of a box of %u dimensions with the map of a tensor of %u", b->rank,
                 map.rank);
    if (b->fold.what != SET)
        g->fold = (folding){b->fold.what, map.kind, map.element_bytes};
    if (!is_there(&g->fold))
        vm_fault(r, g->op->inst, g->lane,
                 "the reduction of a box whose numbers it is not for; floats are added, those of "
                 "16 bits have minima and maxima, and integers have 4 or 8 bytes");
    if (shared % 128)
        vm_fault(r, g->op->inst, g->lane,
                 "a box at byte %llu of shared memory; it begins at a multiple of 128",
                 (unsigned long long)(shared % VM_LOCAL_STEP));
    for (uint32_t d = 0; d < b->rank; d++)
        start[d] = vm_signed(r, b->at[d], g->lane);
    for (uint32_t d = 1; d < b->rank; d++) {
        counts[d] = (map.box[d] + map.steps[d] - 1u) / map.steps[d];
        rows *= counts[d];
    }
    for (uint64_t n = 0; n < rows; n++) {
        uint64_t left = n, row = map.address;
        bool inside = true;
        for (uint32_t d = 1; d < b->rank; d++) {
            const int64_t at = start[d] + (int64_t)(left % counts[d] * map.steps[d]);
            left /= counts[d];
            inside &= at >= 0 && at < (int64_t)map.sizes[d];
            row += (uint64_t)at * map.strides[d - 1];
        }
        add_row(g, b, &map, start[0], row, shared, inside);
        shared += (uint64_t)map.box[0] * map.element_bytes;
    }
}

/* ---- calls ----------------------------------------------------------------------- */

static void run_bulk(vm_run *r, const vm_op *op) {
    const bulk *b = op->more;
    uint64_t *active = hd_checked(malloc(r->words * sizeof *active));
    const uint32_t count = r->active.count;
    memcpy(active, r->bits, r->words * sizeof *active);
    for (uint32_t lane = 0; lane < r->lanes; lane++) {
        if (!vm_has_lane(active, lane))
            continue;
        const uint32_t left = r->lanes - (lane - lane % VM_WARP);
        gathering g = {.r = r,
                       .op = op,
                       .fold = b->fold,
                       .lane = lane,
                       .most = left < VM_WARP ? left : VM_WARP};
        if (b->rank)
            copy_box(&g, b);
        else
            copy_bytes(&g, b);
        flush(&g);
    }
    vm_activate(r, active, count);
    free(active);
    r->vain = 0;
    r->has_moved = true;
}

/* Of "bulk_add_u32"; of "tensor_add" the map says the type. */
static bool find_fold(const char *name, folding *f) {
    static const char *const whats[] = {"set", "add", "min", "max", "inc",
                                        "dec", "and", "or",  "xor"};
    static const struct {
        const char *name;
        folding f;
    } types[] = {{"u32", {SET, HD_TENSOR_UNSIGNED, 4}}, {"s32", {SET, HD_TENSOR_SIGNED, 4}},
                 {"b32", {SET, HD_TENSOR_UNSIGNED, 4}}, {"u64", {SET, HD_TENSOR_UNSIGNED, 8}},
                 {"s64", {SET, HD_TENSOR_SIGNED, 8}},   {"b64", {SET, HD_TENSOR_UNSIGNED, 8}},
                 {"f16", {SET, HD_TENSOR_REAL, 2}},     {"f32", {SET, HD_TENSOR_REAL, 4}},
                 {"f64", {SET, HD_TENSOR_REAL, 8}},     {"bf16", {SET, HD_TENSOR_BRAIN, 2}}};
    const char *what = strchr(name, '_') + 1;
    const size_t length = strcspn(what, "_");
    const char *type = what[length] ? what + length + 1 : "u32";
    size_t t = 0, w = 1;
    while (t < sizeof types / sizeof *types && strcmp(types[t].name, type) != 0)
        t++;
    while (w < sizeof whats / sizeof *whats &&
           (strlen(whats[w]) != length || strncmp(whats[w], what, length) != 0))
        w++;
    if (t == sizeof types / sizeof *types || w == sizeof whats / sizeof *whats)
        return false;
    *f = types[t].f;
    f->what = (int)w;
    return is_there(f);
}

static vm_memory *side_of(vm_compiler *c, uint32_t arg, hd_access_kind kind) {
    vm_memory *m = vm_memory_new(c, c->inst->args[arg]);
    m->address = vm_scratch(c, VM_I64, true);
    m->announced = vm_announced_rows(c, kind, &m->announced_count);
    return m;
}

/* bulk_copy, bulk_add_u32 and so on: to, from, whether it is loaded again, bytes. tensor_load,
 * tensor_store, tensor_add and so on: to, from, again, map, coordinates; the tensor's side is where
 * its first element is. */
static void compile_bulk(vm_compiler *c, const void *what) {
    const char *name = c->inst->name;
    const bool is_box = *(const bool *)what, folds = strcmp(name, "bulk_copy") != 0 &&
                                                     strcmp(name, "tensor_load") != 0 &&
                                                     strcmp(name, "tensor_store") != 0;
    bulk *b = hd_new(c->arena, bulk);
    if (folds && !find_fold(name, &b->fold)) {
        vm_cannot_run(c, "the machine has no %s", name);
        return;
    }
    b->to = side_of(c, 0, HD_STORE);
    b->from = side_of(c, 1, HD_LOAD);
    b->to_start = vm_call_arg(c, 0, 0);
    b->from_start = vm_call_arg(c, 1, 0);
    b->stores = is_box && (folds || !strcmp(name, "tensor_store"));
    b->again = vm_call_arg(c, 2, 0);
    if (!is_box)
        b->bytes = vm_call_arg(c, 3, 0);
    for (uint32_t i = 3; is_box && i < c->inst->arg_count; i++)
        *(i == 3 ? &b->map : &b->at[i - 4]) = vm_call_arg(c, i, 0);
    b->rank = is_box ? c->inst->arg_count - 4 : 0;
    vm_emit_for_lanes(c, run_bulk, b);
}

/* Bytes of a box in shared memory. */
static void run_box_bytes(vm_run *r, const vm_op *op) {
    const vm_call *call = op->more;
    VM_EACH_ACTIVE(r, lane) {
        const hd_tensor_map map = read_map(r, op, lane, vm_element(r, call->x[0], lane));
        uint64_t bytes = (uint64_t)map.box[0] * map.element_bytes;
        for (uint32_t d = 1; d < map.rank; d++)
            bytes *= (map.box[d] + map.steps[d] - 1u) / map.steps[d];
        vm_put_bits(r, call->d, lane, bytes);
    }
}

const vm_builtin vm_bulk_builtins[] = {
    {"box_bytes", "IP", VM_LANES(run_box_bytes)},
    {"bulk_*", "vPPII", compile_bulk, &(const bool){false}},
    {"tensor_*", "vPPIP*", compile_bulk, &(const bool){true}},
    {NULL},
};
