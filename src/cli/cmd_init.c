/* heddle init: a job to start from, for a kernel file. */
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/buffer_contents.h"

/* What was written. */
typedef struct outcome {
    const char *job, *text;
    uint32_t buffers, launches;
} outcome;

static const hd_member outcome_members[] = {
    {"job", HD_AT(outcome, job)}, HD_SAME(outcome, text, buffers, launches), {0}};

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
        status = hd_host_read(c->arena, &c->diag, r->path, r->source.options, &host);
    cli_progress(c, NULL);
    if (status || hd_job_draft(c->arena, &c->diag, &flags, module, &host, &job))
        return CLI_WRONG;
    if (host.more)
        hd_warn(&c->diag, &place, "the host code has more launches; the first %d are in the job",
                HD_HOST_MOST_LAUNCHES);
    hd_str text = {.arena = c->arena};
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
