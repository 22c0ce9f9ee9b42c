/* What the host's processor has, and work for its threads. */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "remap/host.h"

/* ---- the engine ---------------------------------------------------------------------------- */

enum {
    LEAST_BYTES = 1 << 20, /* for which a thread is worth its making */
    TASKS_PER_THREAD = 4,
    LEAST_STREAMED = 4 << 20, /* below, asking for the size of the cache takes too long */
    USUAL_CACHE = 16 << 20    /* where the system does not tell */
};

static bool has_avx2(void) {
#if defined __x86_64__
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("bmi2");
#else
    return false;
#endif
}

static bool has_avx512(void) {
#if defined __x86_64__
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512vbmi");
#else
    return false;
#endif
}

static bool has_neon(void) {
#if defined __aarch64__
    return true;
#else
    return false;
#endif
}

static const hd_remap_lanes *lanes_of(hd_remap_simd simd) {
#if defined __x86_64__
    if (simd == HD_REMAP_SIMD_AVX512)
        return &hd_remap_lanes_avx512;
    if (simd == HD_REMAP_SIMD_AVX2)
        return &hd_remap_lanes_avx2;
#endif
    (void)simd;
    return &hd_remap_lanes_base;
}

static hd_status choose_lanes(const hd_diag *diag, hd_remap_simd simd,
                              const hd_remap_lanes **lanes) {
    static const char *const names[] = {"the best", "none", "AVX2", "AVX-512 with VBMI", "NEON"};
    const bool has[] = {true, true, has_avx2(), has_avx512(), has_neon()};
    if (simd < HD_REMAP_SIMD_BEST || simd > HD_REMAP_SIMD_NEON)
        return hd_fail(diag, HD_EINPUT, NULL, "%d is none of hd_remap_simd", (int)simd);
    if (!has[simd])
        return hd_fail(diag, HD_EINPUT, NULL,
                       "this processor has no %s; leave it to HD_REMAP_SIMD_BEST", names[simd]);
    if (simd == HD_REMAP_SIMD_BEST)
        simd = has_avx512() ? HD_REMAP_SIMD_AVX512 : has_avx2() ? HD_REMAP_SIMD_AVX2 : simd;
    *lanes = lanes_of(simd);
    return HD_OK;
}

/* Of the last cache that the first core sees, as the system's file says; 0: it does not. */
static uint64_t cache_in_file(void) {
    uint64_t kib = 0;
    FILE *file = fopen("/sys/devices/system/cpu/cpu0/cache/index3/size", "r");
    if (!file)
        return 0;
    if (fscanf(file, "%" SCNu64 "K", &kib) != 1)
        kib = 0;
    fclose(file);
    return kib << 10;
}

/* Half of the last cache: what is larger will not be found there again. A virtual machine's
 * processor may tell of all caches of the machine below it, so the smaller figure is the one. */
static bool passes_caches(uint64_t bytes) {
    if (bytes <= LEAST_STREAMED)
        return false;
    long told = sysconf(_SC_LEVEL3_CACHE_SIZE);
    uint64_t in_file = cache_in_file();
    uint64_t cache = told > 0 ? (uint64_t)told : in_file ? in_file : USUAL_CACHE;
    if (in_file && in_file < cache)
        cache = in_file;
    return bytes > cache / 2;
}

hd_status hd_remap_engine_of(const hd_diag *diag, const hd_remap_host_options *options,
                             uint64_t bytes, hd_remap_engine *engine) {
    static const hd_remap_host_options usual = {0};
    options = options ? options : &usual;
    uint64_t threads = options->threads ? options->threads : hd_core_count();
    uint64_t most = 1 + bytes / LEAST_BYTES;
    threads = threads < most ? threads : most;
    *engine = (hd_remap_engine){.diag = diag,
                                .threads = (uint32_t)hd_remap_least(threads, HD_REMAP_MOST_THREADS),
                                .streaming = passes_caches(bytes)};
    return choose_lanes(diag, options->simd, &engine->lanes);
}

hd_status hd_remap_check_host(const hd_diag *diag, const hd_remap_host_options *options) {
    const hd_remap_lanes *lanes;
    return choose_lanes(diag, options->simd, &lanes);
}

/* ---- tasks --------------------------------------------------------------------------------- */

uint64_t hd_remap_tasks(const hd_remap_engine *engine, uint64_t units, uint64_t bytes) {
    uint64_t tasks = bytes / LEAST_BYTES, most = (uint64_t)engine->threads * TASKS_PER_THREAD;
    if (engine->threads == 1 || !tasks)
        tasks = 1;
    tasks = tasks < most ? tasks : most;
    return tasks < units ? tasks : units;
}

typedef struct run {
    const hd_remap_engine *engine;
    hd_remap_task_fn *task;
    void *job;
    uint64_t tasks;
    atomic_uint_fast64_t next;
} run;

typedef struct worker {
    run *run;
    char *scratch;
    pthread_t thread;
} worker;

static void *work(void *user) {
    worker *w = user;
    run *r = w->run;
    for (uint64_t task; (task = atomic_fetch_add(&r->next, 1)) < r->tasks;)
        r->task(r->engine, r->job, task, w->scratch);
    r->engine->lanes->fence();
    return NULL;
}

/* The calling thread works, too; threads that the system refuses leave more to the others. */
static void run_workers(worker *workers, uint32_t count) {
    uint32_t started = 1;
    while (started < count &&
           pthread_create(&workers[started].thread, NULL, work, &workers[started]) == 0)
        started++;
    work(&workers[0]);
    for (uint32_t i = 1; i < started; i++)
        pthread_join(workers[i].thread, NULL);
}

hd_status hd_remap_run(const hd_remap_engine *engine, uint64_t tasks, size_t scratch_bytes,
                       hd_remap_task_fn *task, void *job) {
    run r = {engine, task, job, tasks, 0};
    uint32_t threads = tasks < engine->threads ? (uint32_t)tasks : engine->threads;
    size_t each = (size_t)hd_align_up(scratch_bytes, REMAP_LINE) + REMAP_LINE;
    worker *workers = calloc(threads, sizeof *workers);
    char *scratch = NULL;
    hd_status status = HD_OK;
    if (!workers || posix_memalign((void **)&scratch, REMAP_LINE, each * threads) != 0)
        status = hd_fail(engine->diag, HD_ESYSTEM, NULL, "no memory for %u blocks of %zu bytes",
                         threads, each);
    if (status == HD_OK) {
        memset(scratch, 0, each * threads);
        for (uint32_t i = 0; i < threads; i++)
            workers[i] = (worker){.run = &r, .scratch = scratch + i * each};
        run_workers(workers, threads);
    }
    free(scratch);
    free(workers);
    return status;
}
