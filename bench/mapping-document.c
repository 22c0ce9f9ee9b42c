/*
 * Section 9.4 of "Memory-trace analysis of the data sharing degree in SIMT architectures" (figures
 * 71 to 84): how the data reuse characteristic changes when threads are clustered into warps, warps
 * into blocks, and blocks are scheduled. docs/reproduce-mapping.md is what this prints, with
 * comments.
 *
 * The applications are those of examples/ at the document's sizes, once with threads in the order
 * that our generators give and once in a random order, as in unsorted inputs. Of each stage are
 * printed the change of the sum of the reuse degree, as the document has it, and the domain, the
 * largest distance with a degree: for one block (scenario 2) and all blocks at once (scenario 3).
 *
 *     bench_mapping-document [APPLICATION ...]
 */
#include <stdio.h>
#include <stdlib.h>

#include "advise/mapping.h"
#include "frontend/frontend.h"
#include "report/report.h"

/* The sums under figures 71 to 77 and 78 to 84, charts d, e and f. */
static const struct {
    const char *name;
    int block_0[3], all[3];
} document[] = {
    {"sta", {17, 802, 802}, {-10216, 14229, 11940}},
    {"gsim", {400, 795, 794}, {8236, 21363, 17129}},
    {"bfs", {17, 802, 802}, {-10812, 13361, 11324}},
    {"nbf", {44458, 60346, 60576}, {6053, 7400, 9138}},
    {"moldyn", {352556, 446146, 447102}, {-3373236, -5170268, -5791542}},
    {"irreg", {47309, 53448, 43212}, {-4445, -4402, -4647}},
    {"euler", {59694, 81755, 82204}, {8904, 7834, 9172}},
};
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

/* The steps that are shown, in a row each; a stage that changed nothing is the step before it. */
static void show(const hd_mapping *mapping, size_t application, const char *input) {
    const hd_map_step *first = &mapping->steps[0], *now = first;
    uint32_t launch = largest_launch(first->reuse[0].all);
    const hd_reuse_stream *before = block_0(first->reuse[0].all, launch);
    int64_t degree = (int64_t)degree_of(before), all = (int64_t)first->reuse[1].degree;
    int64_t each = (int64_t)degree_of_blocks(first->reuse[0].all, launch);
    printf("| **%s**, %s | | %lld | %llu | %lld | | %lld | %llu |\n", document[application].name,
           input, (long long)degree, (unsigned long long)before->domain, (long long)each,
           (long long)all, (unsigned long long)first->reuse[1].domain);
    uint32_t s = 1;
    for (int stage = 0; stage < 3; stage++) {
        if (s < mapping->step_count && !strcmp(mapping->steps[s].name, stages[stage]))
            now = &mapping->steps[s++];
        const hd_reuse_stream *after = block_0(now->reuse[0].all, launch);
        printf("| %s%s | %+d | %+lld | %llu | %+lld | %+d | %+lld | %llu |\n", stage ? "and " : "",
               stages[stage], document[application].block_0[stage],
               (long long)((int64_t)degree_of(after) - degree), (unsigned long long)after->domain,
               (long long)((int64_t)degree_of_blocks(now->reuse[0].all, launch) - each),
               document[application].all[stage], (long long)((int64_t)now->reuse[1].degree - all),
               (unsigned long long)now->reuse[1].domain);
    }
    fflush(stdout);
}

int main(int argc, char **argv) {
    hd_arena *arena = hd_arena_new();
    const hd_device *device;
    if (hd_device_find(arena, &diag, "tesla-k20c", &device))
        return 2;
    printf(
        "| threads | stage | document, block 0 | Heddle | domain | document, all | Heddle | domain "
        "|\n|---|---|---|---|---|---|---|---|\n");
    for (size_t a = 0; a < sizeof document / sizeof *document; a++) {
        bool chosen = argc == 1;
        for (int i = 1; i < argc; i++)
            chosen = chosen || !strcmp(argv[i], document[a].name);
        for (int input = 0; input < 2 && chosen; input++) {
            hd_arena *own = hd_arena_new();
            hd_job *job;
            kir_module *module;
            hd_mapping *mapping;
            const char *name = document[a].name;
            const hd_map_question question = {
                .device = device,
                .stages = {.threads = true, .warps = true, .blocks = true, .refine = true},
                .shuffled_threads = (uint64_t)input,
                .reuse = true};
            if (hd_job_read(own, &diag,
                            hd_format(own, HEDDLE_SOURCE "/examples/%s/%s.yaml", name, name),
                            &job) ||
                hd_frontend(own, &diag, job->kernel_path, job->options, &module) ||
                hd_job_resolve(own, &diag, job, module) ||
                hd_map_job(own, &diag, job, &question, &mapping))
                return 2;
            show(mapping, a, input ? "unsorted" : "as generated");
            hd_arena_free(own);
        }
    }
    hd_arena_free(arena);
    return 0;
}
