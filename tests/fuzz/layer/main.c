/*
 * fuzz_layer --count N --seed S: N random OpenCL programs, each as it is and with its kernels and buffers in
 * other layouts by libheddle-layer.so. Both must see the same bytes.
 *
 *     fuzz_layer host SEED FIRST COUNT [SHOW]     the programs themselves (host.c)
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/base.h"
#include "fuzz/layer/host.h"
#include "fuzz/tools.h"

enum { BATCH = 25 };

/* The layouts of the records of host.c's kernels that a batch is tried in. */
static const char *const layouts[] = {
    "apply cell=soa pair=soa",
    "apply cell=aosoa:32 pair=soa",
    "apply cell={x,flags}{y,id}:16 pair=aosoa:8",
    "apply cell=soa/da",
    "apply pair=da",
    "apply verify cell=aosoa:64 pair={a}{b,c}",
};

static const char *own_path(hd_arena *arena) {
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    return length > 0 ? hd_strndup(arena, path, (size_t)length) : NULL;
}

/* What the programs print; NULL: they did not end well. */
static char *run_host(hd_arena *arena, const char *settings, const task *t) {
    const char *command = hd_format(arena, "%s '%s' host %lu %u %u", settings, own_path(arena),
                                    (unsigned long)t->seed, t->first, t->count);
    FILE *from = popen(command, "r");
    hd_str out = {.arena = arena};
    char line[4096];
    while (from && fgets(line, sizeof line, from))
        hd_str_add(&out, line);
    const bool fine = from && !pclose(from);
    return fine && out.length ? (char *)hd_str_text(&out) : NULL;
}

/* How many lines differ. */
static uint32_t compare(const task *t, char *a, char *b, const char *settings) {
    uint32_t wrong = 0;
    char *next_a, *next_b;
    char *x = strtok_r(a, "\n", &next_a), *y = strtok_r(b, "\n", &next_b);
    for (; x && y; x = strtok_r(NULL, "\n", &next_a), y = strtok_r(NULL, "\n", &next_b))
        if (strcmp(x, y) != 0) {
            printf(
                "layer: %s as it is, %s in the layer; again:\n  %s fuzz_layer host %lu %s 1 show\n",
                x, y, settings, (unsigned long)t->seed,
                hd_strndup(hd_arena_new(), x, strcspn(x, ":")));
            wrong++;
        }
    if (x || y) {
        printf("layer: programs %u to %u: some did not end\n", t->first, t->first + t->count - 1);
        wrong++;
    }
    return wrong;
}

static uint32_t try_batch(const task *t) {
    hd_arena *arena = hd_arena_new();
    const char *layer =
        hd_format(arena, "%s/../libheddle-layer.so", hd_path_folder(arena, own_path(arena)));
    const size_t which = (t->seed + t->first / BATCH) % (sizeof layouts / sizeof *layouts);
    /* A processor's buffers are converted by the host, a GPU's by kernels. */
    const char *settings =
        hd_format(arena, "OPENCL_LAYERS='%s' HEDDLE_LAYER='%s' HEDDLE_LAYER_RESULTS=. %s", layer,
                  layouts[which], t->first / BATCH % 2 ? "HEDDLE_LAYER_CONVERTS=device" : "");
    uint32_t wrong = t->count;
    char *plain = access(layer, R_OK) ? NULL : run_host(arena, "", t);
    char *layered = plain ? run_host(arena, settings, t) : NULL;
    if (layered)
        wrong = compare(t, plain, layered, settings);
    else
        printf("layer: programs %u to %u do not run%s\n", t->first, t->first + t->count - 1,
               plain ? " in the layer" : "");
    hd_arena_free(arena);
    return wrong;
}

int main(int argc, char **argv) {
    if (argc >= 5 && !strcmp(argv[1], "host"))
        return host_main(strtoull(argv[2], NULL, 10), (uint32_t)atol(argv[3]),
                         (uint32_t)atol(argv[4]), argc > 5);
    return fuzz_main("layer", BATCH, try_batch, argc, argv);
}
