/*
 * PTX's special registers, in blocks of three dimensions whose last warp is not full: against
 * their definition from a thread's place, which the host counts by itself.
 */
#include "ptx_rows.h"

static const grid blocks = {{16, 10, 6}, {8, 5, 2}};
enum { X = 8, Y = 5, Z = 2, BLOCK = X * Y * Z, COUNT_X = 2, COUNT_Y = 2, COUNT_Z = 3 };
enum { BLOCKS = COUNT_X * COUNT_Y * COUNT_Z, LANES = 32 };

/* A thread's place; `linear` is its number in its block. */
typedef struct place {
    uint32_t tid[3], ctaid[3], linear, lane;
} place;

static place place_of(uint32_t block, uint32_t thread) {
    return (place){{thread % X, thread / X % Y, thread / X / Y},
                   {block % COUNT_X, block / COUNT_X % COUNT_Y, block / COUNT_X / COUNT_Y},
                   thread,
                   thread % LANES};
}

typedef uint64_t register_fn(const place *p);

typedef struct register_row {
    const char *body;
    register_fn *expected;
} register_row;

/* Block by block, and thread by thread, a number each. The index is not from what is tested alone: a
 * wrong register leaves numbers at wrong places. */
static const char *text_of_registers(hd_arena *arena, const char *body) {
    return hd_format(arena,
                     ".version 8.7\n.target sm_90\n.address_size 64\n"
                     ".visible .entry k(.param .u64 out)\n{\n"
                     " .reg .b32 %%w, %%t<9>;\n .reg .b64 %%d, %%out, %%l<9>;\n"
                     " .reg .pred %%p, %%q;\n .shared .align 8 .b8 tile[512];\n"
                     " mov.u32 %%t0, %%ctaid.z;\n mov.u32 %%t1, %%ctaid.y;\n"
                     " mad.lo.u32 %%t0, %%t0, 2, %%t1;\n mov.u32 %%t1, %%ctaid.x;\n"
                     " mad.lo.u32 %%t0, %%t0, 2, %%t1;\n mov.u32 %%t1, %%tid.z;\n"
                     " mad.lo.u32 %%t0, %%t0, 2, %%t1;\n mov.u32 %%t1, %%tid.y;\n"
                     " mad.lo.u32 %%t0, %%t0, 5, %%t1;\n mov.u32 %%t1, %%tid.x;\n"
                     " mad.lo.u32 %%t0, %%t0, 8, %%t1;\n ld.param.u64 %%out, [out];\n"
                     " mad.wide.u32 %%out, %%t0, 8, %%out;\n st.shared.u32 [tile], 0;\n"
                     "%s\n%s st.global.u64 [%%out], %%d;\n ret;\n}\n",
                     body, strstr(body, "%w") ? " cvt.u64.u32 %d, %w;" : "");
}

static bool is_right(const register_row *r) {
    uint64_t out[BLOCKS * BLOCK];
    hd_arena *arena = hd_arena_new();
    hd_status status = try_launch(say, (void *)(uintptr_t)r->body,
                                  text_of_registers(arena, r->body), &blocks, NULL, out);
    hd_arena_free(arena);
    for (uint32_t i = 0; i < BLOCKS * BLOCK && !status; i++) {
        const place p = place_of(i / BLOCK, i % BLOCK);
        if (out[i] == r->expected(&p))
            continue;
        print_error("%s\nof thread (%u,%u,%u) of block (%u,%u,%u): %llx, but it is %llx\n", r->body,
                    p.tid[0], p.tid[1], p.tid[2], p.ctaid[0], p.ctaid[1], p.ctaid[2],
                    (unsigned long long)out[i], (unsigned long long)r->expected(&p));
        return false;
    }
    return !status;
}

static void check_registers(const register_row *rows, size_t count) {
    size_t wrong = 0;
    for (size_t r = 0; r < count; r++)
        wrong += !is_right(&rows[r]);
    if (wrong)
        fail_msg("%zu of %zu rows are wrong", wrong, count);
}
#define CHECK_REGISTERS(rows) check_registers(rows, sizeof rows / sizeof *rows)

#define IS(name, expression)               \
    static uint64_t name(const place *p) { \
        (void)p;                           \
        return (uint64_t)(expression);     \
    }
/* Bits that stand for the lanes for which it holds. */
#define LANES_WHERE(name, condition)                      \
    static uint64_t name(const place *p) {                \
        uint32_t mask = 0;                                \
        for (uint32_t k = 0; k < LANES; k++)              \
            mask |= (uint32_t)(k condition p->lane) << k; \
        return mask;                                      \
    }

/* ---- places ---------------------------------------------------------------------------------- */

IS(tid_x, p->tid[0])
IS(tid_y, p->tid[1])
IS(tid_z, p->tid[2])
IS(ctaid_x, p->ctaid[0])
IS(ctaid_y, p->ctaid[1])
IS(ctaid_z, p->ctaid[2])
IS(ntid_x, X)
IS(ntid_y, Y)
IS(ntid_z, Z)
IS(nctaid_x, COUNT_X)
IS(nctaid_y, COUNT_Y)
IS(nctaid_z, COUNT_Z)
IS(zero, 0)
IS(one, 1)
IS(lane, p->lane)
IS(warp, p->linear / LANES)
IS(warps, (BLOCK + LANES - 1) / LANES)
IS(warp_size, LANES)
LANES_WHERE(mask_eq, ==)
LANES_WHERE(mask_lt, <)
LANES_WHERE(mask_le, <=)
LANES_WHERE(mask_gt, >)
LANES_WHERE(mask_ge, >=)

static void places(void **state) {
    (void)state;
    static const register_row rows[] = {
        {"mov.u32 %w, %tid.x;", tid_x},         {"mov.u32 %w, %tid.y;", tid_y},
        {"mov.u32 %w, %tid.z;", tid_z},         {"mov.u32 %w, %tid.w;", zero},
        {"mov.u32 %w, %ntid.x;", ntid_x},       {"mov.u32 %w, %ntid.y;", ntid_y},
        {"mov.u32 %w, %ntid.z;", ntid_z},       {"mov.u32 %w, %ctaid.x;", ctaid_x},
        {"mov.u32 %w, %ctaid.y;", ctaid_y},     {"mov.u32 %w, %ctaid.z;", ctaid_z},
        {"mov.u32 %w, %ctaid.w;", zero},        {"mov.u32 %w, %nctaid.x;", nctaid_x},
        {"mov.u32 %w, %nctaid.y;", nctaid_y},   {"mov.u32 %w, %nctaid.z;", nctaid_z},
        {"mov.u32 %w, %laneid;", lane},         {"mov.u32 %w, %warpid;", warp},
        {"mov.u32 %w, %nwarpid;", warps},       {"mov.u32 %w, WARP_SZ;", warp_size},
        {"mov.u32 %w, %lanemask_eq;", mask_eq}, {"mov.u32 %w, %lanemask_lt;", mask_lt},
        {"mov.u32 %w, %lanemask_le;", mask_le}, {"mov.u32 %w, %lanemask_gt;", mask_gt},
        {"mov.u32 %w, %lanemask_ge;", mask_ge}, {"mov.u32 %w, %smid;", zero},
        {"mov.u32 %w, %nsmid;", one},           {"mov.u64 %d, %gridid;", zero},
    };
    CHECK_REGISTERS(rows);
}

/* ---- clusters --------------------------------------------------------------------------------- */

/* A launch without clusters has one of each block. */
static void clusters(void **state) {
    (void)state;
    static const register_row rows[] = {
        {"mov.u32 %w, %cluster_ctaid.x;", zero},
        {"mov.u32 %w, %cluster_ctaid.y;", zero},
        {"mov.u32 %w, %cluster_ctaid.z;", zero},
        {"mov.u32 %w, %cluster_ctaid.w;", zero},
        {"mov.u32 %w, %cluster_nctaid.x;", one},
        {"mov.u32 %w, %cluster_nctaid.y;", one},
        {"mov.u32 %w, %cluster_nctaid.z;", one},
        {"mov.u32 %w, %clusterid.x;", ctaid_x},
        {"mov.u32 %w, %clusterid.y;", ctaid_y},
        {"mov.u32 %w, %clusterid.z;", ctaid_z},
        {"mov.u32 %w, %clusterid.w;", zero},
        {"mov.u32 %w, %nclusterid.x;", nctaid_x},
        {"mov.u32 %w, %nclusterid.y;", nctaid_y},
        {"mov.u32 %w, %nclusterid.z;", nctaid_z},
        {"mov.u32 %w, %cluster_ctarank;", zero},
        {"mov.u32 %w, %cluster_nctarank;", one},
        {"mov.pred %p, %is_explicit_cluster; selp.u32 %w, 1, 0, %p;", zero},
    };
    CHECK_REGISTERS(rows);
}

/* ---- shared memory -------------------------------------------------------------------------- */

IS(tile_bytes, 512)

static void shared_memory(void **state) {
    (void)state;
    static const register_row rows[] = {
        {"mov.u32 %w, %aggr_smem_size;", tile_bytes},
        {"mov.u32 %w, %total_smem_size;", tile_bytes},
        {"mov.u32 %w, %dynamic_smem_size;", zero},
    };
    CHECK_REGISTERS(rows);
}

/* ---- what the driver says ---------------------------------------------------------------------- */

/* Memory that all blocks share: each thread counts itself there, in the word behind the size. */
static void environment(void **state) {
    (void)state;
    static const register_row rows[] = {
        {"mov.u32 %w, %envreg0;", zero},
        {"mov.b32 %t1, %envreg1; mov.b32 %t2, %envreg2; mov.b64 %l0, {%t2, %t1};"
         "setp.ne.u64 %p, %l0, 0; atom.global.add.u32 %t3, [%l0+4], 1;"
         "setp.lt.and.u32 %q, %t3, 960, %p; selp.u32 %w, 1, 0, %q;",
         one},
    };
    CHECK_REGISTERS(rows);
}

/* ---- time ---------------------------------------------------------------------------------------- */

/* It goes on by each turn of a loop, and not by far more. */
#define GOES_ON(type, read, a, b)                                                                  \
    read(a) " mov.u32 %t1, 0; again: add.u32 %t1, %t1, 1; setp.lt.u32 %p, %t1, 10;"                \
            "@%p bra again; " read(b) " sub." type " " b ", " b ", " a "; setp.ge." type " %p, " b \
                                      ", 10; setp.lt.and." type " %q, " b ", 1000000, %p;"         \
                                      "selp.u32 %w, 1, 0, %q;"
#define CLOCK(to) "mov.u32 " to ", %clock;"
#define CLOCK64(to) "mov.u64 " to ", %clock64;"
#define TIMER(to) "mov.u64 " to ", %globaltimer;"
#define TIMER_LOW(to) "mov.u32 " to ", %globaltimer_lo;"
/* The upper half is that of the whole, read before and after. */
#define IS_UPPER(whole, upper)                                                           \
    "mov.u64 %l1, " whole "; mov.u32 %t3, " upper "; mov.u64 %l2, " whole ";"            \
    "shr.u64 %l1, %l1, 32; shr.u64 %l2, %l2, 32; cvt.u64.u32 %l3, %t3;"                  \
    "setp.ge.u64 %p, %l3, %l1; setp.le.and.u64 %q, %l3, %l2, %p; selp.u32 %w, 1, 0, %q;"

static void time_passes(void **state) {
    (void)state;
    static const register_row rows[] = {
        {GOES_ON("u32", CLOCK, "%t2", "%t3"), one},
        {GOES_ON("u64", CLOCK64, "%l1", "%l2"), one},
        {GOES_ON("u64", TIMER, "%l1", "%l2"), one},
        {GOES_ON("u32", TIMER_LOW, "%t2", "%t3"), one},
        {IS_UPPER("%clock64", "%clock_hi"), one},
        {IS_UPPER("%globaltimer", "%globaltimer_hi"), one},
    };
    CHECK_REGISTERS(rows);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places),        cmocka_unit_test(clusters),
        cmocka_unit_test(shared_memory), cmocka_unit_test(environment),
        cmocka_unit_test(time_passes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
