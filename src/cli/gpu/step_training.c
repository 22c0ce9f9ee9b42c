/* The tree of tiles: a training with some lengths first, so that programs have a tree, and with the
 * others when all else is done. */
#include "cli/gpu/gpu.h"
#include "advise/measure/train.h"
#include "cli/report/report_result.h"

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

typedef struct trained {
    size_t kernels;
    const char *tree;
    hd_tile_score learned_from, cross_validation, size_left_out;
} trained;

static const hd_member score_members[] = {HD_SAME(hd_tile_score, kernels, within, slowdown, worst),
                                          {0}};
static const hd_member trained_members[] = {
    HD_SAME(trained, kernels, tree),
    {"learned_from", HD_IN(trained, learned_from), .of = score_members},
    {"cross_validation", HD_IN(trained, cross_validation), .of = score_members},
    {"size_left_out", HD_IN(trained, size_left_out), .of = score_members},
    {0}};

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
    if (training.run_count) {
        size_t kernel_count, pattern_count;
        hd_arena *arena = run->arena;
        const hd_view view = {arena};
        hd_tile_kernel *kernels =
            hd_training_kernels(arena, training.runs, training.run_count, &kernel_count);
        hd_tile_pattern *patterns = hd_tile_patterns(arena, kernels, kernel_count, &pattern_count);
        hd_tile_steps *tree = hd_tile_learn(arena, patterns, pattern_count);
        hd_tile_score own = hd_tile_score_steps(tree, kernels, kernel_count);
        hd_tile_score folds = hd_tile_cross_validate(kernels, kernel_count, FOLDS, SEED);
        hd_tile_score sizes = hd_tile_leave_size_out(kernels, kernel_count);
        const hd_profiled_tree kept = {training.device, hd_date_now(arena),
                                       hd_tile_steps_print(arena, tree)};
        const trained all = {kernel_count, kept.text, own, folds, sizes};
        hd_database_put_tree(database, &kept);
        hd_json_add_row(run->result, &view, trained_members, &all);
    }
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

void hd_gpu_show_training(hd_str *page, const json_t *result) {
    const char *tree = hd_gpu_text(result, "tree");
    if (!*tree)
        return;
    hd_str_printf(page, "Tile by bytes of a cluster, from %.0f kernels: `%s`\n\n",
                  hd_gpu_number(result, "kernels"), tree);
    hd_str_add(page,
               "| kernels | within 1% of the best tile | mean | worst |\n|---|--:|--:|--:|\n");
    static const char *const scores[][2] = {{"learned_from", "that it was learned from"},
                                            {"cross_validation", "left out"},
                                            {"size_left_out", "of a size left out"}};
    for (int s = 0; s < 3; s++) {
        const json_t *score = json_object_get(result, scores[s][0]);
        hd_str_printf(page, "| %s | %.0f of %.0f | %.3f | %.2f |\n", scores[s][1],
                      hd_gpu_number(score, "within"), hd_gpu_number(score, "kernels"),
                      hd_gpu_number(score, "slowdown"), hd_gpu_number(score, "worst"));
    }
}
