/*
 * The same kernels two ways: from their source through clang, and from PTX that nvcc made of it
 * (tests/ptx/make.sh). Both run on the machine from the same contents, and leave the same behind.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <math.h>

#include "frontend/frontend.h"
#include "one_context.h"
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
} state;

static void keep_message(const hd_message *m, void *user) {
    state *s = user;
    s->said = hd_format(s->arena, "%s:%u: %s", m->place.file ? m->place.file : "?", m->place.line,
                        m->text);
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

static void run_launch(state *s, side *one, uint32_t launch) {
    hd_vm_counts counts;
    must(s, hd_vm_run(one->vm, launch, NULL, &counts));
    one->accesses += counts.lane_accesses;
}

static void run(state *s, side *one) {
    const hd_vm_options options = {.workers = 1};
    must(s, hd_vm_open(s->arena, &s->diag, one->job, NULL, &options, &one->vm));
    for (uint32_t l = 0; l < one->job->launch_count; l++)
        for (uint64_t r = 0; r < one->job->launches[l].repeat; r++)
            run_launch(s, one, l);
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

static void run_both(const char *job_path, const char *source, const char *options,
                     const char *ptx) {
    state s = {.arena = hd_arena_new()};
    s.diag = (hd_diag){keep_message, &s};
    side a = {0}, b = {0};
    must(&s, hd_job_read(s.arena, &s.diag, job_path, &a.job));
    a.job->kernel_path = source;
    const char *all = hd_format(s.arena, "%s %s", a.job->options, options);
    must(&s, hd_frontend(s.arena, &s.diag, source, all, &a.module));
    if (!a.job->launches[0].in_blocks)
        a.module->rules &= ~KIR_RULE(BLOCKS); /* jobs of the examples are in work-items */
    must(&s, hd_job_resolve(s.arena, &s.diag, a.job, a.module));
    must(&s, hd_frontend(s.arena, &s.diag, ptx, NULL, &b.module));
    b.job = with_module(&s, a.job, b.module);
    run(&s, &a);
    run(&s, &b);
    compare(&s, ptx, &a, &b);
    printf("%llu %llu\n", (unsigned long long)a.accesses, (unsigned long long)b.accesses);
    hd_vm_close(a.vm);
    hd_vm_close(b.vm);
    hd_arena_free(s.arena);
}

int main(int argc, char **argv) {
    if (argc > 3) {
        run_both(argv[1], argv[2], argc > 4 ? argv[4] : "", argv[3]);
        return 0;
    }
    return 0;
}
