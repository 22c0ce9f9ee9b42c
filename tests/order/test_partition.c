/* Zoltan and METIS through heddle-mpi: parts of exact sizes that cut little; without heddle-mpi a
 * message that says what to install. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "order/orders.h"
#include "order/random_sharing.h"

enum { GROUPS = 12, EACH = 7, VERTICES = GROUPS * EACH };

typedef struct scene {
    hd_arena *arena;
    hd_diag diag;
    char said[400];
} scene;

static void note(const hd_message *message, void *user) {
    scene *s = user;
    snprintf(s->said, sizeof s->said, "%s", message->text);
}

static int begin(void **state) {
    static scene s;
    s = (scene){.arena = hd_arena_new()};
    s.diag = (hd_diag){note, &s};
    *state = &s;
    return 0;
}

static int end(void **state) {
    hd_arena_free(((scene *)*state)->arena);
    return 0;
}

static bool is_there(const scene *s) { return hd_own_program(s->arena, "heddle-mpi") != NULL; }

/* Groups of vertices, shuffled, with nets of all in a group, and some of two groups. */
static hd_nets groups_of(const scene *s, const uint32_t *shuffled) {
    hd_nets nets = {.count = 3 * GROUPS,
                    .first = hd_new_array(s->arena, uint64_t, 3 * GROUPS + 1),
                    .thread = hd_new_array(s->arena, uint32_t, 3 * VERTICES),
                    .weight = hd_new_array(s->arena, uint32_t, 3 * GROUPS)};
    uint64_t at = 0;
    for (uint32_t n = 0; n < nets.count; n++) {
        uint32_t group = n / 3, size = n % 3 == 2 ? 2 : EACH;
        nets.weight[n] = n % 3 == 2 ? 1 : 64;
        for (uint32_t i = 0; i < size; i++)
            nets.thread[at++] = shuffled[(group * EACH + (n % 3 == 2 ? i * EACH : i)) % VERTICES];
        nets.first[n + 1] = at;
    }
    return nets;
}

static void check_sizes(const uint32_t *part, const uint32_t *sizes, uint32_t parts) {
    uint32_t held[GROUPS] = {0};
    for (uint32_t v = 0; v < VERTICES; v++)
        held[part[v]]++;
    for (uint32_t p = 0; p < parts; p++)
        assert_int_equal(held[p], sizes[p]);
}

/* Each group is found again; unequal parts get what they should have. */
static void check(const scene *s, hd_partitioner partitioner) {
    uint32_t *shuffled = random_order(s->arena, VERTICES, 3);
    const hd_nets nets = groups_of(s, shuffled);
    uint32_t part[VERTICES], sizes[GROUPS];
    for (uint32_t p = 0; p < GROUPS; p++)
        sizes[p] = EACH;
    hd_status status = hd_partition(&s->diag, partitioner, VERTICES, &nets, GROUPS, sizes, part);
    if (status == HD_EUNSUPPORTED) { /* built without it */
        assert_non_null(strstr(s->said, partitioner == HD_PART_METIS ? "METIS" : "Zoltan"));
        skip();
    }
    assert_int_equal(status, HD_OK);
    check_sizes(part, sizes, GROUPS);
    uint32_t whole = 0;
    for (uint32_t g = 0; g < GROUPS; g++) {
        uint32_t same = 0;
        for (uint32_t i = 0; i < EACH; i++)
            same += part[shuffled[g * EACH + i]] == part[shuffled[g * EACH]];
        whole += same == EACH;
    }
    assert_in_range(whole, GROUPS - 2, GROUPS);
    sizes[0] = EACH + 2;
    sizes[1] = 3 * EACH + 1;
    sizes[2] = VERTICES - sizes[0] - sizes[1];
    assert_int_equal(hd_partition(&s->diag, partitioner, VERTICES, &nets, 3, sizes, part), HD_OK);
    check_sizes(part, sizes, 3);
}

static void zoltan(void **state) {
    if (!is_there(*state))
        skip();
    check(*state, HD_PART_ZOLTAN);
}

static void metis(void **state) {
    if (!is_there(*state))
        skip();
    check(*state, HD_PART_METIS);
}

static void of_warps(void **state) {
    const scene *s = *state;
    if (!is_there(s))
        skip();
    /* Blocks of two warps and one that is not full. */
    const random_shape shape = {6, 10, 4, 3, 2, 80, 8, 0};
    const hd_sharing sharing = random_sharing(s->arena, &shape, 9);
    uint32_t *order = random_order(s->arena, sharing.threads, 2);
    uint64_t before = hd_block_bytes(&sharing, order);
    hd_status status = hd_cluster_warps(
        &s->diag, &sharing,
        &(hd_stages){.partitioner = HD_PART_METIS, .partition = hd_partition, .refine = true},
        order);
    if (status == HD_EUNSUPPORTED)
        skip();
    assert_int_equal(status, HD_OK);
    assert_true(hd_is_permutation(order, sharing.threads, NULL));
    assert_true(hd_block_bytes(&sharing, order) < before);
}

static void not_there(void **state) {
    scene *s = *state;
    if (is_there(s))
        skip();
    const uint32_t sizes[] = {1};
    uint64_t first = 0;
    uint32_t part;
    const hd_nets none = {.first = &first};
    assert_int_equal(hd_partition(&s->diag, HD_PART_ZOLTAN, 1, &none, 1, sizes, &part),
                     HD_EUNSUPPORTED);
    assert_non_null(strstr(s->said, "libtrilinos-zoltan-dev"));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(zoltan, begin, end),
                                       cmocka_unit_test_setup_teardown(metis, begin, end),
                                       cmocka_unit_test_setup_teardown(of_warps, begin, end),
                                       cmocka_unit_test_setup_teardown(not_there, begin, end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
