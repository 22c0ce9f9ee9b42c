/*
 * Functions that look at many lanes at once: work-groups, sub-groups, warps, counting
 * barriers, asynchronous copies; and what printf makes of its arguments.
 */
#include "machine.h"

#include <limits.h>
#include <math.h>

static uint64_t random_bits(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    return z ^ z >> 31;
}

static void assert_message(const machine *k, const char *part) {
    if (!strstr(hd_str_text(&k->messages), part))
        fail_msg("'%s' is not in: %s", part, hd_str_text(&k->messages));
}

/* The run fails, and its message has this part. */
static void assert_fault(const char *text, const machine_buffer *buffers, uint32_t count,
                         uint32_t lanes, const char *part) {
    machine k;
    machine_run(&k, text, buffers, count, lanes, lanes);
    assert_int_equal(k.status, HD_EINPUT);
    assert_message(&k, part);
    machine_close(&k);
}

/* ---- work-groups and sub-groups --------------------------------------------------- */

/* What a reduction or scan of v[0 .. n) gives lane l; `sum` combines. */
typedef double combine_fn(double a, double b);
static double add(double a, double b) { return a + b; }
static double least(double a, double b) { return a < b ? a : b; }
static double greatest(double a, double b) { return a > b ? a : b; }

static double combined(combine_fn *sum, double start, const double *v, uint32_t from, uint32_t to) {
    double result = start;
    for (uint32_t i = from; i < to; i++)
        result = sum(result, v[i]);
    return result;
}

enum { LANES = 80, GROUPS = 2, KINDS = 9 };

/* Each type's kernel writes reductions, inclusive and exclusive scans with +, min, max, of the
 * work-group or of sub-groups. */
static char *group_kernel(hd_arena *arena, const char *type, const char *group) {
    hd_str s = {.arena = arena};
    hd_str_printf(&s,
                  "#pragma OPENCL EXTENSION cl_khr_subgroups : enable\n"
                  "__kernel void k(__global const int *in, __global int *out) {\n"
                  "  int i = get_global_id(0), n = get_global_size(0);\n"
                  "  %s x = as_%s(in[i]);\n",
                  type, type);
    static const char *const ops[] = {"add", "min", "max"};
    static const char *const ways[] = {"reduce", "scan_inclusive", "scan_exclusive"};
    for (uint32_t w = 0; w < KINDS; w++)
        hd_str_printf(&s, "  out[%u * n + i] = as_int(%s_%s_%s(x));\n", w, group, ways[w / 3],
                      ops[w % 3]);
    hd_str_add(&s, "}\n");
    return s.data;
}

typedef struct number_type {
    const char *name;
    double most, least; /* what min and max start with */
} number_type;

static double as_double(const char *type, int32_t bits) {
    float f;
    memcpy(&f, &bits, 4);
    return *type == 'f' ? f : *type == 'u' ? (double)(uint32_t)bits : bits;
}

static int32_t as_bits(const char *type, double value) {
    float f = (float)value;
    int32_t bits;
    memcpy(&bits, &f, 4);
    return *type == 'f' ? bits : (int32_t)(uint32_t)(int64_t)value;
}

static void check_group(const number_type *t, const char *group, uint32_t slice) {
    int32_t in[LANES * GROUPS];
    double v[LANES * GROUPS];
    uint64_t state = slice;
    for (uint32_t i = 0; i < LANES * GROUPS; i++) {
        in[i] = *t->name == 'f' ? as_bits("f", (double)(int)(random_bits(&state) % 1000) - 500)
                                : (int32_t)random_bits(&state) >> (i % 2 ? 0 : 12);
        v[i] = as_double(t->name, in[i]);
    }
    hd_arena *arena = hd_arena_new();
    const machine_buffer buffers[] = {{"in", LANES * GROUPS, in},
                                      {"out", LANES * GROUPS * KINDS, NULL}};
    machine k;
    machine_run(&k, group_kernel(arena, t->name, group), buffers, 2, LANES * GROUPS, LANES);
    assert_int_equal(k.status, HD_OK);
    combine_fn *const sums[] = {add, least, greatest};
    const double starts[] = {0, t->most, t->least};
    for (uint32_t w = 0; w < KINDS; w++)
        for (uint32_t i = 0; i < LANES * GROUPS; i++) {
            uint32_t block = i / LANES * LANES, from = block + (i - block) / slice * slice;
            uint32_t end = from + slice < block + LANES ? from + slice : block + LANES;
            uint32_t to = w < 3 ? end : w < 6 ? i + 1 : i;
            double want = combined(sums[w % 3], starts[w % 3], v, from, to);
            assert_int_equal(machine_ints(&k, 1)[w * LANES * GROUPS + i], as_bits(t->name, want));
        }
    machine_close(&k);
    hd_arena_free(arena);
}

static void reductions_and_scans(void **state) {
    (void)state;
    const number_type numbers[] = {
        {"int", INT_MAX, INT_MIN}, {"uint", UINT_MAX, 0}, {"float", INFINITY, -INFINITY}};
    for (uint32_t t = 0; t < 3; t++) {
        check_group(&numbers[t], "work_group", LANES);
        check_group(&numbers[t], "sub_group", 32);
    }
}

static void votes_broadcasts_and_who_is_where(void **state) {
    (void)state;
    const machine_buffer buffers[] = {{"out", 16 * 48, NULL}};
    machine k;
    machine_run(&k,
                "#pragma OPENCL EXTENSION cl_khr_subgroups : enable\n"
                "__kernel void k(__global int *out) {\n"
                "  int l = get_local_id(0), n = get_local_size(0);\n"
                "  __global int *o = out + l;\n"
                "  o[0] = work_group_all(l < 48); o[n] = work_group_all(l != 40);\n"
                "  o[2 * n] = work_group_any(l == 40); o[3 * n] = work_group_any(l > 50);\n"
                "  o[4 * n] = work_group_broadcast(l * 3, 41);\n"
                "  o[5 * n] = (int)work_group_broadcast((double)l + 0.5, 7) * 2;\n"
                "  o[6 * n] = sub_group_all(l < 40); o[7 * n] = sub_group_any(l == 33);\n"
                "  o[8 * n] = sub_group_broadcast(l * 5, 9);\n"
                "  o[9 * n] = get_sub_group_size(); o[10 * n] = get_max_sub_group_size();\n"
                "  o[11 * n] = get_num_sub_groups(); o[12 * n] = get_sub_group_id();\n"
                "  o[13 * n] = get_sub_group_local_id(); sub_group_barrier(CLK_LOCAL_MEM_FENCE);\n"
                "  o[14 * n] = (int)(work_group_reduce_add((long)l << 33) >> 33);\n"
                "  o[15 * n] = work_group_scan_inclusive_add((float)l * 0.5f) * 2.0f;\n"
                "}\n",
                buffers, 1, 48, 48);
    assert_int_equal(k.status, HD_OK);
    for (int l = 0; l < 48; l++) {
        const int want[] = {1,
                            0,
                            1,
                            0,
                            123,
                            14,
                            l < 32,
                            l >= 32,
                            5 * (l / 32 * 32 + 9),
                            l < 32 ? 32 : 16,
                            32,
                            2,
                            l / 32,
                            l % 32,
                            47 * 48 / 2,
                            l * (l + 1) / 2};
        for (int w = 0; w < 16; w++)
            assert_int_equal(machine_ints(&k, 0)[48 * w + l], want[w]);
    }
    machine_close(&k);
}

static void a_lane_in_three_dimensions_broadcasts(void **state) {
    (void)state;
    machine k;
    const machine_buffer buffers[] = {{"out", 24, NULL}};
    machine_run(&k,
                "__attribute__((reqd_work_group_size(24, 1, 1)))\n"
                "__kernel void k(__global int *out) {\n"
                "  int l = get_local_id(0);\n"
                "  out[l] = work_group_broadcast(l * 2, 5, 0) + work_group_broadcast(l, 7, 0, 0);\n"
                "}\n",
                buffers, 1, 24, 24);
    for (int l = 0; l < 24; l++)
        assert_int_equal(machine_ints(&k, 0)[l], 17);
    machine_close(&k);
}

static void a_part_of_a_group_is_a_fault(void **state) {
    (void)state;
    const machine_buffer out = {"out", 64, NULL};
    assert_fault("__kernel void k(__global int *out) {\n"
                 "  int l = get_local_id(0);\n"
                 "  if (l != 5)\n"
                 "    out[l] = work_group_reduce_add(l);\n"
                 "}\n",
                 &out, 1, 64, "all threads of the work-group must call it together");
    assert_fault("__kernel void k(__global int *out) {\n"
                 "  int l = get_local_id(0);\n"
                 "  out[l] = work_group_broadcast(l, 64);\n"
                 "}\n",
                 &out, 1, 64, "work_group_broadcast from a thread that is not in the group");
    assert_fault("__kernel void k(__global int *out) {\n"
                 "  __local int tile[64];\n"
                 "  int l = get_local_id(0);\n"
                 "  event_t e = async_work_group_copy(tile, out, l < 9 ? 1 : 2, 0);\n"
                 "  wait_group_events(1, &e);\n"
                 "}\n",
                 &out, 1, 64,
                 "gives async_work_group_copy another number of elements than thread 0");
}

/* ---- asynchronous copies: what is announced --------------------------------------- */

typedef struct seen {
    hd_arena *arena;
    hd_vec(hd_event) events;
    const hd_event_launch *launch;
    hd_access_kind kinds[64];
    uint32_t widths[64];
} seen;

static hd_status see_launch(void *self, const hd_event_launch *launch) {
    ((seen *)self)->launch = launch;
    return HD_OK;
}
static void *see_block(void *self, uint64_t block) {
    (void)block;
    return self;
}
static void see_event(void *stream, const hd_event *event) {
    seen *s = stream;
    s->kinds[s->events.count] = s->launch->accesses[event->access].kind;
    s->widths[s->events.count] = s->launch->accesses[event->access].width;
    hd_push(s->arena, &s->events, *event);
}

/* 10 elements by 8 lanes: a round of 8 and one of 2, each a load and then a store. */
static void copies_are_announced_round_by_round(void **state) {
    (void)state;
    machine k;
    const machine_buffer buffers[] = {{"in", 64, NULL}};
    machine_run(
        &k,
        "__kernel void k(__global int *in) {\n"
        "  __local float4 tile[16];\n"
        "  event_t e = async_work_group_strided_copy(tile, (__global float4 *)in, 10, 1, 0);\n"
        "  wait_group_events(1, &e);\n"
        "}\n",
        buffers, 1, 8, 8);
    seen s = {.arena = k.arena};
    const hd_sink sink = {&s, see_launch, see_block, see_event, NULL, NULL};
    assert_int_equal(hd_vm_run(k.vm, 0, &sink, NULL), HD_OK);
    assert_int_equal(s.events.count, 4);
    for (uint32_t e = 0; e < 4; e++) {
        assert_int_equal(s.kinds[e], e % 2 ? HD_STORE : HD_LOAD);
        assert_int_equal(s.widths[e], 16);
        assert_int_equal(s.events.data[e].active, e < 2 ? 8 : 2);
        assert_int_equal(s.events.data[e].stride, 16);
        assert_int_equal(s.events.data[e].position, e);
    }
    assert_int_equal(s.events.data[2].base - s.events.data[0].base, 128);
    assert_int_equal(s.events.data[3].base - s.events.data[1].base, 128);
    machine_close(&k);
}

/* ---- warps ------------------------------------------------------------------------ */

/* A kernel of kir: lane l has m, v, a and w from `in`, and results go to out + n * lanes. */
static char *warp_kernel(hd_arena *arena, const char *const *calls, uint32_t count,
                         uint32_t lanes) {
    hd_str s = {.arena = arena};
    hd_str_add(&s, "; kir\nrule returned_arrive\nfile \"k.cu\"\nkernel \"k\" {\n"
                   "  param \"in\" ptr.global type \"int *\" element 4 of \"int\"\n"
                   "  param \"out\" ptr.global type \"int *\" element 4 of \"int\"\nb0:\n"
                   "  %in = param ptr.global 0\n  %out = param ptr.global 1\n"
                   "  %l = query local_linear_id i64\n  %p = addr ptr.global %in + %l*16\n"
                   "  %m = load i32 %p align 4\n"
                   "  %pv = addr ptr.global %p + 4\n  %v = load i32 %pv align 4\n"
                   "  %pa = addr ptr.global %p + 8\n  %a = load i32 %pa align 4\n"
                   "  %pw = addr ptr.global %p + 12\n  %w = load i32 %pw align 4\n");
    for (uint32_t n = 0; n < count; n++)
        hd_str_printf(&s,
                      "  %%r%u = call %s !%u:1\n  %%o%u = addr ptr.global %%out + %%l*4 + %u\n"
                      "  store %%r%u, %%o%u align 4\n",
                      n, calls[n], n + 1, n, n * lanes * 4, n, n);
    hd_str_add(&s, "  ret\n}\n");
    return s.data;
}

static const char *const warp_calls[] = {"\"warp_all\" i32 %m, %v",
                                         "\"warp_any\" i32 %m, %v",
                                         "\"warp_uni\" i32 %m, %v",
                                         "\"warp_ballot\" i32 %m, %v",
                                         "\"warp_match_any\" i32 %m, %v",
                                         "\"warp_match_all\" i32 %m, %v",
                                         "\"warp_match_all_pred\" i32 %m, %v",
                                         "\"warp_shuffle\" i32 %m, %v, %a, %w",
                                         "\"warp_shuffle_up\" i32 %m, %v, %a, %w",
                                         "\"warp_shuffle_down\" i32 %m, %v, %a, %w",
                                         "\"warp_shuffle_xor\" i32 %m, %v, %a, %w",
                                         "\"warp_reduce_add\" i32 %m, %v",
                                         "\"warp_reduce_and\" i32 %m, %v",
                                         "\"warp_reduce_or\" i32 %m, %v",
                                         "\"warp_reduce_xor\" i32 %m, %v",
                                         "\"warp_reduce_min\" i32 %m, %v",
                                         "\"warp_reduce_max\" i32 %m, %v",
                                         "\"warp_reduce_umin\" i32 %m, %v",
                                         "\"warp_reduce_umax\" i32 %m, %v",
                                         "\"active_mask\" i32",
                                         "\"barrier_count\" i32 %v",
                                         "\"barrier_and\" i32 %v",
                                         "\"barrier_or\" i32 %v"};
enum { WARP_CALLS = sizeof warp_calls / sizeof *warp_calls, WARP_LANES = 72 };

typedef struct lane_input {
    uint32_t mask;
    int32_t value;
    int32_t lane;
    int32_t width;
} lane_input;

/* What shuffle `which` (7 plain, 8 up, 9 down, 10 xor) takes, the lane of the warp, by the
 * formulas of PTX's shfl.sync: five bits of its operand b count, and c has the segments. */
static int source_lane(uint32_t which, int lane, int b, int width) {
    int c = (32 - width) << 8 | (which == 8 ? 0 : 31);
    int bval = b & 31, cval = c & 31, mask = c >> 8 & 31;
    int least = lane & mask, most = (lane & mask) | (cval & ~mask);
    int j = which == 7   ? least | (bval & ~mask)
            : which == 8 ? lane - bval
            : which == 9 ? lane + bval
                         : lane ^ bval;
    bool takes = which == 8 ? j >= most : j <= most;
    return takes ? j : lane;
}

static int32_t reduced(uint32_t which, const lane_input *in, uint32_t members) {
    int64_t sum = 0;
    uint32_t all = UINT32_MAX, some = 0, odd = 0;
    int64_t lowest = INT64_MAX, highest = INT64_MIN, low = INT64_MAX, high = 0;
    for (int l = 0; l < 32; l++) {
        if (!(members >> l & 1))
            continue;
        int32_t x = in[l].value;
        uint32_t u = (uint32_t)x;
        sum += x;
        all &= u, some |= u, odd ^= u;
        lowest = x < lowest ? x : lowest, highest = x > highest ? x : highest;
        low = u < low ? u : low, high = u > high ? u : high;
    }
    const int64_t results[] = {sum, all, some, odd, lowest, highest, low, high};
    return (int32_t)(uint32_t)(uint64_t)results[which];
}

/* What call `which` gives lane l of a warp whose lanes are `in`. */
static int32_t warp_wanted(uint32_t which, const lane_input *in, int l, uint32_t present) {
    uint32_t members = in[l].mask & present, votes = 0, same = 0;
    for (int k = 0; k < 32; k++)
        if (members >> k & 1) {
            votes |= (uint32_t)(in[k].value != 0) << k;
            same |= (uint32_t)(in[k].value == in[l].value) << k;
        }
    if (which >= 7 && which <= 10) {
        int from = source_lane(which, l, in[l].lane, in[l].width);
        return members >> from & 1 ? in[from].value : 0;
    }
    if (which >= 11 && which <= 18)
        return reduced(which - 11, in, members);
    const uint32_t results[] = {votes == members,
                                votes != 0,
                                votes == members || !votes,
                                votes,
                                same,
                                same == members ? members : 0,
                                same == members};
    return which < 7 ? (int32_t)results[which] : (int32_t)present;
}

static void check_warps(uint32_t way) {
    static const uint32_t masks[][2] = {{UINT32_MAX, UINT32_MAX},
                                        {0x55555555, 0xaaaaaaaa},
                                        {0x0000ffff, 0xffff0000},
                                        {0x000000ff, 0xffffff00}};
    lane_input in[96] = {0};
    uint64_t state = way;
    for (uint32_t l = 0; l < WARP_LANES; l++) {
        uint64_t bits = random_bits(&state);
        in[l].mask = masks[way][masks[way][0] >> l % 32 & 1 ? 0 : 1];
        in[l].value = way == 3 && l < 32 ? 7 : bits % 3 ? (int32_t)bits : (int32_t)(bits % 2);
        in[l].lane = way == 2 ? (int32_t)(bits >> 20) : (int32_t)(bits >> 40) % 40 - (int32_t)way;
        in[l].width = 1 << bits % 6;
    }
    hd_arena *arena = hd_arena_new();
    const machine_buffer buffers[] = {{"in", 4 * WARP_LANES, in},
                                      {"out", WARP_LANES * WARP_CALLS, NULL}};
    machine k;
    machine_run(&k, warp_kernel(arena, warp_calls, WARP_CALLS, WARP_LANES), buffers, 2, WARP_LANES,
                WARP_LANES);
    if (k.status)
        fail_msg("%s", hd_str_text(&k.messages));
    uint32_t nonzero = 0;
    for (uint32_t l = 0; l < WARP_LANES; l++)
        nonzero += in[l].value != 0;
    for (uint32_t c = 0; c < WARP_CALLS; c++)
        for (uint32_t l = 0; l < WARP_LANES; l++) {
            uint32_t first = l / 32 * 32, present = first == 64 ? 0xff : UINT32_MAX;
            int32_t want = c == 20   ? (int32_t)nonzero
                           : c == 21 ? nonzero == WARP_LANES
                           : c == 22 ? nonzero != 0
                                     : warp_wanted(c, in + first, (int)(l - first), present);
            int32_t got = machine_ints(&k, 1)[c * WARP_LANES + l];
            if (got != want)
                fail_msg("way %u, lane %u: call %s gives %d, should be %d", way, l, warp_calls[c],
                         got, want);
        }
    machine_close(&k);
    hd_arena_free(arena);
}

static void warps_vote_match_shuffle_and_reduce(void **state) {
    (void)state;
    for (uint32_t way = 0; way < 4; way++)
        check_warps(way);
}

/* A kernel in which lanes below 16 make the call, the others what `rest` says. */
static char *split_kernel(hd_arena *arena, const char *call_text, const char *rest) {
    return hd_format(arena,
                     "; kir\nrule returned_arrive\nfile \"k.cu\"\nkernel \"k\" {\n"
                     "  param \"in\" ptr.global type \"int *\" element 4 of \"int\"\n"
                     "  param \"out\" ptr.global type \"int *\" element 4 of \"int\"\nb0:\n"
                     "  %%in = param ptr.global 0\n  %%out = param ptr.global 1\n"
                     "  %%all = const i32 -1\n  %%low = const i32 65535\n  %%five = const i32 5\n"
                     "  %%one = const i32 1\n  %%k = const i64 16\n  %%high = const i32 -65536\n"
                     "  %%l = query local_linear_id i64\n  %%li = trunc i32 %%l\n"
                     "  %%o = addr ptr.global %%out + %%l*4\n"
                     "  %%c = icmp ult i1 %%l, %%k\n  condbr %%c, b1, b2\n"
                     "b1:\n  %%r = call %s !3:7\n  store %%r, %%o align 4\n  br b3\n"
                     "b2:\n  %s\nb3:\n  ret\n}\n",
                     call_text, rest);
}

static void warps_that_are_not_together_are_faults(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    const machine_buffer buffers[] = {{"in", 64, NULL}, {"out", 64, NULL}};
    static const char goes_on[] = "%s = call \"active_mask\" i32\n  store %s, %o align 4\n  br b3";
    assert_fault(split_kernel(arena, "\"warp_all\" i32 %all, %one", goes_on), buffers, 2, 64,
                 "warp_all with mask 0xffffffff waits for lane 16 of the warp, which is not here");
    assert_fault(
        split_kernel(arena, "\"warp_any\" i32 %high, %one", goes_on), buffers, 2, 64,
        "the thread calls warp_any with mask 0xffff0000, in which its own lane 0 is missing");
    assert_fault(split_kernel(arena, "\"warp_shuffle\" i32 %low, %one, %one, %five", goes_on),
                 buffers, 2, 64, "a shuffle in segments of 5 threads");
    assert_fault(split_kernel(arena, "\"warp_match_any\" i32 %li, %one",
                              "%s = call \"active_mask\" i32\n  store %s, %o align 4\n  br b3"),
                 buffers, 2, 64, "its own lane 0 is missing");
    hd_arena_free(arena);
}

static void members_must_give_one_mask(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    lane_input in[32];
    for (uint32_t l = 0; l < 32; l++)
        in[l] = (lane_input){l == 9 ? 0xfffffffe : UINT32_MAX, 0, 0, 32};
    const char *const calls[] = {"\"warp_ballot\" i32 %m, %v"};
    const machine_buffer buffers[] = {{"in", 128, in}, {"out", 32, NULL}};
    assert_fault(warp_kernel(arena, calls, 1, 32), buffers, 2, 32,
                 "lanes 0 and 9 of the warp call warp_ballot with masks 0xffffffff and 0xfffffffe");
    hd_arena_free(arena);
}

/* Threads that have returned, or are about to, are not waited for, and have no value. */
static void threads_that_return_take_no_part(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    const machine_buffer buffers[] = {{"in", 64, NULL}, {"out", 64, NULL}};
    static const char *const rest[] = {"ret", "br b3", "store %one, %o align 4\n  br b3"};
    for (uint32_t way = 0; way < 6; way++) {
        char *text = split_kernel(arena, "\"warp_reduce_add\" i32 %all, %one", rest[way / 2]);
        if (way % 2) /* the other threads call, and stand first or last */
            memcpy(strstr(text, "b1, b2"), "b2, b1", 6);
        machine k;
        machine_run(&k, text, buffers, 2, 64, 64);
        if (k.status)
            fail_msg("%s", hd_str_text(&k.messages));
        for (int l = 0; l < 64; l++) {
            bool calls = way % 2 ? l >= 16 : l < 16;
            int32_t want = calls ? (l < 32 ? 16 : 32) : way / 2 == 2;
            assert_int_equal(machine_ints(&k, 1)[l], want);
        }
        machine_close(&k);
    }
    hd_arena_free(arena);
}

/* Some lanes wait at a barrier that the callers have not reached, or will come to it. */
static void lanes_with_a_barrier_ahead_are_not_gone(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    const machine_buffer buffers[] = {{"in", 64, NULL}, {"out", 64, NULL}};
    char *text = split_kernel(arena, "\"warp_reduce_add\" i32 %all, %one", "barrier %one\n  br b3");
    assert_fault(text, buffers, 2, 64, "waits for lane 16 of the warp, which is not here");
    memcpy(strstr(text, "b1, b2"), "b2, b1", 6);
    assert_fault(text, buffers, 2, 64, "waits for lane 0 of the warp, which is not here");
    hd_arena_free(arena);
}

/* ---- printf ----------------------------------------------------------------------- */

/* Of 11 blocks of 2 threads those from 1 to 9, the first two of every three. */
static void some_blocks_of_a_launch_run_alone(void **state) {
    (void)state;
    const machine_buffer out = {"out", 11, NULL};
    const hd_block_choice some = {1, 9, 2, 3};
    hd_vm_counts counts;
    machine k;
    machine_run(&k,
                "__kernel void k(__global int *out) {\n"
                "  if (get_local_id(0) == 1) out[get_group_id(0)]++;\n"
                "}\n",
                &out, 1, 22, 2);
    assert_int_equal(k.status, HD_OK);
    assert_int_equal(hd_vm_run_blocks(k.vm, 0, &some, NULL, &counts), HD_OK);
    for (uint64_t b = 0; b < out.count; b++)
        assert_int_equal(machine_ints(&k, 0)[b], 1 + hd_block_chosen(&some, b));
    assert_int_equal(counts.blocks, 6);
    machine_close(&k);
}

static void assert_prints(const char *statements, const char *want) {
    hd_arena *arena = hd_arena_new();
    machine k;
    machine_run(&k,
                hd_format(arena,
                          "__constant char name[] = \"loom\";\n__kernel void k(void) {\n%s}\n",
                          statements),
                NULL, 0, 1, 1);
    if (k.status)
        fail_msg("%s", hd_str_text(&k.messages));
    assert_string_equal(hd_str_text(&k.printed), want);
    machine_close(&k);
    hd_arena_free(arena);
}

static void printf_does_what_c_does(void **state) {
    (void)state;
    char want[1024];
    snprintf(want, sizeof want, "%d|%5i|%-6d|%+d|%06d|% d|%.3d|%u|%x|%#X|%o|%#o|%c|%%|", -5, 42, 42,
             42, -42, 7, 7, 4000000000u, 255, 255, 8, 8, 'q');
    assert_prints(
        "printf(\"%d|%5i|%-6d|%+d|%06d|% d|%.3d|%u|%x|%#X|%o|%#o|%c|%%|\", -5, 42, 42, 42,"
        " -42, 7, 7, 4000000000u, 255, 255, 8, 8, 'q');\n",
        want);
    snprintf(want, sizeof want, "%f|%.0f|%8.3f|%-9.2e|%G|%a|%E|%F|%g", 3.25, 2.5, 3.14159,
             12345.678, 1e-10, 1.0, 0.0, -1.5, 1e20);
    assert_prints(
        "printf(\"%f|%.0f|%8.3f|%-9.2e|%G|%a|%E|%F|%g\", 3.25, 2.5, 3.14159, 12345.678, 1e-10,"
        " 1.0, 0.0, -1.5, 1e20);\n",
        want);
    assert_prints(
        "printf(\"%hhd %hd %ld %lx %hhu\", (char)-3, (short)-300, -1L, -1L, (uchar)200);\n",
        "-3 -300 -1 ffffffffffffffff 200");
    assert_prints("printf(\"%s and %8s|%-6s|%.2s\", \"weft\", name, \"a\", name);\n",
                  "weft and     loom|a     |lo");
    assert_prints("int x; printf(\"%d %d\", printf(\"a\"), &x != 0);\n", "a0 1");
}

static void printf_of_vectors(void **state) {
    (void)state;
    assert_prints(
        "printf(\"%v4hld|%+v2hld|%v3hhd|%v2ld|%v2hd\", (int4)(1, -2, 3, 4), (int2)(5, -6),"
        " (char3)(1, -1, 0), (long2)(-7, 1L << 40), (short2)(-9, 9));\n",
        "1,-2,3,4|+5,-6|1,-1,0|-7,1099511627776|-9,9");
    assert_prints(
        "printf(\"%.1v4hlf|%5.2v2hle|%v2lg\", (float4)(1, 2.25f, -3, 0.5f), (float2)(1, 2),"
        " (double2)(0.1, 1e10));\n",
        "1.0,2.2,-3.0,0.5|1.00e+00,2.00e+00|0.1,1e+10");
    assert_prints(
        "printf(\"%v8hhx|%#v2hlx\", (uchar8)(1, 2, 3, 4, 250, 251, 252, 255), (uint2)(16, 255));\n",
        "1,2,3,4,fa,fb,fc,ff|0x10,0xff");
}

static void printf_refuses_what_does_not_fit(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"printf(\"%d %d\", 1);", "printf has no argument left for %d"},
        {"printf(\"%f\", 1);", "printf: %f is for floating-point numbers; its argument is none"},
        {"printf(\"%d\", 1.5f);", "printf: %d is for integers; its argument is none"},
        {"printf(\"%v4hld\", (int2)(1, 2));", "printf: %v4hld is for another number of components"},
        {"printf(\"%5000d\", 1);", "is wider than the 4096 characters"},
        {"printf(\"%y\", 1);", "is no conversion that a kernel can print"},
        {"printf(\"50%\");", "is no conversion that a kernel can print"}};
    hd_arena *arena = hd_arena_new();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_fault(hd_format(arena, "__kernel void k(void) {\n%s\n}\n", cases[i][0]), NULL, 0, 1,
                     cases[i][1]);
    hd_arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reductions_and_scans),
        cmocka_unit_test(votes_broadcasts_and_who_is_where),
        cmocka_unit_test(a_lane_in_three_dimensions_broadcasts),
        cmocka_unit_test(a_part_of_a_group_is_a_fault),
        cmocka_unit_test(some_blocks_of_a_launch_run_alone),
        cmocka_unit_test(copies_are_announced_round_by_round),
        cmocka_unit_test(warps_vote_match_shuffle_and_reduce),
        cmocka_unit_test(warps_that_are_not_together_are_faults),
        cmocka_unit_test(members_must_give_one_mask),
        cmocka_unit_test(threads_that_return_take_no_part),
        cmocka_unit_test(lanes_with_a_barrier_ahead_are_not_gone),
        cmocka_unit_test(printf_does_what_c_does),
        cmocka_unit_test(printf_of_vectors),
        cmocka_unit_test(printf_refuses_what_does_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
