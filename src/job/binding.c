/* What a resolved launch tells the analyses: sizes, scalars, and what pointers point to. The machine
 * needs this much of jobs and no more, so that it can do without the reading of files. */
#include "job/job.h"

const hd_record *hd_job_declared_of(const hd_job *job, const hd_arg *arg) {
    if (arg->kind != HD_ARG_BUFFER || arg->param == KIR_NONE)
        return NULL;
    const hd_record *record = job->buffers[arg->buffer].record;
    return record && record->by_job ? record : NULL;
}

hd_binding hd_job_binding(hd_arena *arena, const hd_job *job, const hd_launch *launch) {
    uint32_t count = launch->kernel->param_count;
    const hd_record **records = hd_new_array(arena, const hd_record *, count);
    uint64_t *counts = hd_new_array(arena, uint64_t, count);
    bool *known = hd_new_array(arena, bool, count);
    int64_t *params = hd_new_array(arena, int64_t, count);
    for (uint32_t a = 0; a < launch->arg_count; a++) {
        const hd_arg *arg = &launch->args[a];
        if (arg->param == KIR_NONE)
            continue;
        const kir_param *param = &launch->kernel->params[arg->param];
        records[arg->param] = hd_job_declared_of(job, arg);
        counts[arg->param] = records[arg->param] ? job->buffers[arg->buffer].count : 0;
        if (arg->kind != HD_ARG_VALUE || param->by_value_struct || param->type.kind != KIR_INT ||
            param->type.lanes != 1)
            continue;
        kir_type type;
        bool is_signed;
        if (!param->type_name || !hd_type_parse(param->type_name, &type, &is_signed))
            is_signed = true;
        uint64_t bits = 0;
        unsigned bytes = arg->value_bytes < 8 ? arg->value_bytes : 8, unused = 64 - 8 * bytes;
        memcpy(&bits, arg->value, bytes);
        known[arg->param] = true;
        params[arg->param] = is_signed ? (int64_t)(bits << unused) >> unused : (int64_t)bits;
    }
    hd_binding binding = {.dims = launch->dims,
                          .param_count = count,
                          .param_known = known,
                          .params = params,
                          .records = records,
                          .counts = counts};
    memcpy(binding.global, launch->global, sizeof binding.global);
    memcpy(binding.local, launch->local, sizeof binding.local);
    memcpy(binding.offset, launch->offset, sizeof binding.offset);
    return binding;
}
