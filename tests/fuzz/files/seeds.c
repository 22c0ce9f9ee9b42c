/* The sound inputs that damage starts from, and the folder in which calls run. */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files.h"
#include "advise/measure/database.h"

static void tell(const hd_message *message, void *user) {
    (void)user;
    fprintf(stderr, "fuzz_files: %s: %s\n", message->place.file ? message->place.file : "",
            message->text);
}
static const hd_diag diag = {tell, NULL};

/* ---- the folder ------------------------------------------------------------------- */

static const char graph_kernel[] =
    "__kernel void walk(__global const uint *first, __global const uint *to, __global uint *sum,\n"
    "                   uint count) {\n"
    "    uint node = get_global_id(0);\n"
    "    if (node >= count)\n"
    "        return;\n"
    "    uint total = 0;\n"
    "    for (uint e = first[node]; e < first[node + 1]; e++)\n"
    "        total += to[e];\n"
    "    sum[node] = total;\n"
    "}\n";

static const char array_kernel[] =
    "typedef struct { float many[100000]; int pair[2]; struct { uint x, y; } inner; } wide;\n"
    "__kernel void touch(__global wide *all, __global float4 *some, float4 by,\n"
    "                    __local float *room) {\n"
    "    uint i = get_global_id(0);\n"
    "    room[i] = all[i].many[i];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    all[i].pair[i] += all[i].inner.x;\n"
    "    some[i] = by + room[1 - i];\n"
    "}\n";

/* A job on the graph of the file `input` + `ending`. */
static const char *graph_job(hd_arena *arena, const char *ending) {
    return hd_format(arena,
                     "kernel: graph.cl\n"
                     "graphs:\n"
                     "  - {name: g, file: input%s}\n"
                     "buffers:\n"
                     "  - {name: first, type: uint, init: [{graph: g, part: first}]}\n"
                     "  - {name: to, type: uint, init: [{graph: g, part: to}]}\n"
                     "  - {name: sum, type: uint, count: 64}\n"
                     "launches:\n"
                     "  - kernel: walk\n"
                     "    for_levels: g\n"
                     "    local: [64]\n"
                     "    args: [{name: first, buffer: first}, {name: to, buffer: to},\n"
                     "           {name: sum, buffer: sum}, {name: count, level: count}]\n",
                     ending);
}

static bool write_text(hd_arena *arena, const char *folder, const char *name, const char *text) {
    return hd_write_file(&diag, hd_format(arena, "%s/%s", folder, name), text, strlen(text)) ==
           HD_OK;
}

/* Copies the files of a pattern that is seen from the root of the source. */
static bool copy_files(hd_arena *arena, const char *pattern, const char *folder) {
    glob_t found;
    bool done = !glob(hd_format(arena, "%s/%s", getenv("HEDDLE_SOURCE"), pattern), 0, NULL, &found);
    for (size_t i = 0; done && i < found.gl_pathc; i++) {
        const char *path = found.gl_pathv[i];
        char *text;
        size_t length;
        done = !hd_read_file(arena, &diag, path, &text, &length) &&
               !hd_write_file(&diag, hd_format(arena, "%s%s", folder, strrchr(path, '/')), text,
                              length);
    }
    globfree(&found);
    return done;
}

/* Runs heddle in the folder; its output goes to the file `output` there, unless it is NULL. */
static bool run(hd_arena *arena, const limits *l, const char *words, const char *output) {
    const char *command =
        hd_format(arena, "cd '%s' && HEDDLE_DATABASE=none.db '%s' %s >%s </dev/null", l->folder,
                  l->program, words, output ? output : "/dev/null");
    if (!system(command))
        return true;
    fprintf(stderr, "fuzz_files: this fails: %s\n", command);
    return false;
}

bool begin_folder(hd_arena *arena, const limits *l) {
    return !mkdir(hd_format(arena, "%s/out", l->folder), 0777) &&
           copy_files(arena, "examples/*/*.cl", l->folder) &&
           copy_files(arena, "examples/*/*-small.yaml", l->folder) &&
           write_text(arena, l->folder, "graph.cl", graph_kernel) &&
           write_text(arena, l->folder, "arrays.cl", array_kernel) &&
           write_text(arena, l->folder, "netlist.yaml", graph_job(arena, ".bench")) &&
           write_text(arena, l->folder, "mesh.yaml", graph_job(arena, ".graph")) &&
           run(arena, l, "trace kmeans-small.yaml --blocks 0-1 -o seed.hdt", NULL) &&
           run(arena, l, "trace moldyn-small.yaml --blocks 0-0 -o reused.hdt", NULL) &&
           run(arena, l, "cache --reuse --scenario 1 --json reused.hdt", "kept.json");
}

/* ---- seeds --------------------------------------------------------------------------- */

static bool add_file(hd_arena *arena, const char *path, bytes_list *seeds) {
    char *text;
    size_t length;
    bytes seed = {0};
    if (hd_read_file(arena, &diag, path, &text, &length))
        return false;
    bytes_set(&seed, text, length);
    hd_push(arena, seeds, seed);
    return true;
}

static bool add_files(hd_arena *arena, const char *pattern, bytes_list *seeds) {
    glob_t found;
    bool done = true;
    if (!glob(hd_format(arena, "%s/%s", getenv("HEDDLE_SOURCE"), pattern), 0, NULL, &found))
        for (size_t i = 0; done && i < found.gl_pathc; i++)
            done = add_file(arena, found.gl_pathv[i], seeds);
    globfree(&found);
    return done;
}

/* What a call of heddle writes, or prints. */
static bool add_made(hd_arena *arena, const limits *l, const char *const *call, bytes_list *seeds) {
    hd_str words = {.arena = arena};
    bool writes = false;
    for (; *call; call++) {
        writes = writes || !strcmp(*call, "+");
        hd_str_printf(&words, "%s ", strcmp(*call, "+") ? *call : "made");
    }
    return run(arena, l, hd_str_text(&words), writes ? NULL : "made") &&
           add_file(arena, hd_format(arena, "%s/made", l->folder), seeds);
}

/* A database with a row in each of its tables. */
static bool add_database(hd_arena *arena, const limits *l, const char *tree, bytes_list *seeds) {
    const char *path = hd_format(arena, "%s/made.db", l->folder);
    unlink(path);
    hd_database *database = hd_database_open(arena, &diag, path);
    const hd_profiled_device device = {"opencl", "a platform", "made", "1"};
    for (uint32_t i = 0; i < 12; i++) {
        const hd_training_run of = {
            .length = 128u << i % 3,
            .fields = 1 + i % 4,
            .bytes = 4 * (1 + i % 4),
            .tile = i % 2 ? 1 : 64,
            .profile = {hd_format(arena, "%032u", i / 2),
                        i % 2 ? "aos" : "aosoa:64",
                        NULL,
                        {0.001 * (i + 1), 0.001 * i + 0.0005, 0.002 * (i + 1), 7}}};
        hd_database_put_training(database, &device, &of, 1);
    }
    hd_database_put_tree(database, &(hd_profiled_tree){device, hd_date_now(arena), tree});
    hd_database_put_answer(database, "a key", "{\"layout\": \"soa\"}");
    hd_database_close(database);
    return database && add_file(arena, path, seeds);
}

static const char *deep_tree(hd_arena *arena) {
    hd_str text = {.arena = arena};
    for (int i = 0; i < 60000; i++)
        hd_str_add(&text, "<= 1 (");
    return hd_str_text(&text);
}

bool read_seeds(hd_arena *arena, const limits *l, const kind *k, bytes_list *seeds,
                bytes_list *corpus) {
    const char *sound = hd_format(arena, "tests/fuzz/corpus/%s/*.*", k->name);
    bool done = add_files(arena, sound, seeds) && add_files(arena, sound, corpus) &&
                add_files(arena, hd_format(arena, "tests/fuzz/corpus/%s/wrong/*", k->name), corpus);
    add_crafted(arena, k, corpus);
    for (size_t i = 0; done && k->seeds[i]; i++)
        done = add_files(arena, k->seeds[i], seeds);
    for (size_t i = 0; done && i < MOST_CALLS && k->made[i][0]; i++)
        done = add_made(arena, l, k->made[i], seeds);
    if (done && k->is_database)
        done = add_database(arena, l, "64 to 8, AoS to 12, SoA", seeds) &&
               add_database(arena, l, deep_tree(arena), corpus);
    if (done && !seeds->count)
        fprintf(stderr, "fuzz_files: there is no sound input of kind %s\n", k->name);
    return done && seeds->count;
}
