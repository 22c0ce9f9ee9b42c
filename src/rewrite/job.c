/* What a job asks of the rewriter: its kernels, and which parameters are arrays of a record. */
#include "rewrite/rewrite.h"

typedef hd_vec(hd_array_param) param_list;

/* Resolving has checked that all launches of a kernel give a parameter the same field. */
static param_list array_params(hd_arena *arena, const hd_job *job) {
    param_list list = {0};
    for (uint32_t l = 0; l < job->launch_count && job->arrays_count; l++) {
        const hd_launch *launch = &job->launches[l];
        for (uint32_t a = 0; a < launch->arg_count; a++) {
            const hd_arg *arg = &launch->args[a];
            uint32_t field;
            const hd_job_arrays *arrays = arg->kind == HD_ARG_BUFFER && arg->param != KIR_NONE
                                              ? hd_job_arrays_of(job, arg->buffer, &field)
                                              : NULL;
            bool is_listed = false;
            for (size_t i = 0; i < list.count; i++)
                is_listed |= !strcmp(list.data[i].kernel, launch->kernel_name) &&
                             !strcmp(list.data[i].param, arg->name);
            if (!arrays || is_listed)
                continue;
            hd_array_param param = {launch->kernel_name, arg->name, arrays->record, field};
            hd_push(arena, &list, param);
        }
    }
    return list;
}

static hd_status rewrite_files(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                               const hd_record_layout *layouts, uint32_t layout_count,
                               bool with_host, hd_rewritten **result) {
    hd_status portable = hd_job_check_portable(diag, job, "rewriting");
    if (portable)
        return portable;
    param_list arrays = array_params(arena, job);
    const hd_rewrite_request request = {.path = job->kernel_path,
                                        .options = job->options,
                                        .layouts = layouts,
                                        .layout_count = layout_count,
                                        .arrays = arrays.data,
                                        .array_count = (uint32_t)arrays.count,
                                        .with_host = with_host};
    return hd_rewrite(arena, diag, &request, result);
}

hd_status hd_rewrite_job(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                         const hd_record_layout *layouts, uint32_t layout_count,
                         hd_rewritten **result) {
    return rewrite_files(arena, diag, job, layouts, layout_count, false, result);
}

hd_status hd_rewrite_program(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                             const hd_record_layout *layouts, uint32_t layout_count,
                             hd_rewritten **result) {
    return rewrite_files(arena, diag, job, layouts, layout_count, true, result);
}
