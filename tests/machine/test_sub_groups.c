/*
 * Functions of sub-groups, of Khronos and of Intel, from source in OpenCL C: for sub-groups of 8
 * to 64 lanes, of which the last of a block lacks some, called by all lanes and by some.
 */
#include "machine.h"

#include "oracle/sub_group.h"

enum { LANES = 80, CLUSTER = 4 };

static uint64_t random_bits(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    return z ^ z >> 31;
}

/* What a lane is asked: its number, and what it gives besides a value. */
typedef struct question {
    const oracle_sub_group *group;
    int lane;
    int64_t b;
} question;

typedef int64_t answer_fn(const question *q);

/* A call of values v and w of a type, and of the number b; one with `of_all` wants all lanes. */
typedef struct function {
    const char *call;
    answer_fn *answer;
    bool of_all;
} function;

#define ANSWER(name, expression)              \
    static int64_t name(const question *q) {  \
        const oracle_sub_group *g = q->group; \
        int lane = q->lane, b = (int)q->b;    \
        (void)g, (void)lane, (void)b;         \
        return expression;                    \
    }

ANSWER(shuffle, oracle_shuffled_to(g, b))
ANSWER(shuffle_xor, oracle_shuffled_to(g, lane ^ b))
ANSWER(shuffle_up, oracle_shuffled_to(g, lane - b))
ANSWER(shuffle_down, oracle_shuffled_to(g, lane + b))
ANSWER(rotate, oracle_rotate(g, lane, b, g->size))
ANSWER(clustered_rotate, oracle_rotate(g, lane, b, CLUSTER))
ANSWER(intel_down, oracle_down(g, lane, b % g->size))
ANSWER(intel_up, oracle_up(g, lane, b % g->size))
ANSWER(broadcast_first, oracle_shuffled_to(g, oracle_first_here(g)))
ANSWER(elect, lane == oracle_first_here(g))
ANSWER(ballot_low, oracle_ballot_word(g, 0))
ANSWER(ballot_high, oracle_ballot_word(g, 1))
ANSWER(bit_count, oracle_votes(g, 0, g->size))
ANSWER(inclusive_votes, oracle_votes(g, 0, lane + 1))
ANSWER(exclusive_votes, oracle_votes(g, 0, lane))
ANSWER(own_vote, oracle_vote(g, lane))
ANSWER(vote_of_b, b < g->size && oracle_vote(g, b))
ANSWER(any, oracle_votes(g, 0, g->size) > 0)

static int64_t all(const question *q) {
    for (int lane = 0; lane < q->group->size; lane++)
        if (q->group->here[lane] && !q->group->value[lane])
            return 0;
    return 1;
}

static int64_t all_equal(const question *q) {
    int64_t first = q->group->value[oracle_first_here(q->group)];
    for (int lane = 0; lane < q->group->size; lane++)
        if (q->group->here[lane] && q->group->value[lane] != first)
            return 0;
    return 1;
}

/* Without a vote there is no least and no greatest. */
static int64_t least_vote(const question *q) {
    for (int lane = 0; lane < q->group->size; lane++)
        if (oracle_vote(q->group, lane))
            return lane;
    return -1;
}

static int64_t greatest_vote(const question *q) {
    for (int lane = q->group->size; lane-- > 0;)
        if (oracle_vote(q->group, lane))
            return lane;
    return -1;
}

/* The lanes whose order to this one holds, of which the mask's words are sums. */
#define MASK(name, order)                                                    \
    static int64_t name(const question *q) {                                 \
        int64_t words = 0;                                                   \
        for (int other = 0; other < q->group->size; other++)                 \
            if (other order q->lane)                                         \
                words ^= (int64_t)((uint64_t)1 << other % 32) << other / 32; \
        return (int32_t)words;                                               \
    }
MASK(mask_eq, ==)
MASK(mask_ge, >=)
MASK(mask_gt, >)
MASK(mask_le, <=)
MASK(mask_lt, <)
#define WORDS(mask) mask ".x ^ " mask ".y << 1"

#define COMBINED(name, combine, start)                                                          \
    ANSWER(reduce_##name, oracle_combined(g, combine, start, 0, g->size))                       \
    ANSWER(inclusive_##name, oracle_combined(g, combine, start, 0, lane + 1))                   \
    ANSWER(exclusive_##name, oracle_combined(g, combine, start, 0, lane))                       \
    ANSWER(clustered_##name, oracle_combined(g, combine, start, oracle_first_of(lane, CLUSTER), \
                                             oracle_first_of(lane, CLUSTER) + CLUSTER))
COMBINED(add, oracle_add, 0)
COMBINED(mul, oracle_mul, 1)
COMBINED(and, oracle_and, -1)
COMBINED(or, oracle_or, 0)
COMBINED(xor, oracle_xor, 0)
COMBINED(logical_and, oracle_both, 1)
COMBINED(logical_or, oracle_either, 0)
COMBINED(logical_xor, oracle_one, 0)
/* Where nobody is before, a scan has the end of the type's range: 1000 stands for it. */
COMBINED(min, oracle_min, 1000)
COMBINED(max, oracle_max, -1000)

#define WAYS(name, v)                                                                         \
    {"sub_group_non_uniform_reduce_" #name "(" v ")", reduce_##name, false},                  \
        {"sub_group_non_uniform_scan_inclusive_" #name "(" v ")", inclusive_##name, false},   \
        {"sub_group_non_uniform_scan_exclusive_" #name "(" v ")", exclusive_##name, false}, { \
        "sub_group_clustered_reduce_" #name "(" v ", 4)", clustered_##name, false             \
    }
#define PLAIN_WAYS(name)                                                \
    {"sub_group_reduce_" #name "(v)", reduce_##name, true}, {           \
        "sub_group_scan_inclusive_" #name "(v)", inclusive_##name, true \
    }
#define CLAMPED(name)                                                                     \
    {"clamp((long)sub_group_non_uniform_scan_exclusive_" #name "(v), -1000L, 1000L)",     \
     exclusive_##name, false},                                                            \
        {"sub_group_non_uniform_reduce_" #name "(v)", reduce_##name, false},              \
        {"sub_group_non_uniform_scan_inclusive_" #name "(v)", inclusive_##name, false}, { \
        "sub_group_clustered_reduce_" #name "(v, 4)", clustered_##name, false             \
    }

/* Of every type. */
static const function of_numbers[] = {
    {"sub_group_shuffle(v, b)", shuffle, false},
    {"sub_group_non_uniform_broadcast(v, 3)", NULL, false},
    {"sub_group_shuffle_xor(v, b)", shuffle_xor, false},
    {"sub_group_shuffle_up(v, b)", shuffle_up, false},
    {"sub_group_shuffle_down(v, b)", shuffle_down, false},
    {"sub_group_rotate(v, (int)b)", rotate, false},
    {"sub_group_clustered_rotate(v, (int)b, 4)", clustered_rotate, false},
    {"sub_group_broadcast_first(v)", broadcast_first, false},
    {"intel_sub_group_shuffle(v, b)", shuffle, false},
    {"intel_sub_group_shuffle_xor(v, b)", shuffle_xor, false},
    {"intel_sub_group_shuffle_down(v, w, b % SIZE)", intel_down, false},
    {"intel_sub_group_shuffle_up(v, w, b % SIZE)", intel_up, false},
    {"sub_group_non_uniform_all_equal(v)", all_equal, false},
    WAYS(add, "v"),
    CLAMPED(min),
    CLAMPED(max),
    PLAIN_WAYS(add),
    PLAIN_WAYS(min),
    PLAIN_WAYS(max),
};

static const function of_ints[] = {
    {"sub_group_ballot(v).x", ballot_low, false},
    {"sub_group_ballot(v).y", ballot_high, false},
    {"sub_group_ballot(v).z + sub_group_ballot(v).w", NULL, false},
    {"sub_group_ballot_bit_count(sub_group_ballot(v))", bit_count, false},
    {"sub_group_ballot_inclusive_scan(sub_group_ballot(v))", inclusive_votes, false},
    {"sub_group_ballot_exclusive_scan(sub_group_ballot(v))", exclusive_votes, false},
    {"sub_group_inverse_ballot(sub_group_ballot(v))", own_vote, false},
    {"sub_group_ballot_bit_extract(sub_group_ballot(v), b)", vote_of_b, false},
    {"sub_group_non_uniform_any(v) ? sub_group_ballot_find_lsb(sub_group_ballot(v)) : -1",
     least_vote, false},
    {"sub_group_non_uniform_any(v) ? sub_group_ballot_find_msb(sub_group_ballot(v)) : -1",
     greatest_vote, false},
    {"sub_group_non_uniform_any(v)", any, false},
    {"sub_group_non_uniform_all(v)", all, false},
    {"sub_group_any(v)", any, true},
    {"sub_group_all(v)", all, true},
    {"sub_group_elect()", elect, false},
    {WORDS("get_sub_group_eq_mask()"), mask_eq, false},
    {WORDS("get_sub_group_ge_mask()"), mask_ge, false},
    {WORDS("get_sub_group_gt_mask()"), mask_gt, false},
    {WORDS("get_sub_group_le_mask()"), mask_le, false},
    {WORDS("get_sub_group_lt_mask()"), mask_lt, false},
    WAYS(mul, "v"),
    WAYS(and, "v"),
    WAYS(or, "v"),
    WAYS(xor, "v"),
    WAYS(logical_and, "v"),
    WAYS(logical_or, "v"),
    WAYS(logical_xor, "v"),
};

/* Of NULL answers: lane 3, and 0. */
static int64_t answer(const function *f, const question *q) {
    if (f->answer)
        return f->answer(q);
    return strstr(f->call, "broadcast") ? oracle_shuffled_to(q->group, 3) : 0;
}

/* ---- a kernel of calls ------------------------------------------------------------ */

typedef struct scene {
    const char *type;
    int size;
    bool by_all;
    const function *functions;
    uint32_t count;
    int32_t v[LANES], w[LANES], b[LANES], here[LANES];
} scene;

static bool is_asked(const scene *s, uint32_t k) { return s->by_all || !s->functions[k].of_all; }

static char *kernel_of(hd_arena *arena, const scene *s) {
    hd_str t = {.arena = arena};
    hd_str_printf(&t,
                  "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
                  "#define SIZE %d\n"
                  "__attribute__((intel_reqd_sub_group_size(SIZE)))\n"
                  "__kernel void k(__global const int *vs, __global const int *ws,\n"
                  "                __global const int *bs, __global const int *here,\n"
                  "                __global int *out) {\n"
                  "  int i = get_local_id(0), n = get_local_size(0);\n"
                  "  %s v = vs[i], w = ws[i];\n  uint b = bs[i];\n  if (here[i]) {\n",
                  s->size, s->type);
    for (uint32_t k = 0; k < s->count; k++)
        if (is_asked(s, k))
            hd_str_printf(&t, "    out[%u * n + i] = %s;\n", k, s->functions[k].call);
    hd_str_add(&t, "  }\n}\n");
    return t.data;
}

static oracle_sub_group group_of(const scene *s, uint32_t i) {
    oracle_sub_group g = {.size = s->size};
    uint32_t first = i / (uint32_t)s->size * (uint32_t)s->size;
    for (uint32_t l = 0; l < (uint32_t)s->size && first + l < LANES; l++) {
        g.here[l] = s->here[first + l];
        g.value[l] = s->v[first + l];
        g.next[l] = s->w[first + l];
    }
    return g;
}

static void check_lane(const scene *s, const int32_t *out, uint32_t i) {
    oracle_sub_group g = group_of(s, i);
    question q = {&g, (int)i % s->size, s->b[i]};
    for (uint32_t k = 0; k < s->count; k++) {
        if (!is_asked(s, k))
            continue;
        int32_t want = (int32_t)answer(&s->functions[k], &q), got = out[k * LANES + i];
        if (want == -1000 && *s->type == 'u')
            want = 0;
        if (want != got)
            fail_msg("%s of %s, sub-groups of %d, thread %u, b = %d: %d, should be %d",
                     s->functions[k].call, s->type, s->size, i, s->b[i], got, want);
    }
}

/* Of types without a sign values are from 0 on. */
static void fill(scene *s, uint64_t seed) {
    uint64_t state = seed;
    bool is_unsigned = *s->type == 'u';
    for (uint32_t i = 0; i < LANES; i++) {
        uint64_t bits = random_bits(&state);
        s->v[i] = (int32_t)(bits % 7) - (is_unsigned ? 0 : 3);
        s->w[i] = (int32_t)(bits >> 8 & 63);
        s->b[i] = (int32_t)(bits >> 16 & 15);
        s->here[i] = s->by_all || (bits >> 32 & 3) != 0;
    }
}

static void check(scene *s, uint64_t seed) {
    hd_arena *arena = hd_arena_new();
    fill(s, seed);
    const machine_buffer buffers[] = {{"vs", LANES, s->v},
                                      {"ws", LANES, s->w},
                                      {"bs", LANES, s->b},
                                      {"here", LANES, s->here},
                                      {"out", LANES * s->count, NULL}};
    machine k;
    machine_run(&k, kernel_of(arena, s), buffers, 5, LANES, LANES);
    if (k.status)
        fail_msg("%s", hd_str_text(&k.messages));
    for (uint32_t i = 0; i < LANES; i++)
        if (s->here[i])
            check_lane(s, machine_ints(&k, 4), i);
    machine_close(&k);
    hd_arena_free(arena);
}

#define COUNT(functions) (uint32_t)(sizeof(functions) / sizeof *(functions))

static void check_types(const char *const *types, uint32_t type_count, const function *functions,
                        uint32_t count) {
    static scene s;
    for (uint32_t t = 0; t < type_count; t++)
        for (int size = 8; size <= ORACLE_MOST_LANES; size *= 2)
            for (int by_all = 0; by_all < 2; by_all++) {
                s = (scene){types[t], size, by_all, functions, count};
                check(&s, (uint64_t)size + t);
            }
}

static void every_function_is_as_its_specification_says(void **state) {
    static const char *const types[] = {"int", "uint", "float", "half", "long"};
    static const char *const ints[] = {"int"};
    (void)state;
    check_types(types, 5, of_numbers, COUNT(of_numbers));
    check_types(ints, 1, of_ints, COUNT(of_ints));
}

static void a_cluster_has_a_size_that_can_be(void **state) {
    machine k;
    const machine_buffer out = {"out", 32, NULL};
    (void)state;
    machine_run(&k,
                "__kernel void k(__global int *out) {\n"
                "  out[0] = sub_group_clustered_reduce_add(1, 64); }\n",
                &out, 1, 32, 32);
    assert_int_not_equal(k.status, HD_OK);
    assert_non_null(strstr(hd_str_text(&k.messages), "with a size of clusters"));
    machine_close(&k);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_function_is_as_its_specification_says),
        cmocka_unit_test(a_cluster_has_a_size_that_can_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
