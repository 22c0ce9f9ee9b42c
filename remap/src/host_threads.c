/* What the host's processor has, and work for its threads. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "remap/remap_host.h"

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

static hd_status choose_lanes(const hd_diag *diag, hd_remap_simd simd,
                              const hd_remap_lanes **lanes) {
    static const char *const names[] = {"the best", "none", "AVX2", "AVX-512 with VBMI", "NEON"};
#if defined __aarch64__
    const bool has_neon = true;
#else
    const bool has_neon = false;
#endif
    const bool has[] = {true, true, has_avx2(), has_avx512(), has_neon};
    if (simd < HD_REMAP_SIMD_BEST || simd > HD_REMAP_SIMD_NEON)
        return hd_fail(diag, HD_EINPUT, NULL, "%d is none of hd_remap_simd", (int)simd);
    if (!has[simd])
        return hd_fail(diag, HD_EINPUT, NULL,
                       "this processor has no %s; leave it to HD_REMAP_SIMD_BEST", names[simd]);
    if (simd == HD_REMAP_SIMD_BEST)
        simd = has_avx512() ? HD_REMAP_SIMD_AVX512 : has_avx2() ? HD_REMAP_SIMD_AVX2 : simd;
    *lanes = &hd_remap_lanes_base;
#if defined __x86_64__
    if (simd == HD_REMAP_SIMD_AVX512)
        *lanes = &hd_remap_lanes_avx512;
    if (simd == HD_REMAP_SIMD_AVX2)
        *lanes = &hd_remap_lanes_avx2;
#endif
    return HD_OK;
}

/* Half of the last cache: what is larger will not be found there again. A virtual machine's
 * processor may tell of all caches of the machine below it, so the smaller of its figure and the
 * system's file's is the one. */
static bool passes_caches(uint64_t bytes) {
    if (bytes <= LEAST_STREAMED)
        return false;
    FILE *file = fopen("/sys/devices/system/cpu/cpu0/cache/index3/size", "r");
    long told = sysconf(_SC_LEVEL3_CACHE_SIZE);
    uint64_t kib, cache = told > 0 ? (uint64_t)told : UINT64_MAX;
    if (file && fscanf(file, "%" SCNu64 "K", &kib) == 1 && kib)
        cache = hd_remap_least(cache, kib << 10);
    if (file)
        fclose(file);
    return bytes > (cache == UINT64_MAX ? USUAL_CACHE : cache) / 2;
}

hd_status hd_remap_engine_of(const hd_diag *diag, const hd_remap_host_options *options,
                             uint64_t bytes, hd_remap_engine *engine) {
    static const hd_remap_host_options usual = {0};
    options = options ? options : &usual;
    uint64_t threads = options->threads ? options->threads : hd_core_count();
    threads = hd_remap_least(threads, 1 + bytes / LEAST_BYTES);
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
    char *scratch;
    size_t each; /* bytes of it for a worker */
} run;

static hd_status do_task(void *self, uint32_t worker, uint64_t task) {
    const run *r = self;
    r->task(r->engine, r->job, task, r->scratch + worker * r->each);
    r->engine->lanes->fence();
    return HD_OK;
}

hd_status hd_remap_run(const hd_remap_engine *engine, uint64_t tasks, size_t scratch_bytes,
                       hd_remap_task_fn *task, void *job) {
    uint32_t threads = tasks < engine->threads ? (uint32_t)tasks : engine->threads;
    size_t each = (size_t)hd_align_up(scratch_bytes, REMAP_LINE) + REMAP_LINE;
    run r = {.engine = engine, .task = task, .job = job, .each = each};
    if (posix_memalign((void **)&r.scratch, REMAP_LINE, each * threads) != 0)
        return hd_fail(engine->diag, HD_ESYSTEM, NULL, "no memory for %u blocks of %zu bytes",
                       threads, each);
    memset(r.scratch, 0, each * threads);
    uint64_t none;
    hd_status status = hd_in_parallel(threads, tasks, do_task, &r, &none);
    free(r.scratch);
    return status;
}
