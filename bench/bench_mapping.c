/*
 * Which thread does what: the seven irregular applications of "Memory-trace analysis of the data
 * sharing degree in SIMT architectures" (table 1), at its sizes, with three inputs each:
 *
 *     natural   as the examples' generators number threads and data
 *     threads   threads in a random order, data as they are
 *     data      nodes with random numbers, as in unsorted inputs: threads and data are both unsorted
 *
 * For each the steps of hd_map_job(): transactions, what caches move, time on PoCL, and how much of
 * the transactions that shuffling added is gone. Then who makes the warps: the greedy method and
 * Zoltan alone, and refined.
 *
 * The exit status is 1 when a requirement is missed: 80% gone on the four big ones, nothing
 * recommended that is worse than before, maps in less than 10 s, refined fewer than both alone.
 *
 *     bench_mapping [--device D] [APPLICATION ...]
 */
#include <stdio.h>
#include <stdlib.h>

#include "advise/mapping.h"
#include "analysis/sharing_graph.h"
#include "cli/report/report.h"
#include "shared/run_job.h"

static const char *const applications[] = {"sta", "gsim", "bfs", "nbf", "moldyn", "irreg", "euler"};
enum { APPLICATIONS = 7, FIRST_BIG = 3, INPUTS = 3 };
static const char *const inputs[INPUTS] = {"natural", "threads", "data"};
static const double enough_gone = 0.8, most_seconds = 10;

static bool met = true;

static void require(bool holds, const char *what, const char *application) {
    if (!holds)
        printf("    MISSED: %s on %s\n", what, application);
    met = met && holds;
}

static void say(const hd_message *message, void *user) {
    (void)user;
    fprintf(stderr, "%s%s%s\n", message->place.file ? message->place.file : "",
            message->place.file ? ": " : "", message->text);
}
static const hd_diag diag = {say, NULL};

static hd_job *load(hd_arena *arena, const char *application) {
    hd_job *job;
    if (load_job(arena, &diag, hd_format(arena, "examples/%s/%s.yaml", application, application),
                 &job))
        exit(2);
    return job;
}

/* ---- steps ------------------------------------------------------------------------------------- */

static void show_step(const hd_mapping *mapping, uint32_t s, uint64_t natural) {
    const hd_map_step *step = &mapping->steps[s], *first = &mapping->steps[0];
    char gone[16] = "";
    if (s && natural && first->counts.transactions > natural)
        snprintf(gone, sizeof gone, "%.0f%%",
                 100 * ((double)first->counts.transactions - (double)step->counts.transactions) /
                     (double)(first->counts.transactions - natural));
    printf("    %-26s %9.1f k %6s %8.1f %8.1f %8.1f  %7.2f ms %5.2fx  %5.2f s%s\n", step->name,
           (double)step->counts.transactions / 1e3, gone,
           (double)step->caches.sectors * 32 / 1048576.0, (double)step->caches.l2_bytes / 1048576.0,
           (double)(step->caches.dram_read + step->caches.dram_written) / 1048576.0,
           1e3 * step->time.median, step->speedup, step->seconds,
           s && s == mapping->best ? "  <- recommended" : "");
}

/* Transactions of the natural input are what shuffling is measured from; 0: this is it. */
static uint64_t try_input(const char *application, bool is_big, int input, const hd_device *device,
                          uint64_t natural) {
    hd_arena *arena = hd_arena_new();
    const hd_measure_options measure = {.repeats = 5};
    const hd_map_question question = {
        .device = device,
        .stages = {.threads = true, .warps = true, .blocks = true, .refine = true},
        .orders_data = true,
        .shuffled_threads = input == 1,
        .shuffled_data = input == 2,
        .caches = true,
        .measure = &measure};
    hd_mapping *mapping;
    if (hd_map_job(arena, &diag, load(arena, application), &question, &mapping) != HD_OK)
        exit(2);
    const hd_map_step *first = &mapping->steps[0], *best = &mapping->steps[mapping->best];
    uint64_t transactions = first->counts.transactions;
    printf("  %s, %s\n", application, inputs[input]);
    for (uint32_t s = 0; s < mapping->step_count; s++)
        show_step(mapping, s, natural);
    double gone = natural && transactions > natural
                      ? ((double)transactions - (double)best->counts.transactions) /
                            (double)(transactions - natural)
                      : 1;
    if (is_big && input)
        require(gone >= enough_gone, "80% of what shuffling added", application);
    require(best->counts.transactions <= transactions, "no more transactions than before",
            application);
    for (uint32_t s = 0; s < mapping->step_count; s++)
        require(mapping->steps[s].seconds < most_seconds, "a map in less than 10 s", application);
    fflush(stdout);
    hd_arena_free(arena);
    return transactions;
}

/* ---- who makes the warps ------------------------------------------------------------------------- */

static uint64_t made_by(hd_arena *arena, const hd_sharing *sharing, hd_partitioner partitioner,
                        bool refine, const uint32_t *start) {
    const hd_stages stages = {
        .threads = true, .partitioner = partitioner, .partition = hd_partition, .refine = refine};
    uint32_t *order = hd_new_array(arena, uint32_t, sharing->threads + 1);
    memcpy(order, start, sharing->threads * sizeof *order);
    if (hd_order_threads(&diag, sharing, &stages, order) != HD_OK)
        exit(2);
    return hd_sharing_count(sharing, order).transactions;
}

/* The launch with most accesses, its threads shuffled. */
static void compare_partitioners(const char *application, const hd_device *device) {
    hd_arena *arena = hd_arena_new();
    char path[] = "/tmp/bench-mapping-XXXXXX";
    int fd = mkstemp(path);
    hd_trace *trace;
    if (fd < 0 ||
        trace_job(&diag, hd_format(arena, "examples/%s/%s.yaml", application, application),
                  1u << KIR_GLOBAL, path) ||
        hd_trace_open(arena, &diag, path, &trace))
        exit(2);
    remove(path);
    const hd_trace_contents *contents = hd_trace_get(trace);
    uint32_t most = 0;
    for (uint32_t l = 1; l < contents->launch_count; l++)
        if (contents->launches[l].lane_accesses > contents->launches[most].lane_accesses)
            most = l;
    const hd_sharing_options options = {.device = device};
    hd_sharing *sharing;
    if (hd_sharing_read(arena, &diag, trace, &most, 1, &options, &sharing))
        exit(2);
    uint32_t *start = hd_new_array(arena, uint32_t, sharing->threads + 1);
    hd_order_random(1, sharing->threads, start);
    uint64_t shuffled = hd_sharing_count(sharing, start).transactions;
    uint64_t greedy = made_by(arena, sharing, HD_PART_GREEDY, false, start);
    uint64_t zoltan = made_by(arena, sharing, HD_PART_ZOLTAN, false, start);
    uint64_t metis = made_by(arena, sharing, HD_PART_METIS, false, start);
    uint64_t ours = made_by(arena, sharing, HD_PART_GREEDY, true, start);
    uint64_t both = made_by(arena, sharing, HD_PART_ZOLTAN, true, start);
    printf("  %-8s %10.1f %10.1f %10.1f %10.1f %10.1f %10.1f\n", application,
           (double)shuffled / 1e3, (double)greedy / 1e3, (double)zoltan / 1e3, (double)metis / 1e3,
           (double)both / 1e3, (double)ours / 1e3);
    require(ours < zoltan && ours < greedy, "fewer than Zoltan and greedy alone", application);
    fflush(stdout);
    hd_trace_close(trace);
    hd_arena_free(arena);
}

int main(int argc, char **argv) {
    hd_arena *arena = hd_arena_new();
    const char *name = "tesla-k20c";
    int first = 1;
    if (argc > 2 && !strcmp(argv[1], "--device")) {
        name = argv[2];
        first = 3;
    }
    const hd_device *device;
    if (hd_device_find(arena, &diag, name, &device))
        return 2;
    printf("Transactions of %u bytes; MiB of sectors that warps ask for, from L2, of memory "
           "(simulated), on %s; kernels on PoCL\n\n"
           "    %-26s %11s %6s %8s %8s %8s  %10s %6s  %7s\n",
           device->segment, device->name, "step", "transact.", "gone", "L1", "L2", "memory", "time",
           "speed", "making");
    for (int a = 0; a < APPLICATIONS; a++) {
        bool chosen = first == argc;
        for (int i = first; i < argc; i++)
            chosen = chosen || !strcmp(argv[i], applications[a]);
        uint64_t natural = 0;
        for (int input = 0; input < INPUTS && chosen; input++) {
            uint64_t began = try_input(applications[a], a >= FIRST_BIG, input, device, natural);
            natural = input ? natural : began;
        }
    }
    printf("\nWarps of the largest launch, its threads shuffled: thousands of transactions\n"
           "  %-8s %10s %10s %10s %10s %10s %10s\n",
           "", "shuffled", "greedy", "Zoltan", "METIS", "Z. refined", "ours");
    for (int a = 0; a < APPLICATIONS; a++) {
        bool chosen = first == argc;
        for (int i = first; i < argc; i++)
            chosen = chosen || !strcmp(argv[i], applications[a]);
        if (chosen)
            compare_partitioners(applications[a], device);
    }
    printf("%s\n", met ? "met" : "MISSED");
    hd_arena_free(arena);
    return !met;
}
