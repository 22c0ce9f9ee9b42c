/* Placements without a device: what counts of each buffer say, against figures done by hand and against all
 * combinations of placements. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "advise/placements.h"
#include "support.h"

enum { THREADS = 1 << 12, RECORDS = 1 << 16, FEW = 1 << 12 };

/* A gather from a large table, a small one that all blocks read again and again, and results. */
static const char kernel[] =
    "struct r { float x, y, z, w; };\n"
    "__kernel void k(__global const struct r *table, __global const struct r *often,\n"
    "                __global const int *at, __global float *out) {\n"
    "    int i = get_global_id(0);\n"
    "    float sum = table[at[i]].x;\n"
    "    for (int j = 0; j < 64; j++)\n"
    "        sum += often[(i * 61 + j * 67) % 4096].x;\n"
    "    out[i] = sum;\n"
    "}\n"
    "__kernel void again(__global float *out) { out[get_global_id(0)] *= 2.0f; }\n";

static const char job_text[] =
    "kernel: k.cl\nrecord: r\nbuffers:\n"
    "  - {name: table, type: r, count: 65536%s}\n"
    "  - {name: often, type: r, count: 4096}\n"
    "  - {name: at, type: int, count: 4096, init: [{generator: uniform, low: 0, high: 65535, seed: "
    "7}]}\n"
    "  - {name: out, type: float, count: 4096}\n"
    "launches:\n"
    "  - {kernel: k, global: [4096], local: [256], args: [{name: table, buffer: table}, {name: "
    "often, buffer: often}, {name: at, buffer: at}, {name: out, buffer: out}]}\n"
    "%s";
static const char again[] = "  - {kernel: again, global: [4096], local: [256], repeat: 3, args: "
                            "[{name: out, buffer: out}]}\n";

enum { TABLE, OFTEN, AT, OUT, BUFFERS };
static const hd_placement all[] = {HD_PLACEMENT_DEVICE, HD_PLACEMENT_HOST,    HD_PLACEMENT_FINE,
                                   HD_PLACEMENT_COARSE, HD_PLACEMENT_MANAGED, HD_PLACEMENT_HINTED};
enum { ALL = sizeof all / sizeof *all };

typedef struct asked {
    hd_sample s;
    hd_advice advice;
    hd_advise_options options;
    hd_placements_advice placed;
    hd_status status;
} asked;

/* `where`: of the table. */
static void ask(asked *a, const char *device, const char *where, const char *more,
                hd_objective objective) {
    hd_sample *s = &a->s;
    *s = (hd_sample){.arena = hd_arena_new(), .diag = {hd_sample_message, NULL}};
    s->folder = folder_make(s->arena);
    const char *text = hd_format(s->arena, job_text, where, more);
    char *path = hd_format(s->arena, "%s/job.yaml", s->folder);
    const hd_device **devices = hd_new_array(s->arena, const hd_device *, 1);
    assert_int_equal(hd_device_find(s->arena, &s->diag, device, &devices[0]), HD_OK);
    assert_int_equal(
        hd_write_file(&s->diag, hd_format(s->arena, "%s/k.cl", s->folder), kernel, strlen(kernel)),
        HD_OK);
    assert_int_equal(hd_write_file(&s->diag, path, text, strlen(text)), HD_OK);
    assert_int_equal(hd_job_read(s->arena, &s->diag, path, &s->job), HD_OK);
    assert_int_equal(hd_frontend_of(s->arena, &s->diag, s->job->kernel_path, NULL,
                                    hd_form_for(devices[0]), NULL, &s->module),
                     HD_OK);
    assert_int_equal(hd_job_resolve(s->arena, &s->diag, s->job, s->module), HD_OK);
    a->options = (hd_advise_options){.objective = objective,
                                     .devices = devices,
                                     .device_count = 1,
                                     .cost = {.loops = HD_LOOPS_PENG},
                                     .run = true,
                                     .brief = true};
    assert_int_equal(hd_advise(s->arena, &s->diag, s->job, &a->options, &a->advice), HD_OK);
    a->status =
        hd_advise_placements(s->arena, &s->diag, &a->advice, &a->options, all, ALL, &a->placed);
}

static void end(asked *a) {
    folder_remove(a->s.folder);
    hd_arena_free(a->s.arena);
}

static void assert_near(double is, double expected) {
    if (fabs(is - expected) > 1e-6 * fabs(expected))
        fail_msg("%g, expected %g", is, expected);
}

/* So many bytes at this rate, and what the launches of copies take besides. */
static void assert_copied(double seconds, double bytes, double rate, int copies) {
    if (seconds < bytes / rate || seconds > bytes / rate + copies * 1e-5)
        fail_msg("%g s for %g bytes at %g/s", seconds, bytes, rate);
}

/* What is used sparsely is left where it is, what is used often is copied; the same by energy. */
static void buffers_go_where_they_are_used_best(void **state) {
    (void)state;
    for (int objective = 0; objective <= HD_QUANTITY_ENERGY; objective++) {
        asked a;
        ask(&a, "radeon-fiji", "", again, (hd_objective)objective);
        assert_int_equal(a.status, HD_OK);
        const hd_layout_placing *best = &a.placed.layouts[a.placed.best];
        assert_false(a.placed.leave);
        assert_true(a.placed.gain.low > 1);
        assert_int_not_equal(best->chosen[TABLE], HD_PLACEMENT_DEVICE);
        assert_true(best->chosen[OFTEN] == HD_PLACEMENT_DEVICE ||
                    best->chosen[OFTEN] == HD_PLACEMENT_COARSE);
        end(&a);
        ask(&a, "h200", "", again, (hd_objective)objective);
        best = &a.placed.layouts[0]; /* in columns all of it is in L1 */
        assert_int_equal(a.placed.priced_count, 2);
        assert_int_equal(best->chosen[TABLE], HD_PLACEMENT_HOST);
        assert_int_equal(best->chosen[OFTEN], HD_PLACEMENT_DEVICE);
        end(&a);
    }
}

/* Nothing is copied that kernels only read back, or that they only write first; and by hand. */
static void copies_go_where_they_are_needed(void **state) {
    (void)state;
    asked a;
    ask(&a, "radeon-fiji", "", "", HD_QUANTITY_TIME);
    const hd_placements_advice *p = &a.placed;
    static const bool read[] = {true, true, true, false}, written[] = {false, false, false, true};
    assert_memory_equal(p->read, read, sizeof read);
    assert_memory_equal(p->written, written, sizeof written);
    const hd_layout_placing *original = &p->layouts[0];
    const uint64_t bytes = RECORDS * 16 + FEW * 16 + THREADS * 4 + THREADS * 4;
    assert_copied(original->as_is.copies, (double)bytes, 13e9, BUFFERS);
    assert_near(original->as_is.link_bytes, (double)bytes);
    /* Over the link the kernel takes whole sectors, of what it uses alone. */
    const hd_buffer_traffic *t = original->counts.traffic;
    const hd_whole_run *host = &original->all[HD_PLACEMENT_HOST];
    double in = 0, out = 0;
    for (int b = 0; b < BUFFERS; b++) {
        in += t[b].read;
        out += t[b].written;
    }
    assert_true(host->copies == 0);
    assert_near(host->link_bytes, in + out);
    assert_near(host->time.of[HD_BOUND_LINK], (in > out ? in : out) / 13e9);
    assert_true(t[TABLE].read >= THREADS * 32 && t[TABLE].read <= THREADS * 64);
    assert_true(t[OFTEN].read > 8 * FEW * 16 && t[OFTEN].written == 0);
    assert_true(t[AT].read == THREADS * 4 && t[OUT].written == THREADS * 4 && t[OUT].read == 0);
    /* L2 keeps what is coarse-grained. */
    assert_true(original->all[HD_PLACEMENT_COARSE].link_bytes < host->link_bytes / 4);
    end(&a);
    /* Written by one launch and read by another: both ways. */
    ask(&a, "radeon-fiji", "", again, HD_QUANTITY_TIME);
    assert_true(a.placed.read[OUT] && a.placed.written[OUT]);
    assert_copied(a.placed.layouts[0].as_is.copies, (double)(bytes + THREADS * 4), 13e9,
                  BUFFERS + 1);
    end(&a);
}

/* Two buffers of one record are counted apart, and all buffers together are all. */
static void traffic_adds_up(void **state) {
    (void)state;
    static const char *const devices[] = {"radeon-fiji", "amd-kaveri", "h200"};
    for (size_t d = 0; d < sizeof devices / sizeof *devices; d++) {
        asked a;
        ask(&a, devices[d], "", again, HD_QUANTITY_TIME);
        for (uint32_t i = 0; i < a.placed.count; i++) {
            const hd_run_counts *c = &a.placed.layouts[i].counts;
            assert_int_equal(c->buffer_count, BUFFERS);
            for (uint32_t l = 0; l < c->work_count; l++) {
                double l2 = 0, dram = 0, rows = 0;
                for (uint32_t b = 0; b < BUFFERS; b++) {
                    const hd_buffer_traffic *t = &c->traffic[l * BUFFERS + b];
                    l2 += t->read + t->written;
                    dram += t->dram_read + t->dram_written;
                    rows += t->dram_rows;
                }
                assert_near(l2, c->works[l].l2_bytes);
                assert_near(dram, c->works[l].dram_bytes);
                assert_near(rows, c->works[l].dram_rows);
            }
            assert_true(c->bytes[TABLE] >= RECORDS * 16 && c->bytes[OFTEN] >= FEW * 16);
            assert_int_equal(c->bytes[AT], THREADS * 4);
        }
        end(&a);
    }
}

/* The study's figure 8: where the memory is shared a copy only adds, in every layout. */
static void shared_memory_is_used_in_place(void **state) {
    (void)state;
    static const char *const devices[] = {"amd-kaveri", "amd-carrizo"};
    for (size_t d = 0; d < sizeof devices / sizeof *devices; d++) {
        asked a;
        ask(&a, devices[d], "", "", HD_QUANTITY_TIME);
        const hd_placements_advice *p = &a.placed;
        assert_int_equal(a.status, HD_OK);
        assert_int_equal(p->priced_count, 4);
        assert_true(p->count >= 3);
        for (uint32_t i = 0; i < p->count; i++) {
            const hd_whole_run *device = &p->layouts[i].all[HD_PLACEMENT_DEVICE],
                               *host = &p->layouts[i].all[HD_PLACEMENT_HOST];
            assert_true(host->time.seconds < device->time.seconds);
            assert_true(host->joules < device->joules);
            assert_true(device->kernels == host->kernels && host->copies == 0);
            assert_true(device->link_bytes == 0 && host->link_bytes == 0);
        }
        for (uint32_t b = 0; b < BUFFERS; b++)
            assert_int_equal(p->layouts[p->best].chosen[b], HD_PLACEMENT_HOST);
        const double bytes = RECORDS * 16 + FEW * 16 + THREADS * 4 + THREADS * 4;
        assert_true(p->layouts[0].as_is.copies > 2 * bytes / (p->device->speed.dram * 1e9));
        assert_true(p->layouts[0].as_is.copies < 3 * bytes / (p->device->speed.dram * 1e9));
        /* What L2 has, fine-grained memory has to give itself. */
        assert_true(p->layouts[0].all[HD_PLACEMENT_FINE].joules >
                    p->layouts[0].all[HD_PLACEMENT_HOST].joules);
        end(&a);
    }
}

/* Against all combinations, but for what hardly gains. */
static void no_combination_takes_less(void **state) {
    (void)state;
    static const char *const devices[] = {"radeon-fiji", "amd-kaveri", "h200", "tesla-k20c"};
    for (size_t d = 0; d < sizeof devices / sizeof *devices; d++)
        for (int objective = 0; objective <= HD_QUANTITY_ENERGY; objective++) {
            asked a;
            ask(&a, devices[d], ", placement: host", again, (hd_objective)objective);
            const hd_placements_advice *p = &a.placed;
            assert_int_equal(a.status, HD_OK);
            for (uint32_t i = 0; i < p->count; i++) {
                const hd_layout_placing *of = &p->layouts[i];
                double least = INFINITY;
                for (uint32_t number = 0; number < 256; number++) {
                    hd_placement in[BUFFERS];
                    bool is_priced = true;
                    for (int b = 0; b < BUFFERS; b++) {
                        in[b] = all[number >> 2 * b & 3];
                        is_priced &= !hd_placement_unpriced(p->device, in[b]);
                    }
                    if (!is_priced)
                        continue;
                    const hd_whole_run run = hd_whole_run_with(p, &of->counts, in);
                    least = fmin(least, hd_whole_run_value(&run, p->objective));
                }
                assert_true(hd_whole_run_value(&of->run, p->objective) <=
                            least * pow(1 + HD_NOTICEABLE, BUFFERS));
                assert_true(hd_whole_run_value(&of->run, p->objective) <=
                            hd_whole_run_value(&of->as_is, p->objective));
            }
            end(&a);
        }
}

static void what_cannot_be_priced_is_said(void **state) {
    (void)state;
    asked a;
    ask(&a, "h200", "", "", HD_QUANTITY_TIME);
    assert_int_equal(a.placed.priced_count, 2);
    assert_null(hd_placement_unpriced(a.placed.device, HD_PLACEMENT_HOST));
    assert_non_null(hd_placement_unpriced(a.placed.device, HD_PLACEMENT_FINE));
    end(&a);
    ask(&a, "radeon-fiji", ", placement: managed", "", HD_QUANTITY_TIME);
    assert_int_equal(a.status, HD_EUNSUPPORTED);
    end(&a);
    ask(&a,
        "warp:32 l1:48k/128 l2:768k/32 w:1,30,100 blocks:8 threads:1536 regs:32768 sms:14 "
        "l1tags:128/4 l2tags:128/16",
        "", "", HD_QUANTITY_TIME);
    assert_int_equal(a.status, HD_EINPUT);
    end(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(buffers_go_where_they_are_used_best),
                                       cmocka_unit_test(copies_go_where_they_are_needed),
                                       cmocka_unit_test(traffic_adds_up),
                                       cmocka_unit_test(shared_memory_is_used_in_place),
                                       cmocka_unit_test(no_combination_takes_less),
                                       cmocka_unit_test(what_cannot_be_priced_is_said)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
