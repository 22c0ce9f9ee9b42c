/* What a job asks of the rewriter: its kernels, and which parameters are arrays of a record, or
 * numbers that are one. */
#include "rewrite/rewrite.h"

typedef hd_vec(hd_array_param) param_list;

/* Of each factor. */
static bool are_params(const kir_kernel *kernel, const char *product) {
    while (*product) {
        product += strspn(product, "* ");
        size_t length = strcspn(product, "* ");
        bool is_number = *product >= '0' && *product <= '9';
        bool is_param = false;
        for (uint32_t p = 0; p < kernel->param_count; p++)
            is_param |= strlen(kernel->params[p].name) == length &&
                        !strncmp(kernel->params[p].name, product, length);
        if (length && !is_number && !is_param)
            return false;
        product += length;
    }
    return true;
}

/* As the job has it; in a kernel without such parameters, by those that have its value. */
static const char *stride_in(hd_arena *arena, const hd_job *job, const hd_launch *launch,
                             const hd_arg *arg, const char *stride) {
    hd_binding binding = hd_job_binding(arena, job, launch);
    uint64_t count = job->buffers[arg->buffer].count;
    hd_str ways = {.arena = arena};
    if (are_params(launch->kernel, stride))
        return stride;
    for (uint32_t p = 0; p < binding.param_count; p++)
        if (binding.param_known[p] && (uint64_t)binding.params[p] == count)
            hd_str_printf(&ways, "%s%s", ways.length ? "|" : "", launch->kernel->params[p].name);
    return hd_str_text(&ways);
}

/* ---- parameters ------------------------------------------------------------------------------ */

/* Resolving has checked that all launches of a kernel give a parameter the same field, or record. */
static void add_param(hd_arena *arena, const hd_job *job, const hd_launch *launch,
                      const hd_arg *arg, param_list *list) {
    hd_array_param param = {.kernel = launch->kernel_name, .param = arg->name};
    const hd_job_arrays *arrays = hd_job_arrays_of(job, arg->buffer, &param.field);
    const hd_record *declared = hd_job_declared_of(job, arg);
    hd_array_param *before = NULL;
    for (size_t i = 0; i < list->count && !before; i++)
        if (!strcmp(list->data[i].kernel, param.kernel) &&
            !strcmp(list->data[i].param, param.param))
            before = &list->data[i];
    param.count = job->buffers[arg->buffer].count;
    if (before && before->count != param.count)
        before->count = 0;
    if (before || (!arrays && !declared))
        return;
    param.record = arrays ? arrays->record : declared;
    for (uint32_t d = 0; d < job->declared_count && declared && declared->in_columns; d++)
        if (job->declared[d].record == declared)
            param.stride = stride_in(arena, job, launch, arg, job->declared[d].stride);
    hd_push(arena, list, param);
}

typedef enum rewritten_part { KERNELS, KERNELS_OF_PROGRAM, PROGRAM } rewritten_part;

static hd_status rewrite_files(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                               const hd_record_layout *layouts, uint32_t layout_count,
                               rewritten_part part, hd_rewritten **result) {
    bool with_host = part == PROGRAM;
    bool is_original = with_host && job->source_count; /* whatever memory the job has recorded */
    hd_status portable = is_original ? HD_OK : hd_job_check_portable(diag, job, "rewriting");
    if (portable)
        return portable;
    param_list arrays = {0};
    for (uint32_t l = 0; l < job->launch_count && (job->arrays_count || job->declared_count); l++)
        for (uint32_t a = 0; a < job->launches[l].arg_count; a++) {
            const hd_arg *arg = &job->launches[l].args[a];
            if (arg->kind == HD_ARG_BUFFER && arg->param != KIR_NONE)
                add_param(arena, job, &job->launches[l], arg, &arrays);
        }
    const hd_rewrite_request request = {.path = is_original ? job->sources[0] : job->kernel_path,
                                        .others = is_original ? job->sources + 1 : NULL,
                                        .other_count = is_original ? job->source_count - 1 : 0,
                                        .options = job->options,
                                        .layouts = layouts,
                                        .layout_count = layout_count,
                                        .arrays = arrays.data,
                                        .array_count = (uint32_t)arrays.count,
                                        .module = job->module,
                                        .with_host = with_host,
                                        .of_program = part == KERNELS_OF_PROGRAM};
    return hd_rewrite(arena, diag, &request, result);
}

hd_status hd_rewrite_job(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                         const hd_record_layout *layouts, uint32_t layout_count,
                         hd_rewritten **result) {
    return rewrite_files(arena, diag, job, layouts, layout_count, KERNELS, result);
}

hd_status hd_rewrite_kernels_of_program(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                                        const hd_record_layout *layouts, uint32_t layout_count,
                                        hd_rewritten **result) {
    return rewrite_files(arena, diag, job, layouts, layout_count, KERNELS_OF_PROGRAM, result);
}

hd_status hd_rewrite_program(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                             const hd_record_layout *layouts, uint32_t layout_count,
                             hd_rewritten **result) {
    return rewrite_files(arena, diag, job, layouts, layout_count, PROGRAM, result);
}
