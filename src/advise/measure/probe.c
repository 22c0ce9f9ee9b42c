/*
 * What is asked, what is measured, and what is assumed of a device.
 *
 *     name, SMs, lanes, limits     asked of the driver, where it tells
 *     L1                           the largest ring whose loads take no longer than a small one's
 *     L2                           asked (CUDA), or the largest ring that is still on the next step
 *     lines                        of two loads at a distance, the second one costs a miss of its
 *                                  own as soon as the distance is that of a line (or sector)
 *     weights                      a load's latency in rings that fit L1, L2 and neither
 *     the rest                     assumed, and said so
 *
 * A processor's caches are those that the system tells (device/this_machine.c); it prefetches lines, so that
 * its lines could not be told by distances.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "advise/measure/chase.h"
#include "advise/measure/probe.h"

#define KIB UINT64_C(1024)
#define MIB (1024 * KIB)

enum {
    STEP = 128, /* no known line is longer */
    FIGURES = 16,
    MOST_ITEMS = 1 << 20 /* of a processor's work-group: more is no limit */
};

typedef struct prober {
    hd_arena *arena;
    hd_compute *gpu;
    measure_chaser chaser;
    hd_device device;
    uint64_t most;                          /* bytes of a ring */
    double l1, l2, memory;                  /* seconds of a load; 0: not measured */
    uint64_t l1_ring, l2_ring, memory_ring; /* bytes that these were measured in */
    const char *l1_source, *l2_source;      /* of their sizes */
    hd_figure_source sources[FIGURES];
    uint32_t source_count;
    hd_str assumed; /* what is, with commas between */
} prober;

/* ---- sources ------------------------------------------------------------------------------- */

static void assume(prober *p, const char *what) {
    hd_str_printf(&p->assumed, "%s%s", p->assumed.length ? ", " : "", what);
}

/* The source of a figure; one that begins with "assumed" is counted among those. */
__attribute__((format(printf, 3, 4))) static void tell(prober *p, const char *key,
                                                       const char *format, ...) {
    char text[512];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    p->sources[p->source_count++] = (hd_figure_source){key, hd_strdup(p->arena, text)};
    if (!strncmp(text, "assumed", strlen("assumed")))
        assume(p, key);
}

static const char *size_text(const prober *p, uint64_t bytes) {
    return bytes >= MIB && bytes % MIB == 0
               ? hd_format(p->arena, "%llu MiB", (unsigned long long)(bytes / MIB))
               : hd_format(p->arena, "%.4g KiB", (double)bytes / (double)KIB);
}

/* A figure that the driver tells, or else what is assumed of it. */
static uint32_t ask(prober *p, hd_compute_figure figure, const char *key, uint32_t otherwise,
                    const char *why) {
    const char *query;
    uint64_t value = p->gpu->api->ask(p->gpu, p->chaser.kernel, figure, &query);
    if (value && value <= UINT32_MAX)
        tell(p, key, "query: %s", query);
    else
        tell(p, key, "assumed, as %s; the driver does not tell", why);
    return value && value <= UINT32_MAX ? (uint32_t)value : otherwise;
}

/* ---- limits -------------------------------------------------------------------------------- */

static void ask_limits_of_gpu(prober *p) {
    hd_device *d = &p->device;
    bool is_cuda = p->gpu->api == &hd_compute_cuda;
    const char *query;
    uint64_t warp = p->gpu->api->ask(p->gpu, p->chaser.kernel, HD_COMPUTE_WARP, &query);
    /* a multiple that a kernel prefers may be no power of two */
    bool is_warp = warp <= 1024 && hd_is_power_of_two((uint32_t)warp);
    d->warp = is_warp ? (uint32_t)warp : 32;
    if (is_warp)
        tell(p, "warp", "query: %s", query);
    else
        tell(p, "warp", "assumed, as NVIDIA's devices have it; the driver does not tell");
    d->max_blocks = ask(p, HD_COMPUTE_GROUPS, "blocks", 32, "most of NVIDIA's devices have it");
    d->max_threads = ask(p, HD_COMPUTE_ITEMS, "threads", 2048, "most devices have it");
    d->registers = ask(p, HD_COMPUTE_REGISTERS, "regs", 65536, "NVIDIA's devices have it");
    d->max_registers = d->registers < 255 ? d->registers : 255;
    tell(p, "maxregs",
         is_cuda ? "CUDA C++ Programming Guide, from compute capability 3.5 on"
                 : "assumed, as NVIDIA's devices have it; OpenCL does not tell");
    d->max_threads = (uint32_t)hd_align_up(d->max_threads, d->warp);
}

/* What host.c says of this machine, and the sizes of groups. */
static void ask_limits_of_processor(prober *p, const hd_device *host) {
    const char *query;
    uint64_t group = p->gpu->api->ask(p->gpu, p->chaser.kernel, HD_COMPUTE_GROUP, &query);
    hd_device *d = &p->device;
    d->warp = host->warp;
    tell(p, "warp", "query: the processor's SIMD registers, in lanes of 32 bits");
    d->max_blocks = 1;
    tell(p, "blocks", "assumed, as a core of a processor runs one work-group at a time");
    d->max_threads =
        group && group <= MOST_ITEMS ? (uint32_t)hd_align_up(group, d->warp) : host->max_threads;
    if (group && group <= MOST_ITEMS)
        tell(p, "threads", "query: %s, of the one work-group", query);
    else
        tell(p, "threads", "assumed, as PoCL has it");
    d->max_registers = host->max_registers;
    d->registers = d->max_threads * d->max_registers;
    tell(p, "regs", "assumed, as many that they never limit: work-items take turns in them");
    tell(p, "maxregs", "assumed, as regs");
}

/* ---- measuring ----------------------------------------------------------------------------- */

/* Seconds of a load in a ring of so many bytes. */
static const char *chase(prober *p, uint64_t bytes, bool is_cold, double *seconds) {
    return measure_chase(
        &p->chaser, &(measure_ring){.bytes = bytes, .step = STEP, .is_cold = is_cold}, seconds);
}

/* Where latencies begin to rise: *end is the largest ring from `least` on, through sizes of
 * `parts` an octave, whose loads take as long as those of the first, *seconds; 0: they take so
 * long up to `most`. */
static const char *find_rise(prober *p, uint64_t least, uint64_t most, uint32_t parts,
                             uint64_t *end, double *seconds) {
    const double same = 1.3;
    *end = 0;
    const char *error = chase(p, least, false, seconds);
    uint64_t before = least;
    for (uint64_t octave = least; octave < most && !error && !*end; octave *= 2)
        for (uint32_t part = 1; part <= parts && !error && !*end; part++) {
            double taken;
            uint64_t bytes = octave + octave / parts * part;
            error = chase(p, bytes, false, &taken);
            if (taken > same * *seconds)
                *end = before;
            before = bytes;
        }
    return error;
}

static const char *find_l1(prober *p) {
    hd_device *d = &p->device;
    const char *error;
    if (d->l1.size) {
        p->l1_ring = d->l1.size / 2 / STEP * STEP;
        return chase(p, p->l1_ring, false, &p->l1);
    }
    p->l1_ring = 4 * KIB;
    error = find_rise(p, p->l1_ring, 512 * KIB, 4, &d->l1.size, &p->l1);
    p->l1_source =
        d->l1.size ? "measured: the size is that of the largest ring whose loads take as long as "
                     "those of one of 4 KiB"
                   : "measured: loads take as long in rings of 4 KiB as of 512 KiB, so that there "
                     "is none between them and L2";
    return error;
}

static const char *find_l2(prober *p) {
    hd_device *d = &p->device;
    const char *error, *query;
    uint64_t least = d->l1.size ? 4 * d->l1.size : 512 * KIB;
    if (!d->l2.size) {
        d->l2.size = p->gpu->api->ask(p->gpu, p->chaser.kernel, HD_COMPUTE_L2, &query);
        p->l2_source = hd_format(p->arena, "query: %s", query);
    }
    if (!d->l2.size) {
        error = find_rise(p, least, p->most / 4, 2, &d->l2.size, &p->l2);
        p->l2_ring = least;
        p->l2_source = hd_format(
            p->arena,
            d->l2.size ? "measured: the size is that of the largest ring whose loads take as long "
                         "as those of one of %s"
                       : "measured: latencies do not rise behind a ring of %s, so that no cache is "
                         "seen",
            size_text(p, least));
        return error;
    }
    /* A quarter, since L2 may be in halves that keep copies of each other's lines, and has other
     * users. */
    uint64_t quarter = d->l2.size / 4, beyond_l1 = least < d->l2.size ? least : d->l2.size;
    p->l2_ring = hd_align_up(quarter > beyond_l1 ? quarter : beyond_l1, STEP);
    if (p->l2_ring > p->most)
        p->l2_ring = p->most / STEP * STEP;
    return chase(p, p->l2_ring, false, &p->l2);
}

static const char *find_memory(prober *p) {
    uint64_t wanted = 2 * p->device.l2.size;
    p->memory_ring = hd_align_up(wanted < 32 * MIB ? 32 * MIB : wanted, STEP);
    if (p->memory_ring > p->most / 2)
        p->memory_ring = 0; /* and it stays unmeasured */
    return p->memory_ring ? chase(p, p->memory_ring, true, &p->memory) : NULL;
}

/* The distance from which the second of two loads misses, too: nodes so far from each other that no
 * other one is near, in a ring that the cache does not hold. At the shortest distance it is a hit,
 * at the longest a miss, if of less than the first one, whose page it shares. 0: it cannot be
 * told. */
static const char *find_line(prober *p, uint64_t bytes, bool is_cold, uint32_t *line) {
    enum { DISTANCES = 5 }; /* 16, 32, 64, 128 and 256 */
    const double clear = 0.25;
    measure_ring ring = {.bytes = bytes, .step = 512, .is_cold = is_cold};
    double first, mean, second[DISTANCES] = {0}; /* seconds of a load */
    const char *error = measure_chase(&p->chaser, &ring, &first);
    *line = 0;
    for (int d = 0; d < DISTANCES && !error; d++) {
        ring.second = 16u << d;
        error = measure_chase(&p->chaser, &ring, &mean);
        second[d] = 2 * mean - first;
    }
    if (error || second[DISTANCES - 1] - second[0] < clear * first)
        return error;
    double between = (second[0] + second[DISTANCES - 1]) / 2;
    for (int d = DISTANCES - 1; second[d] > between; d--)
        *line = 16u << d;
    return NULL;
}

/* Lines, and the segments that requests are split into. */
static const char *find_lines(prober *p) {
    static const char measured[] = "line measured: the distance from which the second of two loads "
                                   "misses, too",
                      assumed[] = "line assumed, as the sectors of NVIDIA's devices: it could not "
                                  "be told";
    hd_device *d = &p->device;
    /* of a ring's steps of 512 bytes, each takes up a tag of L1, of at most 128 bytes */
    uint64_t ring = 16 * d->l1.size;
    const char *error = NULL;
    uint32_t line = 0;
    if (d->l1.size && ring <= d->l2.size / 2)
        error = find_line(p, ring, false, &line);
    bool is_told = line; /* of L1 */
    d->l1.line = line ? line : 32;
    if (!is_told)
        assume(p, "the line of l1");
    tell(p, "l1", "%s; %s", p->l1_source, is_told ? measured : assumed);
    line = 0;
    if (!error && p->memory_ring)
        error = find_line(p, p->memory_ring, true, &line);
    d->l2.line = line ? line : d->l1.line;
    if (!line)
        assume(p, "the line of l2");
    tell(p, "l2", "%s; %s", p->l2_source,
         line      ? measured
         : is_told ? "line assumed, as L1's"
                   : assumed);
    bool is_of_l1 = d->l1.size || !line;
    d->segment = is_of_l1 ? d->l1.line : d->l2.line;
    if (is_of_l1 && !is_told)
        tell(p, "segment", "assumed, as the line of L1");
    else
        tell(p, "segment", "measured: the line of %s, which is what a miss of a request brings",
             is_of_l1 ? "L1" : "L2");
    d->l1.size -= d->l1.size % d->l1.line;
    d->l2.size -= d->l2.size % d->l2.line;
    return error;
}

static double weight(double seconds, double l1) { return round(10 * seconds / l1) / 10; }

/* Latencies over L1's; what cannot be measured is taken from the H100's weights, 1, 6.5 and 11.8. */
static void weigh(prober *p) {
    hd_device *d = &p->device;
    const double ns = 1e9;
    d->w_l1 = 1;
    d->w_l2 = fmax(weight(p->l2, p->l1), 1);
    d->w_dram = fmax(p->memory > 0 ? weight(p->memory, p->l1) : d->w_l2 * 11.8 / 6.5, d->w_l2);
    if (p->memory > 0)
        tell(p, "w",
             "measured: %.3g, %.3g and %.3g ns for a load of one work-item that follows a ring of "
             "indices in %s, %s and %s, with the misses of its TLB, normalised to the first",
             ns * p->l1, ns * p->l2, ns * p->memory, size_text(p, p->l1_ring),
             size_text(p, p->l2_ring), size_text(p, p->memory_ring));
    else {
        assume(p, "the weight of memory");
        tell(p, "w",
             "measured: %.3g and %.3g ns for a load of one work-item that follows a ring of "
             "indices in %s and %s, normalised to the first; memory assumed, as the H100's, since "
             "a ring that L2 does not hold is too large",
             ns * p->l1, ns * p->l2, size_text(p, p->l1_ring), size_text(p, p->l2_ring));
    }
}

/* ---- a device ------------------------------------------------------------------------------- */

/* The caches that the system tells of, if it tells of both. */
static void take_caches(prober *p, const hd_device *host) {
    hd_device *d = &p->device;
    if (!host->l1.size || !host->l2.size)
        return;
    d->l1 = host->l1;
    d->l2 = host->l2;
    d->segment = host->segment;
    tell(p, "l1", "query: the system's topology (hwloc), the first data cache of a core");
    tell(p, "l2", "query: the system's topology (hwloc), the last cache before memory");
    if (d->l1.ways)
        tell(p, "l1tags", "query: the system's topology (hwloc)");
    if (d->l2.ways)
        tell(p, "l2tags", "query: the system's topology (hwloc)");
    tell(p, "segment", "assumed, as the line of the last cache");
}

static const char *measure(prober *p) {
    bool is_known = p->device.l1.size; /* and so are L2 and the lines */
    const char *error = find_l1(p);
    if (!error)
        error = find_l2(p);
    if (!error)
        error = find_memory(p);
    if (!error && !is_known)
        error = find_lines(p);
    if (!error)
        weigh(p);
    return error;
}

static const char *about(prober *p) {
    const hd_compute_device *of = &p->gpu->device;
    hd_str s = {.arena = p->arena};
    const char *query;
    uint64_t group = p->gpu->api->ask(p->gpu, p->chaser.kernel, HD_COMPUTE_GROUP, &query);
    hd_str_printf(&s, "Probed: %s %s (%s, driver %s).\n", p->gpu->api->title, of->id, of->platform,
                  of->driver);
    if (group)
        hd_str_printf(&s, "A work-group has at most %llu work-items (%s)",
                      (unsigned long long)group, query);
    uint64_t local = p->gpu->api->ask(p->gpu, p->chaser.kernel, HD_COMPUTE_LOCAL, &query);
    if (group && local)
        hd_str_printf(&s, "\nand %s of local memory (%s)", size_text(p, local), query);
    hd_str_printf(&s, "%sWhat could not be asked or measured, and is assumed: %s.\n",
                  group ? ".\n" : "", p->assumed.length ? hd_str_text(&p->assumed) : "nothing");
    return hd_str_text(&s);
}

/* Nobody tells whose code it is: it follows from whose device it is. */
static void name_compiler(prober *p) {
    const hd_compute_device *device = &p->gpu->device;
    if (device->is_processor)
        p->device.compiler = HD_COMPILER_CPU;
    else if (p->gpu->api == &hd_compute_cuda || strstr(device->name, "NVIDIA"))
        p->device.compiler = HD_COMPILER_NVPTX64;
    else if (strstr(device->name, "AMD") || !strncmp(device->name, "gfx", 3))
        p->device.compiler = HD_COMPILER_AMDGCN;
    tell(p, "compiler", "%s: the device is %s", device->is_processor ? "query" : "by its name",
         device->is_processor ? "a processor" : device->name);
}

static hd_status probe_open(hd_arena *arena, const hd_diag *diag, hd_compute *gpu,
                            hd_probe *result) {
    prober p = {.arena = arena, .gpu = gpu, .assumed = {.arena = arena}};
    const hd_device *host = NULL;
    hd_status status = gpu->device.is_processor ? hd_device_host(arena, diag, &host) : HD_OK;
    if (status != HD_OK)
        return status;
    p.most = 512 * MIB;
    if (gpu->most_bytes && gpu->most_bytes < p.most)
        p.most = gpu->most_bytes;
    if (hd_memory_free() / 4 < p.most)
        p.most = hd_memory_free() / 4;
    if (p.most < MIB)
        p.most = MIB;
    p.device = (hd_device){.name = "probed",
                           .title = gpu->device.name,
                           .sms = gpu->units,
                           .banks = 32,
                           .bank = 4,
                           .board = hd_usual_board};
    tell(&p, "sms", "query: %s",
         gpu->api == &hd_compute_cuda ? "CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT"
                                      : "CL_DEVICE_MAX_COMPUTE_UNITS");
    name_compiler(&p);
    const char *error = measure_chaser_open(arena, gpu, &p.chaser);
    if (!error && host) {
        ask_limits_of_processor(&p, host);
        take_caches(&p, host);
    } else if (!error) {
        ask_limits_of_gpu(&p);
    }
    if (!error)
        error = measure(&p);
    if (error)
        status = hd_fail(diag, HD_ESYSTEM, NULL, "cannot %s on %s: %s%s%s", gpu->doing,
                         gpu->device.name, error, gpu->log ? ":\n" : "", gpu->log ? gpu->log : "");
    else
        status = hd_device_check(diag, &p.device);
    if (status == HD_OK) {
        hd_device *device = hd_new(arena, hd_device);
        *device = p.device;
        *result =
            (hd_probe){gpu->device, device,
                       hd_device_profile(arena, device, about(&p), p.sources, p.source_count)};
    }
    measure_chaser_close(&p.chaser);
    return status;
}

/* ---- which ---------------------------------------------------------------------------------- */

/* Of all devices the one that is meant. */
static hd_status choose(hd_arena *arena, const hd_diag *diag, const char *wanted,
                        const hd_compute_device **device) {
    static const hd_compute_api *const apis[] = {&hd_compute_cuda, &hd_compute_opencl};
    const hd_compute_device *chosen = NULL;
    const char *missing[2];
    hd_str names = {.arena = arena};
    for (int a = 0; a < 2; a++) {
        uint32_t count;
        const hd_compute_device *devices = apis[a]->list(arena, &count, &missing[a]);
        for (uint32_t d = 0; d < count; d++) {
            bool is_better =
                !chosen || (!wanted && chosen->is_processor && !devices[d].is_processor);
            if (is_better && hd_measure_device_is(&devices[d], wanted))
                chosen = &devices[d];
            hd_str_printf(&names, "%s%s %s (%s)", names.length ? ", " : "", devices[d].id,
                          devices[d].name, devices[d].platform);
        }
    }
    *device = chosen;
    if (!chosen && names.length)
        return hd_fail(diag, HD_EINPUT, NULL, "no device is called '%s'; there are: %s", wanted,
                       hd_str_text(&names));
    if (!chosen)
        return hd_fail(diag, HD_ESYSTEM, NULL, "there is no device to probe. OpenCL: %s. CUDA: %s",
                       missing[1], missing[0]);
    return HD_OK;
}

hd_status hd_probe_device(hd_arena *arena, const hd_diag *diag, const char *wanted,
                          hd_probe *probe) {
    const hd_compute_device *device;
    hd_compute *gpu;
    hd_status status = choose(arena, diag, wanted, &device);
    if (status != HD_OK)
        return status;
    const char *error = hd_compute_named(device->backend)->open(arena, device->id, &gpu);
    if (error)
        return hd_fail(diag, HD_ESYSTEM, NULL, "cannot open %s: %s", device->name, error);
    status = probe_open(arena, diag, gpu, probe);
    gpu->api->close(gpu);
    return status;
}
