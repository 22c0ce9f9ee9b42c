/* From jobs to traces on disk. */
#include "shared/run_job.h"

#include "frontend/frontend.h"
#include "machine/vm.h"

/* Ties a job that was read to its kernels. */
static hd_status resolve(hd_arena *arena, const hd_diag *diag, kir_form form, hd_job *job) {
    kir_module *module;
    hd_status status =
        hd_frontend_of(arena, diag, job->kernel_path, job->options, form, NULL, &module);
    return status ? status : hd_job_resolve(arena, diag, job, module);
}

hd_status load_job_in_form(hd_arena *arena, const hd_diag *diag, const char *path, kir_form form,
                           hd_job **job) {
    const char *file = hd_format(arena, "%s/%s", HEDDLE_SOURCE, path);
    hd_status status = hd_job_read(arena, diag, file, job);
    return status ? status : resolve(arena, diag, form, *job);
}

hd_status load_job(hd_arena *arena, const hd_diag *diag, const char *path, hd_job **job) {
    return load_job_in_form(arena, diag, path, KIR_AS_WRITTEN, job);
}

static hd_status run_launches(hd_vm *vm, const hd_job *job, const hd_sink *sink) {
    hd_status status = HD_OK;
    for (uint32_t l = 0; l < job->launch_count; l++)
        for (uint64_t r = 0; r < job->launches[l].repeat && status == HD_OK; r++)
            status = hd_vm_run(vm, l, sink, NULL);
    return status;
}

hd_status run_read_job(hd_arena *arena, const hd_diag *diag, hd_job *job, uint32_t spaces,
                       const hd_sink *sink) {
    const hd_vm_options options = {.spaces = spaces};
    hd_vm *vm;
    hd_status status;
    if ((status = resolve(arena, diag, KIR_AS_WRITTEN, job)) ||
        (status = hd_vm_open(arena, diag, job, NULL, &options, &vm)))
        return status;
    status = run_launches(vm, job, sink);
    hd_vm_close(vm);
    return status;
}

hd_status run_job(hd_arena *arena, const hd_diag *diag, const char *path, uint32_t spaces,
                  const hd_sink *sink) {
    const char *file = hd_format(arena, "%s/%s", HEDDLE_SOURCE, path);
    hd_job *job;
    hd_status status = hd_job_read(arena, diag, file, &job);
    return status == HD_OK ? run_read_job(arena, diag, job, spaces, sink) : status;
}

hd_status trace_job(const hd_diag *diag, const char *path, uint32_t spaces, const char *trace) {
    const hd_trace_header header = {.source = path, .spaces = spaces};
    hd_arena *arena = hd_arena_new();
    hd_trace_writer *writer;
    hd_status status = hd_trace_create(arena, diag, trace, &header, &writer);
    if (status == HD_OK) {
        const hd_sink sink = hd_trace_sink(writer);
        status = hd_trace_end(writer, run_job(arena, diag, path, spaces, &sink), true);
    }
    hd_arena_free(arena);
    return status;
}
