/*
 * Runs of `heddle trace` that are killed, or stopped by Ctrl-C.
 *
 * A run is killed 25 times, after a random part of the time that it takes: the first twelve times
 * in the sanitized build, the others in the release build. Whatever it leaves is read, and each of
 * its complete blocks must be that of the whole run.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "folder.h"
#include "sanitized.h"
#include "trace/trace.h"

enum { KILLS = 25, SANITIZED_KILLS = 12, SEED = 20261121, BLOCKS = 24, THREADS = 64 };
extern char **environ;

/* A folder with a job in it, and the program. */
typedef struct place {
    hd_arena *arena;
    hd_diag diag;
    char *folder, heddle[PATH_MAX];
    unsigned repeat; /* of the job's launch */
} place;

/* ---- a job -------------------------------------------------------------------------- */

static void show_message(const hd_message *m, void *user) {
    (void)user;
    print_error("%s: %s\n", m->place.file ? m->place.file : "-", m->text);
}

static void write_job(place *p, unsigned repeat) {
    static const char kernel[] = "__kernel void walk(__global uint *a, uint n) {\n"
                                 "    uint at = get_global_id(0);\n"
                                 "    for (uint i = 0; i < n; i++)\n"
                                 "        at = (at * 1664525u + a[at] + i) % 4096u;\n"
                                 "    a[get_global_id(0)] = at;\n"
                                 "}\n";
    p->repeat = repeat;
    char *job = hd_format(p->arena,
                          "kernel: walk.cl\n"
                          "buffers: [{name: a, type: uint, count: 4096}]\n"
                          "launches:\n"
                          "  - {kernel: walk, global: [%d], local: [%d], repeat: %u,\n"
                          "     args: [{name: a, buffer: a}, {name: n, value: 40}]}\n",
                          BLOCKS * THREADS, THREADS, repeat);
    char *at = hd_format(p->arena, "%s/walk.cl", p->folder);
    assert_int_equal(hd_write_file(&p->diag, at, kernel, strlen(kernel)), HD_OK);
    at = hd_format(p->arena, "%s/walk.yaml", p->folder);
    assert_int_equal(hd_write_file(&p->diag, at, job, strlen(job)), HD_OK);
}

static int set_up(void **state) {
    place *p = calloc(1, sizeof *p);
    /* Whoever runs this in the background may have them ignored, and heddle would, too. */
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    p->arena = hd_arena_new();
    p->diag.fn = show_message;
    p->folder = folder_make(p->arena);
    ssize_t length = readlink("/proc/self/exe", p->heddle, sizeof p->heddle - 20);
    assert_true(length > 0);
    p->heddle[length] = '\0';
    strcpy(strrchr(p->heddle, '/'), "/../heddle");
    *state = p;
    return 0;
}

static int tear_down(void **state) {
    place *p = *state;
    static const char *const names[] = {"walk.cl", "walk.yaml", "whole.hdt", "run.hdt",
                                        "run.hdt.part"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unlink(hd_format(p->arena, "%s/%s", p->folder, names[i]));
    assert_int_equal(rmdir(p->folder), 0); /* nothing else was left */
    hd_arena_free(p->arena);
    free(p);
    return 0;
}

/* ---- processes ---------------------------------------------------------------------- */

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void wait_seconds(double seconds) {
    struct timespec t = {.tv_sec = (time_t)seconds};
    t.tv_nsec = (long)((seconds - (double)t.tv_sec) * 1e9);
    while (nanosleep(&t, &t) && errno == EINTR)
        continue;
}

/* Starts `heddle ARGUMENTS` in the folder, silent. */
static pid_t start(const place *p, char *const *arguments) {
    pid_t pid;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addchdir_np(&actions, p->folder);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    assert_int_equal(posix_spawn(&pid, p->heddle, &actions, NULL, arguments, environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    return pid;
}

static pid_t start_trace(const place *p, const char *out) {
    return start(p, (char *[]){"heddle", "trace", "walk.yaml", "-o", (char *)out, NULL});
}

/* What waitpid() says of its end. */
static int end_of(pid_t pid) {
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status;
}

static int exit_of(pid_t pid) {
    int status = end_of(pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/* How long it takes, and of that on a processor, which other processes do not lengthen. */
typedef struct duration {
    double seconds, busy;
} duration;

static duration duration_of_run(const place *p, const char *out) {
    double before = now();
    int status;
    struct rusage used;
    pid_t pid = start_trace(p, out);
    assert_int_equal(wait4(pid, &status, 0, &used), pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return (duration){now() - before,
                      (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                          1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec)};
}

/* A job whose run spends most of its time on tracing, and how long it takes. */
static double make_long_job(place *p) {
    write_job(p, 1);
    duration start_up = duration_of_run(p, "run.hdt"), whole = start_up;
    for (unsigned repeat = 128; repeat <= 1 << 16 && whole.busy < 2.5 * start_up.busy;
         repeat *= 2) {
        write_job(p, repeat);
        whole = duration_of_run(p, "whole.hdt");
    }
    unlink(hd_format(p->arena, "%s/run.hdt", p->folder));
    return whole.seconds;
}

/* ---- blocks as numbers --------------------------------------------------------------- */

static void mix(uint64_t *hash, uint64_t value) {
    *hash = (*hash ^ value) * 0x9e3779b97f4a7c15u;
    *hash ^= *hash >> 29;
}

static void *open_hash(void *self, uint64_t block) {
    *(uint64_t *)self = block + 1;
    return self;
}

static void hash_event(void *stream, const hd_event *e) {
    uint64_t *hash = stream;
    mix(hash, e->position);
    mix(hash, e->access);
    mix(hash, e->threads);
    for (uint32_t lane = 0; lane < e->threads; lane++)
        if (hd_event_active(e, lane)) {
            mix(hash, lane);
            mix(hash, hd_event_address(e, lane));
        }
}

static uint64_t hash_of(const place *p, hd_trace *trace, uint32_t launch, uint64_t block) {
    uint64_t hash = 0;
    const hd_sink sink = {.self = &hash, .open_block = open_hash, .event = hash_event};
    assert_int_equal(hd_trace_replay_block(trace, &p->diag, launch, block, &sink), HD_OK);
    return hash;
}

/* The whole run, up to as many launches as it had. */
typedef struct whole_run {
    uint32_t launches;
    uint64_t *hashes; /* [launch * BLOCKS + block] */
} whole_run;

static whole_run read_whole(const place *p) {
    hd_trace *trace;
    char *path = hd_format(p->arena, "%s/whole.hdt", p->folder);
    assert_int_equal(hd_trace_open(p->arena, &p->diag, path, &trace), HD_OK);
    const hd_trace_contents *contents = hd_trace_get(trace);
    assert_true(contents->complete);
    assert_int_equal(contents->launch_count, p->repeat);
    uint64_t *hashes = hd_new_array(p->arena, uint64_t, p->repeat *BLOCKS);
    for (uint32_t l = 0; l < p->repeat; l++) {
        assert_int_equal(contents->launches[l].block_count, BLOCKS);
        for (uint64_t b = 0; b < BLOCKS; b++)
            hashes[l * BLOCKS + b] = hash_of(p, trace, l, b);
    }
    hd_trace_close(trace);
    return (whole_run){p->repeat, hashes};
}

/* ---- what a killed run leaves ----------------------------------------------------------- */

/* Reads the file at `path`: how many complete blocks are in it. */
static uint64_t check_left(const place *p, const char *path, const whole_run *whole,
                           bool *complete) {
    hd_trace *trace;
    hd_arena *arena = hd_arena_new();
    uint64_t blocks = 0;
    assert_int_equal(hd_trace_open(arena, &p->diag, path, &trace), HD_OK);
    const hd_trace_contents *contents = hd_trace_get(trace);
    assert_true(contents->complete || contents->missing);
    for (uint32_t l = 0; l < contents->launch_count; l++) {
        const hd_trace_launch *launch = &contents->launches[l];
        assert_int_equal(launch->launch.number, l);
        assert_true(!launch->complete || launch->block_count == BLOCKS);
        for (uint64_t b = 0; b < launch->block_count; b++, blocks++) {
            uint64_t block = launch->blocks[b].block, hash = hash_of(p, trace, l, block);
            if (l < whole->launches)
                assert_int_equal(hash, whole->hashes[l * BLOCKS + block]);
        }
    }
    *complete = contents->complete;
    hd_trace_close(trace);
    hd_arena_free(arena);
    return blocks;
}

static void killed_runs_leave_their_complete_blocks(void **state) {
    place *p = *state;
    double seconds = make_long_job(p);
    const whole_run whole = read_whole(p);
    char *finished = hd_format(p->arena, "%s/run.hdt", p->folder);
    char *part = hd_format(p->arena, "%s/run.hdt.part", p->folder);
    unsigned nothing = 0, cut = 0, ended = 0;
    uint64_t blocks = 0, random = SEED;
    for (int k = 0; k < KILLS; k++) {
        bool complete = false;
        mix(&random, (uint64_t)k);
        if (SANITIZED != (k < SANITIZED_KILLS))
            continue;
        pid_t pid = start_trace(p, "run.hdt");
        wait_seconds(seconds * (double)(random >> 11) * 0x1p-53);
        kill(pid, SIGKILL);
        end_of(pid);
        char *left = !access(finished, F_OK) ? finished : !access(part, F_OK) ? part : NULL;
        if (left) {
            blocks += check_left(p, left, &whole, &complete);
            if (k % 8 == 0) /* which reads it as check_left() does */
                assert_int_equal(
                    exit_of(start(p, (char *[]){"heddle", "trace", "info", left, NULL})), 0);
            assert_int_equal(unlink(left), 0);
        }
        nothing += !left;
        cut += left && !complete;
        ended += complete;
    }
    print_message("seed %d, %u launches in %.2f s: of %u kills %u before the file was made, %u "
                  "cut it, %u after its end; %llu blocks read\n",
                  SEED, p->repeat, seconds, nothing + cut + ended, nothing, cut, ended,
                  (unsigned long long)blocks);
}

/* What is killed before its first block is done can be read, too. */
static void a_file_that_was_just_begun_can_be_read(void **state) {
    place *p = *state;
    char *finished = hd_format(p->arena, "%s/run.hdt", p->folder);
    char *part = hd_format(p->arena, "%s/run.hdt.part", p->folder);
    const hd_trace_header header = {.source = "walk.yaml", .spaces = 1u << KIR_GLOBAL};
    hd_trace_writer *writer;
    bool complete;
    assert_int_equal(hd_trace_create(p->arena, &p->diag, finished, &header, &writer), HD_OK);
    assert_int_equal(check_left(p, part, &(whole_run){0}, &complete), 0);
    assert_false(complete);
    assert_int_equal(exit_of(start(p, (char *[]){"heddle", "trace", "info", part, NULL})), 0);
    hd_trace_abandon(writer);
}

/* ---- signals that end a run cleanly ------------------------------------------------------ */

/* Waits until the run has begun its file. */
static void wait_for(const char *path, pid_t pid) {
    while (access(path, F_OK)) {
        assert_int_equal(waitpid(pid, NULL, WNOHANG), 0);
        wait_seconds(0.005);
    }
}

/* The older trace of that name stays, and what was traced is beside it, with its index. */
static void signals_end_the_run_with_what_is_complete(void **state) {
    place *p = *state;
    static const int signals[] = {SIGINT, SIGTERM};
    char *finished = hd_format(p->arena, "%s/run.hdt", p->folder);
    char *part = hd_format(p->arena, "%s/run.hdt.part", p->folder);
    write_job(p, 64);
    assert_int_equal(exit_of(start_trace(p, "whole.hdt")), 0);
    const whole_run whole = read_whole(p);
    assert_int_equal(exit_of(start_trace(p, "run.hdt")), 0);
    write_job(p, 1u << 30);
    for (size_t i = 0; i < 2; i++) {
        bool complete;
        pid_t pid = start_trace(p, "run.hdt");
        wait_for(part, pid);
        wait_seconds(0.1);
        assert_int_equal(kill(pid, signals[i]), 0);
        assert_int_equal(exit_of(pid), 130);
        assert_int_equal(check_left(p, finished, &whole, &complete),
                         (uint64_t)whole.launches * BLOCKS);
        assert_true(complete);
        print_message("%llu blocks before the signal\n",
                      (unsigned long long)check_left(p, part, &whole, &complete));
        assert_false(complete);
        assert_int_equal(unlink(part), 0);
    }
    unlink(finished);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(killed_runs_leave_their_complete_blocks, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_file_that_was_just_begun_can_be_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(signals_end_the_run_with_what_is_complete, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
