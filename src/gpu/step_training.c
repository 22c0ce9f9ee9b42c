/* The tree of tiles: a training with some lengths first, so that programs have a tree, and with the
 * others when all else is done. */
#include "gpu/gpu.h"
#include "measure/train.h"
#include "report/json.h"

enum { FOLDS = 10, SEED = 1 };

typedef struct trainer {
    hd_gpu_step_run *run;
    volatile sig_atomic_t late;
} trainer;

static void look_at_clock(void *user, const char *what, double share) {
    trainer *t = user;
    (void)what, (void)share;
    if (!hd_gpu_has_time(t->run, 1))
        t->late = 1;
}

static json_t *score_json(const hd_tile_score *score) {
    return json_pack("{s:i, s:i, s:o, s:o}", "kernels", (int)score->kernels, "within",
                     (int)score->within, "slowdown", hd_json_number(score->slowdown), "worst",
                     hd_json_number(score->worst));
}

static void learn(hd_gpu_step_run *run, hd_database *database, const hd_training *training) {
    size_t kernel_count, pattern_count;
    hd_arena *arena = run->arena;
    hd_tile_kernel *kernels =
        hd_training_kernels(arena, training->runs, training->run_count, &kernel_count);
    hd_tile_pattern *patterns = hd_tile_patterns(arena, kernels, kernel_count, &pattern_count);
    hd_tile_steps *tree = hd_tile_learn(arena, patterns, pattern_count);
    hd_tile_score own = hd_tile_score_steps(tree, kernels, kernel_count);
    hd_tile_score folds = hd_tile_cross_validate(kernels, kernel_count, FOLDS, SEED);
    hd_tile_score sizes = hd_tile_leave_size_out(kernels, kernel_count);
    const hd_profiled_tree kept = {training->device, hd_date_now(arena),
                                   hd_tile_steps_print(arena, tree)};
    hd_database_put_tree(database, &kept);
    json_object_set_new(run->result, "kernels", hd_json_integer(kernel_count));
    json_object_set_new(run->result, "tree", hd_json_text(kept.text));
    json_object_set_new(run->result, "learned_from", score_json(&own));
    json_object_set_new(run->result, "cross_validation", score_json(&folds));
    json_object_set_new(run->result, "size_left_out", score_json(&sizes));
}

static hd_status train(hd_gpu_step_run *run, const uint32_t *lengths, uint32_t length_count) {
    static const uint32_t small_bytes[] = {8};
    trainer t = {run, 0};
    hd_training training;
    const hd_train_options options = {.device = "cuda:0",
                                      .backend = "cuda",
                                      .lengths = lengths,
                                      .length_count = length_count,
                                      .bytes = run->small ? small_bytes : NULL,
                                      .byte_count = 1,
                                      .repeats = run->small ? 1 : 0,
                                      .stop = &t.late,
                                      .progress = look_at_clock,
                                      .user = &t};
    hd_database *database = hd_database_open(run->arena, run->diag,
                                             hd_format(run->arena, "%s/profiles.db", run->folder));
    hd_status status = hd_train(run->arena, run->diag, database, &options, &training);
    if (training.run_count)
        learn(run, database, &training);
    hd_database_close(database);
    return status;
}

hd_status hd_gpu_run_training(hd_gpu_step_run *run) {
    static const uint32_t some[] = {256, 1024}, one[] = {128};
    return run->small ? train(run, one, 1) : train(run, some, 2);
}

hd_status hd_gpu_run_whole_training(hd_gpu_step_run *run) {
    return run->small ? hd_gpu_run_training(run) : train(run, NULL, 0);
}

static void show_score(hd_str *page, const json_t *score, const char *name) {
    hd_str_printf(page, "| %s | %.0f of %.0f | %.3f | %.2f |\n", name,
                  hd_gpu_number(score, "within"), hd_gpu_number(score, "kernels"),
                  hd_gpu_number(score, "slowdown"), hd_gpu_number(score, "worst"));
}

void hd_gpu_show_training(hd_str *page, const json_t *result) {
    const char *tree = hd_gpu_text(result, "tree");
    if (!*tree)
        return;
    hd_str_printf(page, "Tile by bytes of a cluster, from %.0f kernels: `%s`\n\n",
                  hd_gpu_number(result, "kernels"), tree);
    hd_str_add(page,
               "| kernels | within 1% of the best tile | mean | worst |\n|---|--:|--:|--:|\n");
    show_score(page, json_object_get(result, "learned_from"), "that it was learned from");
    show_score(page, json_object_get(result, "cross_validation"), "left out");
    show_score(page, json_object_get(result, "size_left_out"), "of a size left out");
}
