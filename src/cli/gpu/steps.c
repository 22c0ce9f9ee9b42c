/* The table of steps, and what they all do with their results. */
#include <stdio.h>

#include "cli/gpu/gpu.h"
#include "cli/report/report_result.h"

#define PROGRAM(name, title, subject)                                   \
    {name, title, 45, hd_gpu_run_program, hd_gpu_show_program, subject}

const hd_gpu_step hd_gpu_steps[] = {
    {"device", "The device", 30, hd_gpu_run_device, hd_gpu_show_device, NULL},
    {"copies", "Copies", 30, hd_gpu_run_copies, hd_gpu_show_copies, NULL},
    {"remap", "Remapping within the device", 120, hd_gpu_run_remap, hd_gpu_show_remap, NULL},
    {"overlap", "Transfer and remap at once", 60, hd_gpu_run_overlap, hd_gpu_show_overlap, NULL},
    {"training", "The tree of tiles", 150, hd_gpu_run_training, hd_gpu_show_training, NULL},
    PROGRAM("kmeans", "kmeans", "examples/kmeans/kmeans"),
    PROGRAM("nbody", "nbody", "examples/nbody/nbody"),
    PROGRAM("lavamd", "lavamd", "examples/lavamd/lavamd"),
    PROGRAM("blackscholes", "blackscholes", "examples/blackscholes/blackscholes"),
    PROGRAM("bitonic", "bitonic", "examples/bitonic/bitonic"),
    PROGRAM("sampo", "sampo", "examples/sampo/sampo"),
    PROGRAM("table2-nbody4", "table 2: nbody4", "bench/table2/nbody4"),
    PROGRAM("table2-blackscholes", "table 2: blackscholes", "bench/table2/blackscholes"),
    PROGRAM("table2-bitonic", "table 2: bitonic", "bench/table2/bitonic"),
    PROGRAM("table2-lavamd", "table 2: lavamd", "bench/table2/lavamd"),
    PROGRAM("table2-sampo", "table 2: sampo", "bench/table2/sampo"),
    {"machine", "The device and Heddle's machine", 30, hd_gpu_run_machine, hd_gpu_show_machine,
     NULL},
    {"counters", "Sectors and hit rates", 150, hd_gpu_run_counters, hd_gpu_show_counters, NULL},
    {"whole-training", "The tree of tiles, from all kernels", 150, hd_gpu_run_whole_training,
     hd_gpu_show_training, NULL},
    {NULL, NULL, 0, NULL, NULL, NULL}};

const hd_gpu_step *hd_gpu_find_step(const char *name) {
    for (const hd_gpu_step *step = hd_gpu_steps; step->name; step++)
        if (!strcmp(step->name, name))
            return step;
    return NULL;
}

/* ---- a result --------------------------------------------------------------------- */

void hd_gpu_keep(hd_gpu_step_run *run) {
    hd_arena *arena = hd_arena_new();
    const char *text = hd_json_dump(arena, json_incref(run->result));
    hd_write_file(run->diag, run->path, text, strlen(text));
    hd_arena_free(arena);
}

bool hd_gpu_has_time(hd_gpu_step_run *run, double share) {
    bool has = hd_clock() - run->start < share * run->seconds;
    if (!has && share == 1)
        json_object_set_new(run->result, "cut", json_true());
    return has;
}

json_t *hd_gpu_add_row(hd_gpu_step_run *run, const char *name, const hd_member *members,
                       const void *row) {
    json_t *rows = json_object_get(run->result, name);
    json_t *object = hd_json_row(&(hd_view){run->arena}, members, row);
    if (!rows) {
        rows = json_array();
        json_object_set_new(run->result, name, rows);
    }
    json_array_append_new(rows, object);
    hd_gpu_keep(run);
    return object;
}

/* ---- a step's process ------------------------------------------------------------- */

typedef struct listener {
    const hd_diag *inner;
    json_t *result;
} listener;

/* The first error is the reason why the step failed; the page has no room for others. */
static void listen(const hd_message *message, void *user) {
    listener *l = user;
    if (l->inner->fn)
        l->inner->fn(message, l->inner->user);
    if (message->severity != HD_ERROR || json_object_get(l->result, "error"))
        return;
    const hd_place *place = &message->place;
    hd_arena *arena = hd_arena_new();
    int line = (int)strcspn(message->text, "\n");
    json_object_set_new(l->result, "error",
                        hd_json_text(place->file && place->line
                                         ? hd_format(arena, "%s:%u: %.*s", place->file, place->line,
                                                     line, message->text)
                                         : hd_format(arena, "%.*s", line, message->text)));
    hd_arena_free(arena);
}

hd_status hd_gpu_run_step(hd_arena *arena, const hd_diag *diag, const hd_gpu_step *step,
                          hd_gpu_step_run *run) {
    listener l = {diag, json_object()};
    const hd_diag listening = {listen, &l};
    run->arena = arena;
    run->diag = &listening;
    run->result = l.result;
    run->subject = step->subject;
    run->start = hd_clock();
    hd_status status = step->run(run);
    if (status == HD_OK)
        json_object_del(run->result, "error"); /* what a step takes in its stride */
    hd_gpu_keep(run);
    json_decref(run->result);
    return status;
}
