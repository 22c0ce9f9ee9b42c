/*
 * The same kernels two ways: from their source through clang, and from PTX that nvcc made of it.
 * Both run on the machine from the same contents, and leave the same behind, with as many accesses
 * where neither compiler merges any; or both end with an error at the same line. Of PTX that was made
 * without optimising, each line of the source makes as many requests of warps, accesses of lanes and
 * transactions, in global and in shared memory.
 *
 * tests/frontend/ptx/make.sh says which job runs which file. The build has it make the PTX of all of
 * them where there is nvcc; of a few it is kept, and is run, too, where it is another text.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include <math.h>

#include "frontend/frontend.h"
#include "one_context.h"
#include "sanitized.h"
#include "source_text.h"
#include "machine/vm.h"
#include "ready.h"

typedef struct side {
    hd_job *job;
    kir_module *module;
    hd_vm *vm;
    uint64_t accesses;   /* of lanes, to all but private memory */
    const hd_sink *sink; /* or NULL */
} side;

typedef struct state {
    hd_arena *arena;
    hd_diag diag;
    const char *said;
    hd_place where;
} state;

static void keep_message(const hd_message *m, void *user) {
    state *s = user;
    s->said = hd_format(s->arena, "%s:%u: %s", m->place.file ? m->place.file : "?", m->place.line,
                        m->text);
    s->where = (hd_place){.file = hd_strdup(s->arena, m->place.file ? m->place.file : ""),
                          .line = m->place.line};
}

static void must(const state *s, hd_status status) {
    if (status)
        fail_msg("%s", s->said ? s->said : "no message");
}

/* ---- a job with the kernels of the other module ---------------------------------- */

static bool begins(const char *name, const char *with) {
    size_t length = strcspn(with, "<");
    return !strncmp(name, with, length) && !name[length];
}

static const kir_kernel *same_kernel(const kir_module *module, const kir_kernel *kernel) {
    const kir_kernel *found = kir_find_kernel(module, kernel->name);
    for (uint32_t k = 0; k < module->kernel_count && !found; k++)
        if (begins(module->kernels[k]->name, kernel->name))
            found = module->kernels[k];
    if (!found)
        fail_msg("the PTX has no kernel %s", kernel->name);
    return found;
}

static uint32_t same_variable(const kir_kernel *kernel, const kir_kernel *other, uint32_t v) {
    for (uint32_t i = 0; i < kernel->static_count; i++)
        if (!strcmp(kernel->statics[i].name, other->statics[v].name))
            return i;
    return KIR_NONE;
}

static hd_job *with_module(state *s, const hd_job *job, const kir_module *module) {
    hd_job *other = hd_new(s->arena, hd_job);
    *other = *job;
    other->module = module;
    other->launches = hd_new_array(s->arena, hd_launch, job->launch_count);
    for (uint32_t l = 0; l < job->launch_count; l++) {
        hd_launch *launch = &other->launches[l];
        *launch = job->launches[l];
        launch->kernel = same_kernel(module, job->launches[l].kernel);
        launch->args = hd_new_array(s->arena, hd_arg, launch->arg_count);
        uint32_t kept = 0;
        for (uint32_t a = 0; a < launch->arg_count; a++) {
            hd_arg arg = job->launches[l].args[a];
            if (arg.param == KIR_NONE)
                arg.variable = same_variable(launch->kernel, job->launches[l].kernel, arg.variable);
            if (arg.param != KIR_NONE || arg.variable != KIR_NONE)
                launch->args[kept++] = arg;
        }
        launch->arg_count = kept;
    }
    return other;
}

/* ---- accesses by lines of the source ---------------------------------------------- */

/* Of the warps that a line makes access global or shared memory: requests, their lanes, and their
 * transactions, which are segments of 32 bytes or, of shared memory, rounds of the 32 banks. */
typedef struct line_counts {
    const char *file;
    uint32_t line;
    bool is_local;
    hd_access_kind kind;
    uint64_t requests, lanes, transactions;
} line_counts;

typedef struct counting {
    hd_arena *arena;
    const hd_event_launch *launch;
    hd_vec(line_counts) lines;
    size_t (*rows)[2]; /* [access][is_local]: its line, from 1; 0: not seen yet */
} counting;

static size_t find_line(const counting *c, const line_counts *line) {
    size_t i = 0;
    while (i < c->lines.count &&
           (c->lines.data[i].line != line->line || c->lines.data[i].kind != line->kind ||
            c->lines.data[i].is_local != line->is_local ||
            strcmp(c->lines.data[i].file, line->file) != 0))
        i++;
    return i;
}

static line_counts *line_of(counting *c, uint32_t row, bool is_local) {
    size_t *known = &c->rows[row][is_local];
    const hd_event_access *access = &c->launch->accesses[row];
    if (!*known) {
        const char *file = hd_strdup(c->arena, hd_path_name(c->launch->files[access->file]));
        const line_counts new = {file, access->line, is_local, access->kind, 0, 0, 0};
        *known = find_line(c, &new) + 1;
        if (*known > c->lines.count)
            hd_push(c->arena, &c->lines, new);
    }
    return &c->lines.data[*known - 1];
}

/* Adds to a set of at most 32 * 16 numbers. */
static void add_number(uint64_t *set, uint32_t *count, uint64_t number) {
    for (uint32_t i = 0; i < *count; i++)
        if (set[i] == number)
            return;
    set[(*count)++] = number;
}

/* Of one warp: distinct segments, or most distinct words of one bank. */
static uint64_t transactions_of(const hd_event *e, uint32_t first, uint32_t width, bool is_local) {
    uint64_t set[32 * 16];
    uint32_t count = 0, of_bank[32] = {0}, most = 0, unit = is_local ? 4 : 32;
    for (uint32_t l = first; l < first + 32 && l < e->threads; l++)
        for (uint64_t at = hd_event_active(e, l) ? hd_event_address(e, l) / unit * unit
                                                 : UINT64_MAX;
             at != UINT64_MAX && at < hd_event_address(e, l) + width; at += unit)
            add_number(set, &count, at / unit);
    for (uint32_t i = 0; i < count && is_local; i++) {
        uint32_t now = ++of_bank[set[i] % 32];
        most = now > most ? now : most;
    }
    return is_local ? most : count;
}

static hd_status begin_counting(void *self, const hd_event_launch *launch) {
    counting *c = self;
    c->launch = launch;
    c->rows = (size_t(*)[2])hd_new_array(c->arena, size_t, 2 * (size_t)launch->access_count);
    return HD_OK;
}
static void *count_block(void *self, uint64_t block) {
    (void)block;
    return self;
}
static void count_event(void *self, const hd_event *e) {
    counting *c = self;
    const hd_event_access *access = &c->launch->accesses[e->access];
    bool is_local = hd_event_space(c->launch, e) == KIR_LOCAL;
    line_counts *line = line_of(c, e->access, is_local);
    for (uint32_t first = 0; first < e->threads; first += 32) {
        uint32_t lanes =
            (uint32_t)__builtin_popcountll(e->mask[first / 64] >> first % 64 & UINT32_MAX);
        line->requests += lanes > 0;
        line->lanes += lanes;
        line->transactions += lanes ? transactions_of(e, first, access->width, is_local) : 0;
    }
}

static hd_sink counting_sink(counting *c) {
    return (hd_sink){c, begin_counting, count_block, count_event, NULL, NULL};
}

/* ---- running ------------------------------------------------------------------------ */

static hd_status run_launch(side *one, uint32_t launch) {
    hd_vm_counts counts;
    hd_status status = hd_vm_run(one->vm, launch, one->sink, &counts);
    one->accesses += counts.lane_accesses;
    return status;
}

/* All launches, up to one that fails. */
static hd_status run(state *s, side *one) {
    const hd_vm_options options = {.workers = 1};
    hd_status status = HD_OK;
    must(s, hd_vm_open(s->arena, &s->diag, one->job, NULL, &options, &one->vm));
    for (uint32_t l = 0; l < one->job->launch_count && !status; l++)
        for (uint64_t r = 0; r < one->job->launches[l].repeat && !status; r++)
            status = run_launch(one, l);
    return status;
}

static bool is_close(double a, double b, const hd_job *job) {
    if (a == b || (isnan(a) && isnan(b)))
        return true;
    return fabs(a - b) <= job->absolute + job->relative * fabs(a);
}

/* Bit for bit, or as floats of 32 bits within the job's tolerance. */
static void compare(const state *s, const char *name, const side *a, const side *b) {
    (void)s;
    for (uint32_t i = 0; i < a->job->buffer_count; i++) {
        const hd_buffer *buffer = &a->job->buffers[i];
        uint64_t bytes = buffer->count * buffer->element_bytes;
        const uint8_t *x = hd_vm_contents(a->vm, i), *y = hd_vm_contents(b->vm, i);
        for (uint64_t at = 0; at < bytes; at++) {
            if (x[at] == y[at])
                continue;
            float p, q;
            uint64_t word = at & ~(uint64_t)3;
            memcpy(&p, x + word, sizeof p);
            memcpy(&q, y + word, sizeof q);
            double u, v;
            memcpy(&u, x + (at & ~(uint64_t)7), sizeof u);
            memcpy(&v, y + (at & ~(uint64_t)7), sizeof v);
            if (word + 4 <= bytes && is_close((double)p, (double)q, a->job))
                continue;
            if ((at & ~(uint64_t)7) + 8 <= bytes && is_close(u, v, a->job))
                continue;
            fail_msg("%s: buffer %s differs at byte %llu: %02x from the source (%g), %02x from PTX "
                     "(%g)",
                     name, buffer->name, (unsigned long long)at, x[at], (double)p, y[at],
                     (double)q);
        }
    }
}

/* ---- the two ways -------------------------------------------------------------------- */

/* A line of make.sh --list. */
typedef struct pair {
    const char *job, *ptx, *source; /* ptx: the file's name alone */
} pair;

/* Where the two compilers make different accesses of one in the source: nvcc's merges neighbours
 * to wider ones, loads again what clang's passes remember, or keeps what they load again. */
static bool has_other_accesses(const char *ptx) {
    static const char *const names[] = {
        "cuda-math",
        "cuda-vectors",
        "rewrite-cuda-arrays",
        "rewrite-cuda-classes",
        "rewrite-cuda-nbody",
        "rewrite-cuda-order",
        "rewrite-cuda-parts",
        "rewrite-cuda-references",
        "rewrite-cuda-several",
        "rewrite-cuda-templates",
        "machine-shared-warps",
        "examples-bitonic-bitonic",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strncmp(ptx, names[i], strlen(names[i])))
            return true;
    return false;
}

static void open_source(state *s, const pair *p, side *a) {
    must(s, hd_job_read(s->arena, &s->diag, source_path(s->arena, p->job), &a->job));
    a->job->kernel_path = source_path(s->arena, p->source);
    must(s, hd_frontend(s->arena, &s->diag, a->job->kernel_path, a->job->options, &a->module));
    if (!a->job->launches[0].in_blocks)
        a->module->rules &= ~KIR_RULE(BLOCKS); /* jobs of the examples are in work-items */
    must(s, hd_job_resolve(s->arena, &s->diag, a->job, a->module));
}

/* With a sink: of a text whose accesses are not merged, which the sink counts. */
static void run_ptx(state *s, const pair *p, const char *path, const side *a, hd_status expected,
                    const hd_sink *sink) {
    side b = {.sink = sink};
    const hd_place where = s->where;
    must(s, hd_frontend(s->arena, &s->diag, path, NULL, &b.module));
    b.job = with_module(s, a->job, b.module);
    const hd_status status = run(s, &b);
    if (!expected)
        must(s, status);
    assert_int_equal(status, expected);
    if (expected) {
        assert_int_equal(s->where.line, where.line);
        assert_string_equal(hd_path_name(s->where.file), hd_path_name(where.file));
    } else {
        compare(s, path, a, &b);
        if (!sink && !has_other_accesses(p->ptx))
            assert_int_equal(b.accesses, a->accesses);
    }
    hd_vm_close(b.vm);
}

/* Folders with PTX: what is kept, and what the build made, where there is nvcc. */
static const char *folders[2];

/* NULL: the folder, which may be none, has no such file. */
static const char *find_text(state *s, const char *folder, const char *name) {
    const char *path = folder ? hd_format(s->arena, "%s/%s", folder, name) : NULL;
    return path && access(path, R_OK) == 0 ? path : NULL;
}

static bool are_same(state *s, const char *one, const char *other) {
    char *text, *others;
    size_t length, others_length;
    must(s, hd_read_file(s->arena, &s->diag, one, &text, &length));
    must(s, hd_read_file(s->arena, &s->diag, other, &others, &others_length));
    return length == others_length && !memcmp(text, others, length);
}

/* ---- unoptimised ----------------------------------------------------------------------- */

/* Lines of the source of which nvcc makes more accesses even where it optimises nothing. */
static const struct more {
    const char *ptx;
    uint32_t lines[6];
} more_accesses[] = {
    /* Loads of what was loaded or stored before, which clang's passes remember, and of constants. */
    {"cuda-assertion.ptx", {11}},
    {"cuda-atomics.ptx", {13}},
    {"cuda-variables.ptx", {36}},
    {"examples-lavamd-lavamd.ptx", {71}},
    {"rewrite-cuda-methods.ptx", {4, 15, 18, 21}},
    {"rewrite-cuda-nbody.ptx", {35, 36, 37}},
    {"rewrite-cuda-references.ptx", {27, 36, 60, 66}},
    {"machine-shared-warps.ptx", {6}},
    /* Structs that are copied whole, or member by member where the source's side needs fewer of them or
     * takes a vector in one piece. */
    {"cuda-ldg.ptx", {19}},
    {"cuda-records.ptx", {23, 25}},
    {"examples-lavamd-lavamd.ptx", {59}},
    {"rewrite-cuda-arrays.ptx", {17}},
    {"rewrite-cuda-classes.ptx", {13, 14, 15, 16, 20, 22}},
    {"rewrite-cuda-order.ptx", {9, 13, 14, 30}},
    {"rewrite-cuda-parts.ptx", {24, 25}},
    {"rewrite-cuda-several.ptx", {9}},
    {"rewrite-cuda-templates.ptx", {7, 27, 34, 36, 37, 39}},
};

/* Of the k-th row that is of this text; NULL: there are no more. */
static const struct more *more_of(const char *ptx, uint32_t k) {
    for (size_t i = 0; i < sizeof more_accesses / sizeof *more_accesses; i++)
        if (!strcmp(more_accesses[i].ptx, ptx) && k-- == 0)
            return &more_accesses[i];
    return NULL;
}

static bool has_more_accesses(const char *ptx, uint32_t line) {
    const struct more *row;
    for (uint32_t k = 0; (row = more_of(ptx, k)); k++)
        for (uint32_t i = 0; i < 6; i++)
            if (row->lines[i] == line)
                return true;
    return false;
}

static line_counts same_line(const counting *c, const line_counts *line) {
    size_t at = find_line(c, line);
    return at < c->lines.count ? c->lines.data[at] : (line_counts){.file = line->file};
}

/* False: nvcc makes more, as is known of the line. */
static bool compare_line(const pair *p, const line_counts *line, const line_counts *source,
                         const line_counts *ptx) {
    if (source->requests == ptx->requests && source->lanes == ptx->lanes &&
        source->transactions == ptx->transactions)
        return true;
    bool fewer = source->requests < ptx->requests && source->lanes < ptx->lanes &&
                 source->transactions < ptx->transactions;
    if (!fewer || !has_more_accesses(p->ptx, line->line))
        fail_msg("%s: %s:%u makes %llu requests of %llu lanes and %llu transactions from the "
                 "source, and %llu of %llu and %llu from PTX (kind %d, %s memory)",
                 p->ptx, line->file, line->line, (unsigned long long)source->requests,
                 (unsigned long long)source->lanes, (unsigned long long)source->transactions,
                 (unsigned long long)ptx->requests, (unsigned long long)ptx->lanes,
                 (unsigned long long)ptx->transactions, (int)line->kind,
                 line->is_local ? "shared" : "global");
    return false;
}

/* What is known to differ still does. */
static void check_list(const pair *p, const uint32_t *differing, size_t count) {
    const struct more *row;
    for (uint32_t k = 0; (row = more_of(p->ptx, k)); k++)
        for (uint32_t i = 0; i < 6 && row->lines[i]; i++) {
            size_t at = 0;
            while (at < count && differing[at] != row->lines[i])
                at++;
            if (at == count)
                fail_msg("%s: line %u makes no more accesses from PTX; take it off the list",
                         p->ptx, row->lines[i]);
        }
}

/* Of a text that nvcc made without optimising the same advise --accesses come, line by line. Left out are the
 * mathematical functions, which are calls to one compiler and the toolkit's code to the other. */
static void compare_lines(state *s, const pair *p, const side *a, const counting *of_source,
                          hd_status expected) {
    const char *name = hd_format(s->arena, "unoptimised/%s", p->ptx), *path;
    if (!(path = find_text(s, folders[1], name)) && !(path = find_text(s, folders[0], name)))
        return;
    counting of_ptx = {.arena = s->arena};
    const hd_sink sink = counting_sink(&of_ptx);
    run_ptx(s, p, path, a, expected, &sink);
    hd_vec(uint32_t) differing = {0};
    for (size_t i = 0; i < of_source->lines.count; i++) {
        const line_counts *line = &of_source->lines.data[i], other = same_line(&of_ptx, line);
        if (!compare_line(p, line, line, &other))
            hd_push(s->arena, &differing, line->line);
    }
    for (size_t i = 0; i < of_ptx.lines.count; i++) {
        const line_counts *line = &of_ptx.lines.data[i], other = same_line(of_source, line);
        if (!compare_line(p, line, &other, line))
            hd_push(s->arena, &differing, line->line);
    }
    check_list(p, differing.data, differing.count);
}

/* ---- one kernel's file ------------------------------------------------------------------ */

static void both_ways_leave_the_same(void **test) {
    const pair *p = *test;
    state s = {.arena = hd_arena_new()};
    s.diag = (hd_diag){keep_message, &s};
    counting of_source = {.arena = s.arena};
    const hd_sink sink = counting_sink(&of_source);
    side a = {.sink = &sink};
    open_source(&s, p, &a);
    const hd_status status = run(&s, &a);
    const char *kept = find_text(&s, folders[0], p->ptx);
    const char *made = find_text(&s, folders[1], p->ptx);
    assert_true(kept || made);
    if (kept)
        run_ptx(&s, p, kept, &a, status, NULL);
    if (made && !(kept && are_same(&s, kept, made)))
        run_ptx(&s, p, made, &a, status, NULL);
    compare_lines(&s, p, &a, &of_source, status);
    hd_vm_close(a.vm);
    hd_arena_free(s.arena);
}

/* ---- what there is --------------------------------------------------------------------- */

/* Each line as a pair. */
static size_t list_pairs(hd_arena *arena, const char *make, pair **pairs) {
    hd_vec(pair) list = {0};
    FILE *lines = popen(hd_format(arena, "bash '%s' --list", make), "r");
    char line[1000];
    while (lines && fgets(line, sizeof line, lines)) {
        uint32_t count;
        char **words = hd_split_words(arena, strtok(line, "\n"), &count);
        if (count == 3)
            hd_push(arena, &list, (pair){words[0], words[1], words[2]});
    }
    if (lines)
        pclose(lines);
    *pairs = list.data;
    return list.count;
}

int main(void) {
    stand_ready();
    state s = {.arena = hd_arena_new()};
    const char *make = source_path(s.arena, "tests/frontend/ptx/make.sh");
    pair *pairs;
    const size_t count = list_pairs(s.arena, make, &pairs);
    setenv("CUDA_PATH", "", 1); /* the sources with Heddle's own headers, which are read faster */
    folders[0] = source_path(s.arena, "tests/frontend/ptx");
    folders[1] = hd_format(s.arena, "%s/tests/ptx", getenv("HEDDLE_BUILD"));
    struct CMUnitTest *tests = hd_new_array(s.arena, struct CMUnitTest, count + 1);
    size_t tried = 0, there = 0;
    for (size_t i = 0; i < count; i++) {
        if (!find_text(&s, folders[0], pairs[i].ptx) && !find_text(&s, folders[1], pairs[i].ptx))
            continue;
        there++;
        if (IS_TRIED(there, 2))
            tests[tried++] = (struct CMUnitTest){.name = pairs[i].ptx,
                                                 .test_func = both_ways_leave_the_same,
                                                 .initial_state = &pairs[i]};
    }
    if (there < 7) {
        fprintf(stderr, "there is PTX of %zu of the %zu that %s lists\n", there, count, make);
        return 1;
    }
    const int failed = _cmocka_run_group_tests("kernels two ways", tests, tried, NULL, NULL);
    hd_arena_free(s.arena);
    return failed;
}
