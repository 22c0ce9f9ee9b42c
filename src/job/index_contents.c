/*
 * Contents of buffers of indices, where nobody knows them: whole numbers over the whole range of
 * what they index, at random, or one after another as most real ones nearly are.
 */
#include "job/job.h"

static int64_t buffer_of(const hd_launch *launch, const hd_access *access) {
    for (uint32_t a = 0; a < launch->arg_count; a++)
        if (launch->args[a].kind == HD_ARG_BUFFER && access->param >= 0 &&
            (int64_t)launch->args[a].param == access->param)
            return launch->args[a].buffer;
    return -1;
}

/* How many numbers there are, from 0 on, that lead the access inside of the buffer. */
static uint64_t range_of(const hd_access *access, const hd_buffer *buffer) {
    uint64_t elements = buffer->count, factor = 1;
    for (uint32_t t = 0; t < access->index.term_count; t++) {
        const hd_term *term = &access->index.terms[t];
        if (term->kind == HD_SYM_VALUE && term->factor > 0 && (uint64_t)term->factor > factor)
            factor = (uint64_t)term->factor;
    }
    return elements / factor ? elements / factor : 1;
}

/* The buffer has only whole numbers there. */
static bool is_whole(hd_arena *arena, const hd_buffer *buffer, const char *field) {
    uint32_t count;
    const hd_leaf *leaves = hd_leaves_of_buffer(arena, buffer, field, &count);
    bool whole = count > 0;
    for (uint32_t l = 0; l < count; l++)
        whole &= leaves[l].type.kind == KIR_INT && !leaves[l].opaque;
    return whole;
}

/* Up to the smallest of what the numbers index. */
static bool fill(hd_arena *arena, hd_buffer *buffer, const char *field, uint64_t range,
                 bool is_near) {
    bool any = false;
    for (uint32_t i = 0; i < buffer->init_count; i++) {
        hd_init *init = &buffer->inits[i];
        bool same = field && init->field ? !strcmp(field, init->field) : field == init->field;
        if (!same || !is_whole(arena, buffer, field))
            continue;
        hd_generator wanted = is_near ? HD_GEN_MODULO : HD_GEN_UNIFORM;
        double high = (double)(is_near ? range : range - 1);
        if (init->high <= 1 || init->generator != wanted || high < init->high) {
            init->low = 0;
            init->high = high;
            init->generator = wanted;
        }
        any = true;
    }
    return any;
}

bool hd_job_fill_indices(hd_arena *arena, hd_job *job, bool is_near) {
    bool any = false;
    for (uint32_t l = 0; l < job->launch_count; l++) {
        const hd_launch *launch = &job->launches[l];
        const hd_kernel_info *info = hd_job_analyse(arena, job, launch);
        for (uint32_t i = 0; i < info->access_count; i++) {
            const hd_access *index = &info->accesses[i];
            int64_t from = buffer_of(launch, index);
            if (from < 0 || !hd_is_guess(job->buffers[from].guess, "contents"))
                continue;
            const char *field = index->record && index->field >= 0
                                    ? index->record->fields[index->field].name
                                    : NULL;
            for (uint32_t j = 0; j < info->access_count; j++) {
                const hd_access *access = &info->accesses[j];
                int64_t to = buffer_of(launch, access);
                if (access->indirect && access->indirect_load == index->inst && to >= 0)
                    any |= fill(arena, &job->buffers[from], field,
                                range_of(access, &job->buffers[to]), is_near);
            }
        }
    }
    return any;
}

bool hd_job_has_made_up_indices(const hd_buffer *buffer) {
    bool any = false;
    for (uint32_t i = 0; i < buffer->init_count; i++)
        any |= hd_is_guess(buffer->guess, "contents") && buffer->inits[i].high > 1;
    return any;
}
