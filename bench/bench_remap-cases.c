/*
 * Table 2 of Che, Sheaffer and Skadron, "Dymaxion: Optimizing memory access patterns for
 * heterogeneous systems" (SC 2011): the global loads and stores of four programs before and after
 * their data are remapped, under the rules of compute capability 1.3 and as a GTX 285 counts them.
 * docs/reproduce-remap.md is what this prints, with comments.
 *
 *     bench_remap-cases            all of it
 *     bench_remap-cases --small    without the two larger sizes of each program
 *
 * The kernels are those of remap/examples. The ratio of the counts must be within a fifth of the
 * document's; the exit status is 1 if it is not.
 */
#include <stdio.h>

#include "remap-cases/cases.h"
#include "remap-cases/case_count.h"
#include "remap-cases/variants.h"
#include "cli/report/report.h"

static const double NEAR = 0.2;

typedef struct bench {
    const hd_diag *diag;
    char *scratch;
    uint32_t sizes;
} bench;

/* One program at one size. */
typedef struct outcome {
    transactions versions[VERSIONS];
    bool met;
} outcome;

static double ratio(uint64_t plain, uint64_t remapped) { return (double)plain / (double)remapped; }

static double count_ratio(const outcome *o) {
    return ratio(counter_of(&o->versions[PLAIN]), counter_of(&o->versions[REMAPPED]));
}

/* ---- counting ------------------------------------------------------------------------ */

/* A program at one of its sizes, or a variant of one. */
typedef struct subject {
    const remap_case *program;
    uint32_t size;
    const variant *variant;
} subject;

static hd_status count(const bench *b, const subject *s, outcome *o) {
    hd_status status = HD_OK;
    for (int v = 0; v < VERSIONS && status == HD_OK; v++) {
        hd_arena *arena = hd_arena_new();
        hd_job *job;
        status = s->variant ? read_variant(arena, b->diag, s->variant, (version)v, &job)
                            : read_case(arena, b->diag, s->program, (version)v,
                                        s->program->sizes[s->size], b->scratch, &job);
        if (status == HD_OK)
            status = count_transactions(b->diag, job, s->variant ? s->variant->without : NULL,
                                        &o->versions[v]);
        hd_arena_free(arena);
    }
    return status;
}

static hd_status count_cases(const bench *b, outcome outcomes[CASES][SIZES]) {
    hd_status status = HD_OK;
    for (int c = 0; c < CASES; c++)
        for (uint32_t s = 0; s < b->sizes && status == HD_OK; s++) {
            outcome *o = &outcomes[c][s];
            const uint64_t *there = remap_cases[c].there[s];
            status = count(b, &(subject){.program = &remap_cases[c], .size = s}, o);
            if (status != HD_OK)
                break;
            double part = count_ratio(o) / ratio(there[PLAIN], there[REMAPPED]);
            o->met = part >= 1 - NEAR && part <= 1 + NEAR;
        }
    return status;
}

/* ---- tables ---------------------------------------------------------------------------- */

static void print_transactions(const bench *b, outcome outcomes[CASES][SIZES]) {
    printf("| program | size | plain: loads | stores | remapped: loads | stores | ratio |\n"
           "|---|---|---|---|---|---|---|\n");
    for (int c = 0; c < CASES; c++)
        for (uint32_t s = 0; s < b->sizes; s++) {
            const transactions *plain = &outcomes[c][s].versions[PLAIN];
            const transactions *remapped = &outcomes[c][s].versions[REMAPPED];
            printf("| %s | %s | %llu | %llu | %llu | %llu | %.2f |\n", remap_cases[c].title,
                   remap_cases[c].size_names[s], (unsigned long long)plain->loads,
                   (unsigned long long)plain->stores, (unsigned long long)remapped->loads,
                   (unsigned long long)remapped->stores,
                   ratio(transactions_of(plain), transactions_of(remapped)));
        }
    printf("\n");
}

static void print_counts(const bench *b, outcome outcomes[CASES][SIZES]) {
    printf("| program | size | plain there | remapped there | ratio there | plain | remapped | "
           "ratio | within a fifth |\n|---|---|---|---|---|---|---|---|---|\n");
    for (int c = 0; c < CASES; c++)
        for (uint32_t s = 0; s < b->sizes; s++) {
            const outcome *o = &outcomes[c][s];
            const uint64_t *there = remap_cases[c].there[s];
            printf("| %s | %s | %llu | %llu | %.2f | %llu | %llu | %.2f | %s |\n",
                   remap_cases[c].title, remap_cases[c].size_names[s],
                   (unsigned long long)there[PLAIN], (unsigned long long)there[REMAPPED],
                   ratio(there[PLAIN], there[REMAPPED]),
                   (unsigned long long)counter_of(&o->versions[PLAIN]),
                   (unsigned long long)counter_of(&o->versions[REMAPPED]), count_ratio(o),
                   o->met ? "met" : "missed");
        }
    printf("\n");
}

/* The document's counts in those of one of our groups. */
static void print_groups(const bench *b, outcome outcomes[CASES][SIZES]) {
    printf("| program | size | groups | plain: of a group | groups there | remapped: of a group | "
           "groups there |\n|---|---|---|---|---|---|---|\n");
    for (int c = 0; c < CASES; c++)
        for (uint32_t s = 0; s < b->sizes; s++) {
            printf("| %s | %s | %llu |", remap_cases[c].title, remap_cases[c].size_names[s],
                   (unsigned long long)outcomes[c][s].versions[PLAIN].blocks);
            for (int v = 0; v < VERSIONS; v++) {
                const transactions *t = &outcomes[c][s].versions[v];
                double group = (double)counter_of(t) / (double)t->blocks;
                printf(" %.2f | %.2f |", group, (double)remap_cases[c].there[s][v] / group);
            }
            printf("\n");
        }
    printf("\n");
}

static hd_status print_variants(const bench *b) {
    hd_status status = HD_OK;
    printf("| program | variant | plain | remapped | ratio | ratio of transactions |\n"
           "|---|---|---|---|---|---|\n");
    for (int a = 0; a < VARIANTS && status == HD_OK; a++) {
        outcome o;
        status = count(b, &(subject){.variant = &variants[a]}, &o);
        if (status != HD_OK)
            break;
        const transactions *plain = &o.versions[PLAIN], *remapped = &o.versions[REMAPPED];
        printf("| %s | %s | %llu | %llu | %.2f | %.2f |\n", variants[a].program, variants[a].title,
               (unsigned long long)counter_of(plain), (unsigned long long)counter_of(remapped),
               count_ratio(&o), ratio(transactions_of(plain), transactions_of(remapped)));
    }
    printf("\n");
    return status;
}

static hd_status run(const bench *b, bool *all_met) {
    outcome outcomes[CASES][SIZES] = {0};
    hd_status status = count_cases(b, outcomes);
    if (status != HD_OK)
        return status;
    print_counts(b, outcomes);
    print_transactions(b, outcomes);
    print_groups(b, outcomes);
    for (int c = 0; c < CASES; c++)
        for (uint32_t s = 0; s < b->sizes; s++)
            *all_met = *all_met && outcomes[c][s].met;
    return print_variants(b);
}

int main(int argc, char **argv) {
    hd_printer printer = {.out = stderr};
    const hd_diag diag = {hd_print_message, &printer};
    bool small = argc == 2 && !strcmp(argv[1], "--small"), all_met = true;
    if (argc > 2 || (argc == 2 && !small)) {
        fprintf(stderr, "usage: bench_remap-cases [--small]\n");
        return 2;
    }
    hd_arena *arena = hd_arena_new();
    bench b = {.diag = &diag, .sizes = small ? 1 : SIZES};
    hd_status status = hd_scratch_make(arena, &diag, &b.scratch);
    if (status == HD_OK)
        status = run(&b, &all_met);
    hd_scratch_remove(b.scratch);
    hd_arena_free(arena);
    return status != HD_OK ? 2 : !all_met;
}
