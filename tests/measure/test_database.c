/*
 * The profile database: what is put comes back, also from several processes and after kills;
 * files that are no good are left as they are; hashes tell whatever changes a run.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "folder.h"
#include "frontend/frontend.h"
#include "advise/measure/database.h"

/* ---- a folder, and messages -------------------------------------------------------- */

typedef struct place {
    hd_arena *arena;
    hd_diag diag;
    unsigned warnings, errors;
    char text[512], file[256]; /* of the last message */
    char *folder;
    const char *path; /* of a database in it */
} place;

static void capture(const hd_message *message, void *user) {
    place *p = user;
    p->warnings += message->severity == HD_WARNING;
    p->errors += message->severity == HD_ERROR;
    snprintf(p->text, sizeof p->text, "%s", message->text);
    snprintf(p->file, sizeof p->file, "%s", message->place.file ? message->place.file : "");
}

static int set_up(void **state) {
    place *p = calloc(1, sizeof *p);
    p->arena = hd_arena_new();
    p->diag = (hd_diag){capture, p};
    p->folder = folder_make(p->arena);
    p->path = hd_format(p->arena, "%s/profiles.db", p->folder);
    *state = p;
    return 0;
}

static int tear_down(void **state) {
    place *p = *state;
    folder_remove(p->folder);
    hd_arena_free(p->arena);
    free(p);
    return 0;
}

static hd_database *open_good(place *p) {
    hd_database *database = hd_database_open(p->arena, &p->diag, p->path);
    if (!database)
        fail_msg("%s: %s", p->file, p->text);
    return database;
}

/* ---- what is put comes back ----------------------------------------------------------- */

static const hd_profiled_device gpu = {"opencl", "Platform", "A GPU", "1.0"};
static const hd_profiled_device newer_driver = {"opencl", "Platform", "A GPU", "1.1"};

static hd_profile profile_of(const char *kernel, const char *layout, double median) {
    return (hd_profile){
        .kernel = kernel, .layout = layout, .timing = {median, median * 0.75, median * 1.5, 7}};
}

/* Measurements as those of a training, one at a time. */
static void put(hd_database *database, const hd_profiled_device *device,
                const hd_profile *profile) {
    const hd_training_run run = {1, 1, 4, 1, *profile};
    hd_database_put_training(database, device, &run, 1);
}

static bool find(hd_database *database, hd_arena *arena, const hd_profiled_device *device,
                 const char *kernel, const char *layout, hd_profile *profile) {
    size_t count;
    const hd_training_run *runs = hd_database_training(database, arena, device, &count);
    for (size_t i = 0; i < count; i++)
        if (!strcmp(runs[i].profile.kernel, kernel) && !strcmp(runs[i].profile.layout, layout)) {
            *profile = runs[i].profile;
            return true;
        }
    return false;
}

static void measurements_come_back(void **state) {
    place *p = *state;
    hd_database *database = open_good(p);
    hd_profile profile = profile_of("k1", "soa", 0.1), found = {0};
    assert_false(find(database, p->arena, &gpu, "k1", "soa", &found));
    put(database, &gpu, &profile);
    profile = profile_of("k1", "{x}{y,z}:16/da", 3e-7);
    profile.date = "2026-11-21T17:30:00Z";
    put(database, &gpu, &profile);
    hd_database_close(database);

    database = open_good(p);
    assert_true(find(database, p->arena, &gpu, "k1", "{x}{y,z}:16/da", &found));
    assert_string_equal(found.kernel, "k1");
    assert_string_equal(found.layout, "{x}{y,z}:16/da");
    assert_string_equal(found.date, "2026-11-21T17:30:00Z");
    assert_int_equal(found.timing.repeats, 7);
    assert_true(found.timing.median == profile.timing.median &&
                found.timing.low == profile.timing.low && found.timing.high == profile.timing.high);
    assert_true(find(database, p->arena, &gpu, "k1", "soa", &found));
    assert_true(found.timing.median == 0.1 && strlen(found.date) == 20 && found.date[19] == 'Z');
    assert_false(find(database, p->arena, &gpu, "k1", "aos", &found));
    assert_false(find(database, p->arena, &gpu, "k2", "soa", &found));
    assert_false(find(database, p->arena, &newer_driver, "k1", "soa", &found));

    profile = profile_of("k1", "soa", 0.2);
    put(database, &gpu, &profile);
    assert_true(find(database, p->arena, &gpu, "k1", "soa", &found));
    assert_true(found.timing.median == 0.2);
    hd_database_close(database);
    assert_int_equal(p->warnings + p->errors, 0);
}

static void answers_come_back(void **state) {
    place *p = *state;
    hd_database *database = open_good(p);
    const char *value = "untouched";
    assert_false(hd_database_get_answer(database, p->arena, "key", &value));
    hd_database_put_answer(database, "key", "{\"layout\": \"soa\"}");
    hd_database_put_answer(database, "other", "");
    hd_database_put_answer(database, "key", "{\"layout\": \"\xc3\xa4\"}");
    hd_database_close(database);
    database = open_good(p);
    assert_true(hd_database_get_answer(database, p->arena, "key", &value));
    assert_string_equal(value, "{\"layout\": \"\xc3\xa4\"}");
    assert_true(hd_database_get_answer(database, p->arena, "other", &value));
    assert_string_equal(value, "");
    hd_database_close(database);
}

static hd_training_run run_of(const char *kernel, uint32_t length, uint32_t fields, uint64_t tile,
                              double median) {
    const char *layout = tile == HD_TILE_SOA ? "soa" : tile == 1 ? "aos" : "aosoa:16";
    return (hd_training_run){length, fields, 4 * fields, tile, profile_of(kernel, layout, median)};
}

static void training_comes_back_in_order(void **state) {
    place *p = *state;
    hd_database *database = open_good(p);
    const hd_training_run first[] = {run_of("b", 128, 3, HD_TILE_SOA, 1), run_of("b", 128, 3, 1, 2),
                                     run_of("b", 128, 3, 16, 3), run_of("a", 128, 2, 1, 4)};
    const hd_training_run again = run_of("b", 128, 3, 16, 5), other = run_of("b", 128, 3, 1, 6);
    size_t count;
    hd_database_put_training(database, &gpu, first, 4);
    hd_database_put_training(database, &gpu, &again, 1);
    hd_database_put_training(database, &newer_driver, &other, 1);

    static const double expected[] = {4, 2, 5, 1};
    hd_training_run *runs = hd_database_training(database, p->arena, &gpu, &count);
    assert_int_equal(count, 4);
    for (size_t i = 0; i < 4; i++)
        assert_true(runs[i].profile.timing.median == expected[i]);
    assert_true(runs[0].length == 128 && runs[0].fields == 2 && runs[0].bytes == 8);
    assert_true(runs[3].tile == HD_TILE_SOA && runs[2].tile == 16);
    hd_database_forget_training(database, &gpu);
    hd_database_training(database, p->arena, &gpu, &count);
    assert_int_equal(count, 0);
    hd_database_training(database, p->arena, &newer_driver, &count);
    assert_int_equal(count, 1);
    hd_database_forget_training(database, &newer_driver);
    hd_database_training(database, p->arena, &newer_driver, &count);
    assert_int_equal(count, 0);
    hd_database_close(database);
}

static void trees_come_back(void **state) {
    place *p = *state;
    hd_database *database = open_good(p);
    hd_profiled_tree tree = {newer_driver, "2026-11-20T00:00:00Z", "first"};
    size_t count;
    assert_false(hd_database_find_tree(database, p->arena, &gpu, &tree));
    hd_database_put_tree(database, &tree);
    tree.text = "second";
    hd_database_put_tree(database, &tree);
    assert_false(hd_database_find_tree(database, p->arena, &gpu, &tree));
    tree = (hd_profiled_tree){gpu, "2026-11-21T00:00:00Z", "third"};
    hd_database_put_tree(database, &tree);
    assert_true(hd_database_find_tree(database, p->arena, &newer_driver, &tree));
    assert_string_equal(tree.text, "second");
    const hd_profiled_tree *trees = hd_database_trees(database, p->arena, &count);
    assert_int_equal(count, 2);
    assert_string_equal(trees[0].text, "third");
    assert_string_equal(trees[1].device.driver, "1.1");
    hd_database_close(database);
}

/* ---- several processes, and kills ------------------------------------------------------- */

/* In a child: puts measurements number `first` and so on, and says on `said` when each is in. */
static void put_many(place *p, int first, int count, int said) {
    hd_database *database = hd_database_open(p->arena, &p->diag, p->path);
    for (int i = first; i < first + count; i++) {
        hd_profile profile = profile_of(hd_format(p->arena, "k%d", i), "soa", i);
        put(database, &gpu, &profile);
        if (write(said, &i, sizeof i) != sizeof i)
            _exit(2);
    }
    hd_database_close(database);
    _exit(p->warnings ? 1 : 0);
}

static pid_t start_putting(place *p, int first, int count, int said) {
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (!pid)
        put_many(p, first, count, said);
    return pid;
}

static int count_of(place *p, int first, int count) {
    hd_database *database = open_good(p);
    hd_profile found;
    int there = 0;
    for (int i = first; i < first + count; i++)
        there += find(database, p->arena, &gpu, hd_format(p->arena, "k%d", i), "soa", &found) &&
                 found.timing.median == i;
    hd_database_close(database);
    return there;
}

static void two_processes_write_at_once(void **state) {
    place *p = *state;
    enum { EACH = 60 };
    int said[2], status;
    assert_int_equal(pipe(said), 0);
    pid_t a = start_putting(p, 0, EACH, said[1]), b = start_putting(p, EACH, EACH, said[1]);
    assert_int_equal(waitpid(a, &status, 0), a);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_int_equal(waitpid(b, &status, 0), b);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_int_equal(count_of(p, 0, 2 * EACH), 2 * EACH);
    close(said[0]);
    close(said[1]);
}

/* Killed after a number of them that differs each time; each that was said to be in is there. */
static void a_kill_loses_at_most_what_is_being_put(void **state) {
    place *p = *state;
    enum { KILLS = 20, MOST = 10000 };
    uint64_t random = 20261121;
    for (int k = 0; k < KILLS; k++) {
        int said[2], last = -1, number = 0;
        assert_int_equal(pipe(said), 0);
        pid_t pid = start_putting(p, k * MOST, MOST, said[1]);
        close(said[1]);
        int wanted = (int)(hd_next_random(&random) % 12);
        for (; number < wanted && read(said[0], &last, sizeof last) == sizeof last; number++)
            continue;
        usleep((useconds_t)(hd_next_random(&random) % 3000));
        kill(pid, SIGKILL);
        assert_int_equal(waitpid(pid, NULL, 0), pid);
        while (read(said[0], &last, sizeof last) == sizeof last)
            number++;
        close(said[0]);
        assert_true(number < MOST);
        assert_int_equal(count_of(p, k * MOST, number), number);
        assert_true(count_of(p, k * MOST + number, 2) <= 1);
    }
    assert_int_equal(p->warnings + p->errors, 0);
}

/* ---- files that are no good ---------------------------------------------------------------- */

typedef struct bytes {
    char *data;
    size_t length;
} bytes;

static bytes bytes_of(place *p) {
    bytes b;
    assert_int_equal(hd_read_file(p->arena, &p->diag, p->path, &b.data, &b.length), HD_OK);
    return b;
}

static void write_bytes(place *p, const bytes *b) {
    assert_int_equal(hd_write_file(&p->diag, p->path, b->data, b->length), HD_OK);
}

/* One warning that names the file and has `part`, and the file and its folder as before. */
static void refuses(place *p, const char *part) {
    struct stat before, after;
    bytes was = bytes_of(p);
    assert_int_equal(stat(p->folder, &before), 0);
    p->warnings = 0;
    assert_null(hd_database_open(p->arena, &p->diag, p->path));
    assert_int_equal(p->warnings, 1);
    assert_string_equal(p->file, p->path);
    if (!strstr(p->text, part) || !strstr(p->text, "HEDDLE_DATABASE"))
        fail_msg("'%s' has no '%s'", p->text, part);
    bytes is = bytes_of(p);
    assert_true(is.length == was.length && !memcmp(is.data, was.data, is.length));
    assert_int_equal(stat(p->folder, &after), 0);
    assert_int_equal(before.st_nlink, after.st_nlink);
}

static void execute(place *p, const char *statement) {
    sqlite3 *sql;
    assert_int_equal(sqlite3_open(p->path, &sql), SQLITE_OK);
    assert_int_equal(sqlite3_exec(sql, statement, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(sql), SQLITE_OK);
}

static void make_full(place *p) {
    hd_database *database = open_good(p);
    for (int i = 0; i < 200; i++) {
        hd_profile profile = profile_of(hd_format(p->arena, "k%d", i), "soa", i);
        put(database, &gpu, &profile);
    }
    hd_database_close(database);
}

static void a_newer_version_is_left_alone(void **state) {
    place *p = *state;
    make_full(p);
    execute(p, "PRAGMA user_version = 3");
    refuses(p, "has version 3, and this heddle knows version 2; use the newer heddle");
}

static void an_older_version_is_left_alone(void **state) {
    place *p = *state;
    make_full(p);
    execute(p, "PRAGMA user_version = 1");
    refuses(p, "has version 1, and this heddle knows version 2; delete it");
}

static void the_file_of_another_program_is_left_alone(void **state) {
    place *p = *state;
    execute(p, "CREATE TABLE other (x)");
    refuses(p, "the database of another program");
    bytes text = {"a letter to a friend, which is longer than a header of SQLite\n\n", 62};
    write_bytes(p, &text);
    refuses(p, "not a database; delete it");
}

static void damaged_files_are_left_alone(void **state) {
    place *p = *state;
    make_full(p);
    const bytes good = bytes_of(p);
    assert_true(good.length > 5 * 4096);
    bytes bad = {memcpy(hd_alloc(p->arena, good.length), good.data, good.length), good.length / 2};
    write_bytes(p, &bad);
    refuses(p, "delete it");
    bad.length = good.length;
    for (size_t page = 1; page < good.length / 4096; page++) {
        memset(bad.data + page * 4096, 0xa5, 4096);
        write_bytes(p, &bad);
        refuses(p, "delete it");
        memcpy(bad.data + page * 4096, good.data + page * 4096, 4096);
    }
    memset(bad.data, 0, 100);
    write_bytes(p, &bad);
    refuses(p, "delete it");
    write_bytes(p, &good);
    assert_int_equal(count_of(p, 0, 200), 200);
}

static void a_table_that_is_gone_is_damage(void **state) {
    place *p = *state;
    make_full(p);
    execute(p, "DROP TABLE answer");
    hd_database *database = open_good(p);
    const char *value;
    assert_false(hd_database_get_answer(database, p->arena, "key", &value));
    hd_database_close(database);
    assert_int_equal(p->warnings, 1);
    assert_non_null(strstr(p->text, "no such table: answer); delete it, or name another one"));
}

static void a_file_that_breaks_is_given_up_with_one_warning(void **state) {
    place *p = *state;
    make_full(p);
    hd_database *database = open_good(p);
    hd_profile profile = profile_of("new", "soa", 1);
    FILE *file = fopen(p->path, "r+");
    assert_non_null(file);
    for (long at = 0; at < 20000; at++)
        fputc(0x5a, file);
    fclose(file);
    for (int i = 0; i < 3; i++) {
        put(database, &gpu, &profile);
        hd_database_put_answer(database, "key", "value");
        assert_false(find(database, p->arena, &gpu, "k1", "soa", &profile));
    }
    hd_database_close(database);
    assert_int_equal(p->warnings, 1);
    assert_string_equal(p->file, p->path);
    assert_non_null(strstr(p->text, "HEDDLE_DATABASE"));
}

static void places_that_cannot_be_written_are_one_warning(void **state) {
    place *p = *state;
    char *file = hd_format(p->arena, "%s/file", p->folder);
    assert_int_equal(hd_write_file(&p->diag, file, "x", 1), HD_OK);
    const char *const paths[] = {hd_format(p->arena, "%s/below/profiles.db", file), p->folder,
                                 "/proc/heddle/profiles.db"};
    for (size_t i = 0; i < 3; i++) {
        p->warnings = 0;
        assert_null(hd_database_open(p->arena, &p->diag, paths[i]));
        assert_int_equal(p->warnings, 1);
        assert_string_equal(p->file, paths[i]);
        assert_non_null(strstr(p->text, "name a file that can be written in HEDDLE_DATABASE"));
    }
    make_full(p);
    if (geteuid() == 0) /* whom no rights stop */
        return;
    chmod(p->path, 0400);
    refuses(p, "cannot be written");
    chmod(p->path, 0600);
    chmod(p->folder, 0500);
    refuses(p, "cannot be written");
    chmod(p->folder, 0700);
}

static void folders_are_made(void **state) {
    place *p = *state;
    struct stat info;
    p->path = hd_format(p->arena, "%s/a/b/profiles.db", p->folder);
    hd_database_close(open_good(p));
    assert_int_equal(stat(hd_format(p->arena, "%s/a", p->folder), &info), 0);
    assert_int_equal(info.st_mode & 0777, 0700);
}

static void without_a_database_nothing_is_found(void **state) {
    place *p = *state;
    hd_profile profile = profile_of("k", "soa", 1);
    const hd_training_run run = run_of("k", 128, 1, 1, 1);
    hd_profiled_tree tree = {gpu, NULL, "text"};
    const char *value;
    size_t count = 1;
    put(NULL, &gpu, &profile);
    assert_false(find(NULL, p->arena, &gpu, "k", "soa", &profile));
    hd_database_put_answer(NULL, "key", "value");
    assert_false(hd_database_get_answer(NULL, p->arena, "key", &value));
    hd_database_put_training(NULL, &gpu, &run, 1);
    hd_database_training(NULL, p->arena, &gpu, &count);
    assert_int_equal(count, 0);
    hd_database_forget_training(NULL, &gpu);
    hd_database_put_tree(NULL, &tree);
    assert_false(hd_database_find_tree(NULL, p->arena, &gpu, &tree));
    hd_database_close(NULL);
}

/* ---- hashes ---------------------------------------------------------------------------------- */

static void texts_are_told_apart(void **state) {
    place *p = *state;
    const char *const texts[][2] = {{"ab", "c"},   {"a", "bc"},  {"abc", ""}, {"abc", NULL},
                                    {NULL, "abc"}, {"1:a", "b"}, {"", ""},    {"ab", "d"}};
    enum { COUNT = sizeof texts / sizeof *texts };
    const char *hashes[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        hashes[i] = hd_hash_texts(p->arena, texts[i], 2);
        assert_int_equal(strspn(hashes[i], "0123456789abcdef"), 32);
        assert_int_equal(strlen(hashes[i]), 32);
        assert_string_equal(hashes[i], hd_hash_texts(p->arena, texts[i], 2));
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(hashes[i], hashes[j]);
    }
    assert_string_not_equal(hd_hash_texts(p->arena, texts[0], 1), hashes[0]);
}

/* A job in the folder: its files by name, with what is to be replaced in one of them. */
static const struct job_file {
    const char *name, *text;
} job_files[] = {
    {"k.cl", "#include \"k.h\"\n"
             "typedef struct { float x, y, d[2]; } body;\n"
             "__kernel void move(__global body *b, __global const float *w, float dt,\n"
             "                   __global const uint *first) {\n"
             "    size_t i = get_global_id(0);\n"
             "#ifdef SOME_DRIVER\n"
             "    b[i].y = 1;\n"
             "#endif\n"
             "    b[i].x += STEP * dt * w[i] + first[i % 4];\n"
             "}\n"},
    {"k.h", "#define STEP 2\n"},
    {"w.bin", "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"},
    {"job.yaml", "kernel: k.cl\n"
                 "options: -DUNUSED=1\n"
                 "graphs: [{name: mesh, generator: mesh, nodes: 100, seed: 1}]\n"
                 "buffers:\n"
                 "  - {name: b, type: body, count: 16,\n"
                 "     init: [{field: x, generator: uniform, seed: 5}]}\n"
                 "  - {name: w, type: float, count: 16, file: w.bin}\n"
                 "  - {name: first, type: uint, init: [{graph: mesh, part: first}]}\n"
                 "launches:\n"
                 "  - kernel: move\n"
                 "    global: [16]\n"
                 "    local: [4]\n"
                 "    repeat: 2\n"
                 "    args: [{name: b, buffer: b}, {name: w, buffer: w}, {name: dt, value: 0.5},\n"
                 "           {name: first, buffer: first}]\n"}};
enum { JOB_FILES = sizeof job_files / sizeof *job_files };

static const char *with(place *p, const char *text, const char *old, const char *new) {
    const char *at = old ? strstr(text, old) : NULL;
    return at ? hd_format(p->arena, "%.*s%s%s", (int)(at - text), text, new, at + strlen(old))
              : text;
}

/* The hash of the job in `folder` with `old` replaced by `new` in the file `name`. */
static const char *hash_with(place *p, const char *folder, const char *name, const char *old,
                             const char *new) {
    hd_job *job;
    kir_module *module;
    const char *hash;
    char *place_of_files = hd_format(p->arena, "%s/%s", p->folder, folder);
    mkdir(place_of_files, 0700);
    for (size_t i = 0; i < JOB_FILES; i++) {
        bool chosen = name && !strcmp(name, job_files[i].name);
        const char *text = with(p, job_files[i].text, chosen ? old : NULL, new);
        assert_true(!chosen || strcmp(text, job_files[i].text));
        assert_int_equal(
            hd_write_file(&p->diag, hd_format(p->arena, "%s/%s", place_of_files, job_files[i].name),
                          text, strlen(text)),
            HD_OK);
    }
    if (hd_job_read(p->arena, &p->diag, hd_format(p->arena, "%s/job.yaml", place_of_files), &job) ||
        hd_frontend(p->arena, &p->diag, job->kernel_path, job->options, &module) ||
        hd_job_resolve(p->arena, &p->diag, job, module) ||
        hd_job_hash(p->arena, &p->diag, job, &hash))
        fail_msg("%s with %s: %s", name, new, p->text);
    return hash;
}

static void whatever_changes_a_run_changes_its_hash(void **state) {
    place *p = *state;
    static const struct {
        const char *file, *old, *new;
    } changes[] = {
        {NULL, NULL, NULL},
        {"k.cl", "+ first", "- first"},
        {"k.cl", "b[i].y = 1", "b[i].y = 2"},
        {"k.cl", "float x, y,", "float y, x,"},
        {"k.h", "STEP 2", "STEP 3"},
        {"w.bin", "9abcdef0", "9abcdef1"},
        {"job.yaml", "-DUNUSED=1", "-DUNUSED=2"},
        {"job.yaml", "nodes: 100, seed: 1", "nodes: 100, seed: 2"},
        {"job.yaml", "nodes: 100", "nodes: 101"},
        {"job.yaml", "count: 16,\n", "count: 17,\n"},
        {"job.yaml", "seed: 5", "seed: 6"},
        {"job.yaml", "uniform, seed: 5", "uniform, high: 2, seed: 5"},
        {"job.yaml", "field: x, generator: uniform", "field: y, generator: uniform"},
        {"job.yaml", "uniform, seed: 5", "permutation, seed: 5"},
        {"job.yaml", "part: first", "part: end"},
        {"job.yaml", "global: [16]", "global: [8]"},
        {"job.yaml", "local: [4]", "local: [8]"},
        {"job.yaml", "buffers:\n", "split: [d]\nbuffers:\n"},
        {"job.yaml", "launches:\n",
         "  - {name: v, type: float, count: 16, file: w.bin}\n"
         "launches:\n"},
        {"job.yaml", "launches:\n",
         "  - {name: v, type: float, count: 16, file: w.bin}\n"
         "arrays: [{record: weight, fields: [w, v]}]\n"
         "record: body\n"
         "launches:\n"},
        {"job.yaml", "repeat: 2", "repeat: 3"},
        {"job.yaml", "value: 0.5", "value: 0.25"},
        {"job.yaml", ", file: w.bin", ", init: [{generator: iota}]"},
    };
    enum { COUNT = sizeof changes / sizeof *changes };
    const char *hashes[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        hashes[i] = hash_with(p, "a", changes[i].file, changes[i].old, changes[i].new);
        for (size_t j = 0; j < i; j++)
            if (!strcmp(hashes[i], hashes[j]))
                fail_msg("%s in the place of %s: no change", changes[i].new, changes[i].old);
    }
    assert_string_equal(hash_with(p, "a", NULL, NULL, NULL), hashes[0]);
    assert_string_equal(hash_with(p, "elsewhere", NULL, NULL, NULL), hashes[0]);
    assert_string_equal(
        hash_with(p, "a", "job.yaml", "launches:", "tolerance: {relative: 1e-3}\nlaunches:"),
        hashes[0]);
}

static void a_job_whose_file_is_gone_has_no_hash(void **state) {
    place *p = *state;
    hd_job *job;
    kir_module *module;
    const char *hash = NULL;
    hash_with(p, "a", NULL, NULL, NULL);
    assert_int_equal(
        hd_job_read(p->arena, &p->diag, hd_format(p->arena, "%s/a/job.yaml", p->folder), &job),
        HD_OK);
    assert_int_equal(hd_frontend(p->arena, &p->diag, job->kernel_path, NULL, &module), HD_OK);
    assert_int_equal(hd_job_resolve(p->arena, &p->diag, job, module), HD_OK);
    unlink(hd_format(p->arena, "%s/a/w.bin", p->folder));
    assert_int_equal(hd_job_hash(p->arena, &p->diag, job, &hash), HD_EINPUT);
    assert_int_equal(p->errors, 1);
    assert_null(hash);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(measurements_come_back),
        TEST(answers_come_back),
        TEST(training_comes_back_in_order),
        TEST(trees_come_back),
        TEST(two_processes_write_at_once),
        TEST(a_kill_loses_at_most_what_is_being_put),
        TEST(an_older_version_is_left_alone),
        TEST(a_newer_version_is_left_alone),
        TEST(the_file_of_another_program_is_left_alone),
        TEST(damaged_files_are_left_alone),
        TEST(a_table_that_is_gone_is_damage),
        TEST(a_file_that_breaks_is_given_up_with_one_warning),
        TEST(places_that_cannot_be_written_are_one_warning),
        TEST(folders_are_made),
        TEST(without_a_database_nothing_is_found),
        TEST(texts_are_told_apart),
        TEST(whatever_changes_a_run_changes_its_hash),
        TEST(a_job_whose_file_is_gone_has_no_hash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
