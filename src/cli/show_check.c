/* The check of what was rewritten, for `rewrite` and `advise --apply`. */
#include "advise/verify.h"

#include "cli/cli.h"

enum {
    MOST_INSTRUCTIONS = 20000000, /* of a block */
    ITEMS = 4096                  /* where nobody says how many: all of them may look at all */
};

static void show_progress(void *user, uint64_t done, uint64_t count) {
    cli_show_meter(user, "checking on the machine", (double)done / (double)count);
}

static hd_status verify(cli *c, const hd_diag *diag, const hd_job *job,
                        const hd_record_layout *layouts, uint32_t layout_count,
                        const hd_rewritten *rewritten, cli_checked *checked, bool *original_ran) {
    /* Of made-up contents a loop may never end. */
    cli_meter meter = {.c = c};
    const hd_vm_options options = {.progress = show_progress,
                                   .user = &meter,
                                   .max_instructions = job->path ? 0 : MOST_INSTRUCTIONS};
    hd_verified result;
    hd_status status =
        hd_verify(c->arena, diag, job, layouts, layout_count, rewritten, &options, &result);
    *original_ran = result.ran;
    checked->bytes += result.bytes;
    checked->accesses += result.lane_accesses;
    checked->is_checked = checked->is_checked && status == HD_OK && result.lane_accesses;
    cli_progress(c, NULL);
    if (status == HD_OK && !result.lane_accesses)
        hd_warn(&c->diag, &(hd_place){.file = job->path ? job->path : job->kernel_path},
                "nothing was checked: the kernels access no memory with the sizes, arguments and "
                "contents that they are given here");
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

/* The launch's sizes are the user's. */
static bool has_sizes(const cli_source *source) {
    return source->global.dims || source->local.dims || source->count;
}

/* With the launches and sizes that host code has, where these can be read and cover all kernels that
 * take the records: those are real ones. False: they do not, or the original does not run. */
static bool verify_as_launched(cli *c, const char *path, const cli_source *source,
                               const hd_job *job, const hd_record_layout *layouts,
                               uint32_t layout_count, const hd_rewritten *rewritten,
                               cli_checked *checked, hd_status *status) {
    const hd_diag loud = c->diag, mild = {as_warning, &c->diag};
    cli_source all = *source;
    hd_job *drafted = NULL;
    bool original_ran = false;
    if (!rewritten->has_host_launches || has_sizes(source) || source->values.count || source->entry)
        return false;
    all.any_entry = false;
    all.record = hd_record_declared(layouts[0].record)->name;
    c->diag = hd_silent;
    *status = cli_job_of_kernel(c, path, &all, job->module, &drafted);
    c->diag = loud;
    if (*status != HD_OK || hd_verify_covers(&hd_silent, drafted, layouts, layout_count))
        return false;
    *status = verify(c, &mild, drafted, layouts, layout_count, rewritten, checked, &original_ran);
    if (*status != HD_OK && original_ran)
        hd_fail(&c->diag, *status, &(hd_place){.file = job->kernel_path},
                "the rewritten kernels leave other values than the original ones; please report "
                "this");
    return original_ran;
}

hd_status cli_verify(cli *c, const char *path, const cli_source *source, const hd_job *job,
                     const hd_record_layout *layouts, uint32_t layout_count,
                     const hd_rewritten *rewritten, cli_checked *checked) {
    const hd_diag mild = {as_warning, &c->diag};
    bool original_ran = false;
    *checked = (cli_checked){.is_checked = true};
    if (job->path) {
        hd_status status = hd_verify_covers(&c->diag, job, layouts, layout_count);
        return status ? status
                      : verify(c, &c->diag, job, layouts, layout_count, rewritten, checked,
                               &original_ran);
    }
    hd_status launched;
    if (verify_as_launched(c, path, source, job, layouts, layout_count, rewritten, checked,
                           &launched))
        return launched;
    *checked = (cli_checked){.is_checked = true};
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
        /* Of sizes that the user gave, else smaller ones than those that prices are for. */
        if (!status && !has_sizes(&one) && made->launches->dims == 1 &&
            ITEMS % made->launches->local[0] == 0) {
            one.global = (cli_sizes){.dims = 1, .size = {ITEMS, 1, 1}};
            status = cli_job_of_kernel(c, path, &one, job->module, &made);
        }
        if (status == HD_OK)
            status =
                verify(c, &mild, made, layouts, layout_count, rewritten, checked, &original_ran);
        checked->is_checked = checked->is_checked && status == HD_OK;
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

hd_status cli_verify_map(cli *c, const hd_job *job, const hd_rewritten *rewritten,
                         cli_checked *checked) {
    const hd_diag mild = {as_warning, &c->diag};
    bool original_ran = false;
    *checked = (cli_checked){.is_checked = true};
    hd_status status =
        verify(c, job->path ? &c->diag : &mild, job, NULL, 0, rewritten, checked, &original_ran);
    if (status == HD_EDIFFER)
        return hd_fail(&c->diag, HD_EDIFFER, &(hd_place){.file = job->kernel_path},
                       "with this map the kernels leave other values; what follows from the order "
                       "in which threads run, as numbers that atomics hand out do, cannot be "
                       "mapped, and sums of floats by atomics want a 'tolerance' in the job");
    return job->path || original_ran ? status : HD_OK;
}

void cli_show_checked(cli *c, const cli_checked *checked, hd_str *out) {
    if (checked->is_checked)
        hd_str_printf(out, "  checked: %s of what kernels write, equal after %s\n",
                      hd_show_bytes(c->arena, checked->bytes),
                      hd_show_counted(c->arena, checked->accesses, "access", "es"));
}
