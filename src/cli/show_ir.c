/* heddle show --ir: the kernels as Heddle sees them (docs/kir.md explains the text); and --ptx. */
#include "cli/commands.h"
#include "cli/report/members.h"
#include "frontend/frontend.h"

/* The text of a kernel. */
typedef struct kernel_text {
    const char *name, *text;
} kernel_text;

typedef struct result {
    kernel_text *kernels;
    uint32_t count;
    const kir_left_out *left_out;
    uint32_t left_out_count;
} result;

static const hd_member kernel_members[] = {HD_SAME(kernel_text, name, text), {0}};
static const hd_member result_members[] = {
    {"kernels", HD_MANY(result, kernels, count), .of = kernel_members},
    {"left_out", HD_MANY(result, left_out, left_out_count), .of = hd_left_out_members},
    {0}};

/* What is printed is a .kir file. */
int cmd_show_ir(cli *c) {
    const char *path = c->given->input.path, *entry = c->given->input.source.entry;
    cli_source source = c->given->input.source;
    hd_job *job;
    kir_module *module;
    if (cli_is_job(cli_job_path(c, path)))
        source.entry = NULL; /* of all that the job launches */
    if (cli_load_module(c, path, &source, &job, &module))
        return CLI_WRONG;
    result r = {hd_new_array(c->arena, kernel_text, module->kernel_count), 0, module->left_out,
                module->left_out_count};
    hd_str all = {.arena = c->arena}, names = {.arena = c->arena};
    kir_print_head(&all, module);
    for (uint32_t i = 0; i < module->kernel_count; i++) {
        const kir_kernel *kernel = module->kernels[i];
        hd_str text = {.arena = c->arena};
        hd_str_printf(&names, "%s%s", i ? ", " : "", kernel->name);
        if (entry && kernel != kir_find_kernel(module, entry))
            continue;
        kir_print(&text, kernel);
        hd_str_printf(&all, "\n%s", hd_str_text(&text));
        r.kernels[r.count++] = (kernel_text){kernel->name, hd_str_text(&text)};
    }
    if (entry && !r.count)
        return cli_status(cli_fail_at(c, job ? job->kernel_path : path,
                                      "there is no kernel '%s' here; there is: %s", entry,
                                      hd_str_text(&names)));
    return c->json ? cli_print_row(c, result_members, hd_row(&r)) : cli_print(c, &all);
}

typedef struct ptx_result {
    const char *text;
} ptx_result;
static const hd_member ptx_members[] = {HD_SAME(ptx_result, text), {0}};

int cmd_show_ptx(cli *c) {
    const char *options = c->given->input.source.options, *text;
    hd_status status =
        hd_frontend_ptx(c->arena, &c->diag, c->given->input.path, options ? options : "", &text);
    if (status)
        return cli_status(status);
    hd_str all = {.arena = c->arena};
    hd_str_add(&all, text);
    const ptx_result r = {text};
    return c->json ? cli_print_row(c, ptx_members, hd_row(&r)) : cli_print(c, &all);
}
