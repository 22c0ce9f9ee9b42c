/* The check of what was rewritten, for `rewrite` and `advise --apply`. */
#include "advise/verify.h"

#include "cli/cli.h"

static void show_progress(void *user, uint64_t done, uint64_t count) {
    (void)done, (void)count;
    cli_progress(user, "checking on the machine");
}

static hd_status verify(cli *c, const hd_diag *diag, const hd_job *job,
                        const hd_record_layout *layouts, uint32_t layout_count,
                        const hd_rewritten *rewritten, bool *original_ran) {
    const hd_vm_options options = {.progress = show_progress, .user = c};
    hd_verified result;
    hd_status status =
        hd_verify(c->arena, diag, job, layouts, layout_count, rewritten, &options, &result);
    *original_ran = result.ran;
    cli_progress(c, NULL);
    return status;
}

/* Errors of a run on made-up arguments say nothing against the kernel. */
static void as_warning(const hd_message *message, void *user) {
    hd_message milder = *message;
    const hd_diag *diag = user;
    if (milder.severity == HD_ERROR)
        milder.severity = HD_WARNING;
    diag->fn(&milder, diag->user);
}

void cli_warn_of_unlaunched(cli *c, const hd_job *job, const hd_record_layout *layout) {
    const hd_diag mild = {as_warning, &c->diag};
    if (job->path)
        hd_verify_covers(&mild, job, layout, 1);
}

hd_status cli_verify(cli *c, const char *path, const cli_source *source, const hd_job *job,
                     const hd_record_layout *layouts, uint32_t layout_count,
                     const hd_rewritten *rewritten, bool *checked) {
    const hd_diag mild = {as_warning, &c->diag};
    bool original_ran = false;
    *checked = true;
    if (job->path) {
        hd_status status = hd_verify_covers(&c->diag, job, layouts, layout_count);
        return status ? status
                      : verify(c, &c->diag, job, layouts, layout_count, rewritten, &original_ran);
    }
    for (uint32_t k = 0; k < job->module->kernel_count; k++) { /* of a file without a job */
        const kir_kernel *kernel = job->module->kernels[k];
        if (!hd_verify_record(kernel, layouts, layout_count))
            continue;
        cli_source one = *source;
        hd_job *made;
        one.entry = kernel->name;
        one.record = hd_record_declared(layouts[0].record)->name;
        original_ran = false;
        hd_status status = cli_job_of_kernel(c, path, &one, job->module, &made);
        if (status == HD_OK)
            status = verify(c, &mild, made, layouts, layout_count, rewritten, &original_ran);
        *checked = *checked && status == HD_OK;
        if (status == HD_EDIFFER)
            return hd_fail(&c->diag, HD_EDIFFER, &kernel->place,
                           "the rewritten '%s' leaves other values than the original; please "
                           "report this",
                           kernel->name);
        if (status != HD_OK && original_ran)
            return hd_fail(&c->diag, status, &kernel->place,
                           "the original '%s' runs on the machine, but the rewritten one does "
                           "not; nothing is written",
                           kernel->name);
    }
    return HD_OK;
}
