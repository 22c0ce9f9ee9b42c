/* heddle init: a job to start from, for a kernel file. */
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "advise/evidence.h"
#include "cli/commands.h"
#include "cli/buffer_contents.h"

/* What was written. */
typedef struct outcome {
    const char *job, *text;
    uint32_t buffers, launches;
} outcome;

static const hd_member outcome_members[] = {
    {"job", HD_AT(outcome, job)}, HD_SAME(outcome, text, buffers, launches), {0}};

/* ---- whether it runs ------------------------------------------------------------------------- */

/* The draft as whoever is given its text will run it: read and run. `fault`: what goes wrong. */
static hd_status try_text(cli *c, const kir_module *module, const hd_job *draft,
                          hd_first_error *fault) {
    const hd_diag keep = {hd_keep_first, fault};
    const hd_evidence_options options = {.limit = HD_EVIDENCE_LIMIT};
    char *folder, real[PATH_MAX];
    hd_job *job;
    hd_str text = {.arena = c->arena};
    hd_status status = hd_scratch_make(c->arena, &c->diag, &folder);
    if (status)
        return status;
    const char *path = hd_format(c->arena, "%s/job.yaml", folder);
    hd_job_print(&text, draft, module,
                 realpath(draft->kernel_path, real) ? real : draft->kernel_path);
    status = hd_write_file(&c->diag, path, hd_str_text(&text), text.length);
    if (!status && !(status = hd_job_read(c->arena, &keep, path, &job)) &&
        !(status = hd_job_resolve(c->arena, &keep, job, module)))
        status = hd_evidence_run(c->arena, &keep, job, &options);
    hd_scratch_remove(folder);
    return fault->text ? HD_OK : status;
}

/* Twice as many elements where their number is a guess; false: nowhere, or that would be too much. */
static bool grow(hd_job *job) {
    static const uint64_t most = (uint64_t)1 << 22;
    bool any = false;
    for (uint32_t b = 0; b < job->buffer_count; b++)
        if (hd_is_guess(job->buffers[b].guess, "count") && job->buffers[b].count < most) {
            job->buffers[b].count *= 2;
            job->buffers[b].note = "the count is a guess: so many that the kernels run";
            any = true;
        }
    return any;
}

/* Indices that Heddle made up get the range of what they index. */
static void fill_indices(cli *c, const kir_module *module, hd_job *draft) {
    hd_job resolved = *draft;
    if (hd_job_resolve(c->arena, &hd_silent, &resolved, module) == HD_OK)
        hd_job_fill_indices(c->arena, &resolved, false);
}

/* Makes contents and counts such that the kernels run, where that can be; else `fault` says what
 * happens. */
static hd_status mend(cli *c, const kir_module *module, hd_job *job, hd_first_error *fault) {
    enum { MOST_ATTEMPTS = 6 };
    uint64_t *counts = hd_new_array(c->arena, uint64_t, job->buffer_count);
    const char **notes = hd_new_array(c->arena, const char *, job->buffer_count);
    for (uint32_t b = 0; b < job->buffer_count; b++) {
        counts[b] = job->buffers[b].count;
        notes[b] = job->buffers[b].note;
    }
    fill_indices(c, module, job);
    hd_status status = try_text(c, module, job, fault);
    for (int i = 0; i < MOST_ATTEMPTS && !status && fault->text && grow(job); i++) {
        hd_first_error now = {.arena = c->arena};
        if ((status = try_text(c, module, job, &now)) == HD_OK && !now.text) {
            fault->text = NULL;
            fill_indices(c, module, job);
            return HD_OK;
        }
    }
    for (uint32_t b = 0; b < job->buffer_count && fault->text; b++) { /* which was in vain */
        job->buffers[b].count = counts[b];
        job->buffers[b].note = notes[b];
    }
    return status;
}

/* ---- the command ------------------------------------------------------------------------------ */

/* A CUDA file has its host code in itself. */
static hd_status read_host(cli *c, const cli_input *r, hd_host *host) {
    const char *path = c->given->host;
    if (!path)
        return hd_host_read(c->arena, &c->diag, r->path, r->source.options, host);
    hd_status status =
        hd_ends_in(r->path, ".cl")
            ? hd_host_read_opencl(c->arena, &c->diag, path, r->source.options, host)
            : cli_refuse(c,
                         "--host goes with a kernel file of OpenCL (.cl): others have their host "
                         "code in themselves, or none");
    if (!status && !host->launch_count)
        hd_warn(&c->diag, &(hd_place){.file = path},
                "no clEnqueueNDRangeKernel() of a kernel whose name is known was found here; sizes "
                "and arguments are guesses");
    return status;
}

int cmd_init(cli *c) {
    const cli_input *r = &c->given->input;
    const hd_place place = {.file = r->path};
    hd_job_flags flags = {.kernel_path = r->path, .options = r->source.options};
    kir_module *module;
    hd_host host;
    hd_job *job;
    if (!hd_is_kernel_file(r->path))
        return cli_status(hd_fail(&c->diag, HD_EINPUT, &place,
                                  "this is no kernel file (%s); a job is made from one",
                                  hd_kernel_endings(c->arena)));
    if (r->out && cli_check_output(c, "out", r->out, &r->path, 1))
        return CLI_WRONG;
    if (r->out && !c->given->force && !access(r->out, F_OK))
        return cli_status(
            cli_fail_at(c, r->out,
                        "this file is there already, and it may have been edited; name "
                        "another, or say --force"));
    cli_progress(c, "compiling");
    hd_status status = hd_frontend(c->arena, &c->diag, r->path, r->source.options, &module);
    if (status == HD_OK)
        status = read_host(c, r, &host);
    cli_progress(c, NULL);
    if (status || hd_job_draft(c->arena, &c->diag, &flags, module, &host, &job))
        return CLI_WRONG;
    if (host.more)
        hd_warn(&c->diag, &place, "the host code has more launches; the first %d are in the job",
                HD_HOST_MOST_LAUNCHES);
    hd_first_error fault = {.arena = c->arena};
    cli_progress(c, "running");
    status = mend(c, module, job, &fault);
    cli_progress(c, NULL);
    if (status)
        return CLI_WRONG;
    hd_str text = {.arena = c->arena};
    if (fault.text) {
        hd_warn(&c->diag, &place, "the job does not run as it is: %s", fault.text);
        hd_str_add(&text, "# It does not run as it is: ");
        for (const char *at = fault.text; *at; at++)
            hd_str_addn(&text, (unsigned char)*at < ' ' ? " " : at, 1);
        hd_str_add(&text, "\n");
    }
    /* The kernel file as a job in another folder names it. */
    const char *folder = hd_path_folder(c->arena, r->out ? r->out : "."), *kernel = r->path;
    char real[PATH_MAX];
    if (*kernel != '/' && strcmp(folder, ".") != 0)
        kernel = hd_same_file(folder, hd_path_folder(c->arena, kernel)) ? hd_path_name(kernel)
                 : realpath(kernel, real)                               ? real
                                                                        : kernel;
    hd_job_print(&text, job, module, kernel);
    if (r->out && hd_write_file(&c->diag, r->out, hd_str_text(&text), text.length))
        return CLI_WRONG;
    const outcome o = {r->out, hd_str_text(&text), job->buffer_count, job->launch_count};
    if (c->json)
        return cli_print_row(c, outcome_members, hd_row(&o));
    if (!r->out)
        return cli_print(c, &text);
    hd_str said = {.arena = c->arena};
    hd_str_printf(&said, "%s: %u launches, %u buffers\n", r->out, o.launches, o.buffers);
    return cli_print(c, &said);
}
