/* Orders of threads for a whole job: an example whose threads are shuffled, and what is found. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>

#include <cmocka.h>

#include "advise/mapping.h"
#include "support.h"

static uint64_t transactions(const hd_mapping *m, uint32_t step) {
    return m->steps[step].counts.transactions;
}

/* What began in a random order is not called the original. */
static void check_names(const hd_mapping *as_it_is, const hd_mapping *shuffled) {
    assert_string_equal(shuffled->steps[0].name, "unsorted");
    assert_string_equal(shuffled->original->name, "original");
    assert_int_equal(shuffled->original->counts.transactions, transactions(as_it_is, 0));
}

/* Most of what shuffling adds goes again, the results stay, and blocks at once are tried. */
static void a_shuffled_example(void **state) {
    hd_sample s;
    hd_mapping *as_it_is, *shuffled;
    hd_map_question question = {
        .stages = {.threads = true, .warps = true, .blocks = true, .refine = true}, .caches = true};
    (void)state;
    hd_sample_read(&s, "examples/irreg/irreg-small.yaml");
    assert_int_equal(hd_device_find(s.arena, &s.diag, "tesla-k20c", &question.device), HD_OK);
    assert_int_equal(hd_map_job(s.arena, &s.diag, s.job, &question, &as_it_is), HD_OK);
    assert_true(as_it_is->complete);
    assert_null(as_it_is->throttling);
    assert_null(as_it_is->original);
    assert_string_equal(as_it_is->steps[0].name, "original");

    question.shuffled_threads = 1;
    question.throttle = true;
    assert_int_equal(hd_map_job(s.arena, &s.diag, s.job, &question, &shuffled), HD_OK);
    assert_true(shuffled->best > 0);
    uint64_t unsorted = transactions(shuffled, 0), best = transactions(shuffled, shuffled->best);
    uint64_t added = unsorted - transactions(as_it_is, 0);
    assert_true(unsorted > transactions(as_it_is, 0));
    assert_true((unsorted - best) * 10 >= added * 8);
    for (uint32_t i = 0; i < shuffled->step_count; i++)
        assert_true(shuffled->steps[i].bit_equal);
    check_names(as_it_is, shuffled);

    const hd_throttling *t = shuffled->throttling;
    assert_non_null(t);
    assert_true(t->complete);
    const hd_throttled *full = &t->rows[t->row_count - 1];
    assert_int_equal(t->rows[0].blocks_at_once, 1);
    assert_int_equal(full->local_bytes, 0);
    assert_int_equal(full->sum.counts.dram_read, shuffled->steps[shuffled->best].caches.dram_read);
    for (uint32_t r = 1; r < t->row_count; r++)
        assert_true(t->rows[r].blocks_at_once > t->rows[r - 1].blocks_at_once);

    question.shuffled_threads = 0;
    question.shuffled_data = 3;
    question.throttle = false;
    hd_mapping *data;
    assert_int_equal(hd_map_job(s.arena, &s.diag, s.job, &question, &data), HD_OK);
    check_names(as_it_is, data);
    assert_true(data->steps[0].bit_equal && transactions(data, 0) > transactions(as_it_is, 0));
    hd_sample_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_shuffled_example)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
