/*
 * The same kernels two ways: from their source through clang, and from PTX that nvcc made of it.
 * Both run on the machine from the same contents, and leave the same behind, with as many accesses
 * where neither compiler merges any; or both end with an error at the same line.
 *
 * tests/frontend/ptx/make.sh made the PTX that is kept, and says which job runs which file. Where
 * there is nvcc, it makes it anew, and what is another text then is run, too.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <cmocka.h>

#include <math.h>

#include "frontend/frontend.h"
#include "one_context.h"
#include "sanitized.h"
#include "source_text.h"
#include "vm/vm.h"

typedef struct side {
    hd_job *job;
    kir_module *module;
    hd_vm *vm;
    uint64_t accesses; /* of lanes, to all but private memory */
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

/* ---- running ------------------------------------------------------------------------ */

static hd_status run_launch(side *one, uint32_t launch) {
    hd_vm_counts counts;
    hd_status status = hd_vm_run(one->vm, launch, NULL, &counts);
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
        "vm-shared-warps",
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

static void run_ptx(state *s, const pair *p, const char *path, const side *a, hd_status expected) {
    side b = {0};
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
        if (!has_other_accesses(p->ptx))
            assert_int_equal(b.accesses, a->accesses);
    }
    hd_vm_close(b.vm);
}

/* Folders with PTX; the second one, made anew, where there is nvcc. */
static const char *folders[2];

static bool are_same(state *s, const char *one, const char *other) {
    char *text, *others;
    size_t length, others_length;
    must(s, hd_read_file(s->arena, &s->diag, one, &text, &length));
    must(s, hd_read_file(s->arena, &s->diag, other, &others, &others_length));
    return length == others_length && !memcmp(text, others, length);
}

static void both_ways_leave_the_same(void **test) {
    const pair *p = *test;
    state s = {.arena = hd_arena_new()};
    s.diag = (hd_diag){keep_message, &s};
    side a = {0};
    open_source(&s, p, &a);
    const hd_status status = run(&s, &a);
    const char *kept = hd_format(s.arena, "%s/%s", folders[0], p->ptx);
    run_ptx(&s, p, kept, &a, status);
    const char *anew = folders[1] ? hd_format(s.arena, "%s/%s", folders[1], p->ptx) : kept;
    if (!are_same(&s, kept, anew))
        run_ptx(&s, p, anew, &a, status);
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

/* A new folder with PTX that nvcc makes now; NULL: there is no nvcc, or the program is sanitized
 * and the release build does that. */
static char *make_anew(hd_arena *arena, const char *make) {
    char *folder;
    if (SANITIZED || hd_scratch_make(arena, NULL, &folder) != HD_OK)
        return NULL;
    const char *command = hd_format(arena, "bash '%s' '%s' >'%s/log' 2>&1", make, folder, folder);
    const int status = system(command);
    if (status == 0)
        return folder;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 2) { /* 2: there is none */
        fprintf(stderr, "%s failed\n", command);
        exit(1);
    }
    hd_scratch_remove(folder);
    return NULL;
}

int main(void) {
    hd_arena *arena = hd_arena_new();
    const char *make = source_path(arena, "tests/frontend/ptx/make.sh");
    pair *pairs;
    const size_t count = list_pairs(arena, make, &pairs);
    if (!count) {
        fprintf(stderr, "%s lists nothing\n", make);
        return 1;
    }
    char *anew = make_anew(arena, make);
    setenv("CUDA_PATH", "", 1); /* the sources with Heddle's own headers, which are read faster */
    folders[0] = source_path(arena, "tests/frontend/ptx");
    folders[1] = anew;
    struct CMUnitTest *tests = hd_new_array(arena, struct CMUnitTest, count);
    size_t tried = 0;
    for (size_t i = 0; i < count; i++)
        if (IS_TRIED(i, 4))
            tests[tried++] = (struct CMUnitTest){.name = pairs[i].ptx,
                                                 .test_func = both_ways_leave_the_same,
                                                 .initial_state = &pairs[i]};
    const int failed = _cmocka_run_group_tests("kernels two ways", tests, tried, NULL, NULL);
    hd_scratch_remove(anew);
    hd_arena_free(arena);
    return failed;
}
