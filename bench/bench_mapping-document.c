/*
 * Section 9.4 of "Memory-trace analysis of the data sharing degree in SIMT architectures" (figures
 * 71 to 84): how the data reuse characteristic changes when threads are clustered into warps, warps
 * into blocks, and blocks are scheduled. docs/reproduce-mapping.md is what this prints, with
 * comments.
 *
 * The applications are those of examples/ at the document's sizes: as our generators give them, with
 * threads in a random order, and with random numbers of the nodes, as in unsorted inputs. Of each
 * stage, and of the best new order of data, are printed the change of the sum of the reuse degree, as
 * the document has it, and the domain, the largest distance with a degree: for block 0 and all
 * blocks one by one (scenario 2), and all blocks at once (scenario 3), with 4 bytes an element.
 *
 *     bench_mapping-document [APPLICATION ...]
 */
#include <stdio.h>
#include <stdlib.h>

#include "advise/mapping.h"
#include "cli/report/report.h"
#include "shared/run_job.h"

/* The sums under figures 71 to 77 and 78 to 84, charts d, e and f. */
static const struct {
    const char *name;
    int difference[6]; /* block 0, then all blocks */
} document[] = {
    {"sta", {17, 802, 802, -10216, 14229, 11940}},
    {"gsim", {400, 795, 794, 8236, 21363, 17129}},
    {"bfs", {17, 802, 802, -10812, 13361, 11324}},
    {"nbf", {44458, 60346, 60576, 6053, 7400, 9138}},
    {"moldyn", {352556, 446146, 447102, -3373236, -5170268, -5791542}},
    {"irreg", {47309, 53448, 43212, -4445, -4402, -4647}},
    {"euler", {59694, 81755, 82204, 8904, 7834, 9172}},
};
static const char *const inputs[] = {"as generated", "threads unsorted", "data unsorted"};
static const char *const stages[] = {"threads", "warps", "blocks"};

static void say(const hd_message *message, void *user) {
    (void)user;
    fprintf(stderr, "%s\n", message->text);
}
static const hd_diag diag = {say, NULL};

static uint64_t degree_of(const hd_reuse_stream *stream) {
    uint64_t degree = 0;
    for (uint64_t d = 1; d <= stream->domain; d++)
        degree += stream->degree[d];
    return degree;
}

/* Of all blocks of a launch, each for itself. */
static uint64_t degree_of_blocks(const hd_reuse *blocks, uint32_t launch) {
    uint64_t degree = 0;
    for (uint64_t i = 0; i < blocks->stream_count; i++)
        if (blocks->streams[i].launch == launch)
            degree += degree_of(&blocks->streams[i]);
    return degree;
}

/* The launch with most accesses. */
static uint32_t largest_launch(const hd_reuse *blocks) {
    uint64_t most = 0, sum = 0;
    uint32_t largest = 0;
    for (uint64_t i = 0; i < blocks->stream_count; i++) {
        if (!i || blocks->streams[i].launch != blocks->streams[i - 1].launch)
            sum = 0;
        sum += blocks->streams[i].accesses;
        if (sum > most) {
            most = sum;
            largest = blocks->streams[i].launch;
        }
    }
    return largest;
}

static hd_reuse_stream *block_0(const hd_reuse *blocks, uint32_t launch) {
    for (uint64_t i = 0; i < blocks->stream_count; i++)
        if (blocks->streams[i].launch == launch && !blocks->streams[i].number)
            return &blocks->streams[i];
    return NULL;
}

/* What is looked at of a step. */
typedef struct look {
    int64_t block_0, blocks, all; /* degrees */
    uint64_t domain, domain_all;
} look;

static look look_at(const hd_map_step *step, uint32_t launch) {
    const hd_reuse_stream *block = block_0(step->reuse[0].all, launch);
    return (look){.block_0 = block ? (int64_t)degree_of(block) : 0,
                  .blocks = (int64_t)degree_of_blocks(step->reuse[0].all, launch),
                  .all = (int64_t)step->reuse[1].degree,
                  .domain = block ? block->domain : 0,
                  .domain_all = step->reuse[1].domain};
}

static void show_change(const char *name, const int *of_document, look from, look to) {
    char there[2][16] = {"", ""};
    for (int i = 0; i < 2 && of_document; i++)
        snprintf(there[i], sizeof there[i], "%+d", of_document[i * 3]);
    printf("| %s | %s | %+lld | %llu | %+lld | %s | %+lld | %llu |\n", name, there[0],
           (long long)(to.block_0 - from.block_0), (unsigned long long)to.domain,
           (long long)(to.blocks - from.blocks), there[1], (long long)(to.all - from.all),
           (unsigned long long)to.domain_all);
}

/* A row for each stage, which is the one before it where nothing changed, and one for data in
 * another order. */
static void show(const hd_mapping *mapping, size_t application, const char *input) {
    const hd_map_step *first = &mapping->steps[0], *now = first, *data = NULL;
    uint32_t launch = largest_launch(first->reuse[0].all);
    look from = look_at(first, launch);
    printf("| **%s**, %s | | %lld | %llu | %lld | | %lld | %llu |\n", document[application].name,
           input, (long long)from.block_0, (unsigned long long)from.domain, (long long)from.blocks,
           (long long)from.all, (unsigned long long)from.domain_all);
    uint32_t s = 1;
    for (int stage = 0; stage < 3; stage++) {
        if (s < mapping->step_count && !strcmp(mapping->steps[s].name, stages[stage]))
            now = &mapping->steps[s++];
        char name[32];
        snprintf(name, sizeof name, "%s%s", stage ? "and " : "", stages[stage]);
        show_change(name, &document[application].difference[stage], from, look_at(now, launch));
    }
    for (; s < mapping->step_count; s++)
        if (!data || mapping->steps[s].counts.transactions < data->counts.transactions)
            data = &mapping->steps[s];
    if (data)
        show_change(data->name, NULL, from, look_at(data, launch));
    fflush(stdout);
}

int main(int argc, char **argv) {
    hd_arena *arena = hd_arena_new();
    const hd_device *device;
    if (hd_device_find(arena, &diag, "tesla-k20c", &device))
        return 2;
    printf("| application, step | document, block 0 | block 0 | domain | all blocks, one by one | "
           "document, all at once | all at once | domain |\n|---|---|---|---|---|---|---|---|\n");
    for (size_t a = 0; a < sizeof document / sizeof *document; a++) {
        bool chosen = argc == 1;
        for (int i = 1; i < argc; i++)
            chosen = chosen || !strcmp(argv[i], document[a].name);
        for (int input = 0; input < 3 && chosen; input++) {
            hd_arena *own = hd_arena_new();
            hd_job *job;
            hd_mapping *mapping;
            const char *name = document[a].name;
            const hd_map_question question = {
                .device = device,
                .stages = {.threads = true, .warps = true, .blocks = true, .refine = true},
                .orders_data = true,
                .shuffled_threads = input == 1,
                .shuffled_data = input == 2,
                .reuse = true};
            if (load_job(own, &diag, hd_format(own, "examples/%s/%s.yaml", name, name), &job) ||
                hd_map_job(own, &diag, job, &question, &mapping))
                return 2;
            show(mapping, a, inputs[input]);
            hd_arena_free(own);
        }
    }
    hd_arena_free(arena);
    return 0;
}
