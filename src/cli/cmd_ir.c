/* heddle ir: the kernels as Heddle sees them (docs/kir.md explains the text). */
#include "cli/cli.h"
#include "report/members.h"

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

/* What is printed is a .kir file. `entry`: this kernel alone, unless it is NULL. */
static int show(cli *c, const char *path, const kir_module *module, const char *entry) {
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
        return cli_status(hd_fail(&c->diag, HD_EINPUT, &(hd_place){.file = path},
                                  "there is no kernel '%s' here; there is: %s", entry,
                                  hd_str_text(&names)));
    return c->json ? cli_print_row(c, result_members, hd_row(&r)) : cli_print(c, &all);
}

int cmd_ir(cli *c, int argc, char **argv) {
    cli_source source = {0};
    const char *entry = NULL;
    const cli_option options[] = {{"entry", 'e', "NAME", "this kernel only", CLI_TEXT, &entry},
                                  {"options", 0, "TEXT",
                                   "options for the compiler, for a kernel file", CLI_TEXT,
                                   &source.options},
                                  {"build", 'p', "DIR",
                                   "a build's folder: the options for the compiler from its "
                                   "compile_commands.json",
                                   CLI_TEXT, &source.build},
                                  {0}};
    static const cli_page page = {
        "[OPTIONS] JOB|FILE",
        "Prints the kernels in kir, the small SSA form that the analyses read: "
        "after inlining and clean-up, before anything that depends on a "
        "device. Stored as a .kir file, the text is a kernel file, too.",
        {1, 1}};
    if (!cli_parse(c, &page, options, NULL, argc, argv))
        return c->status;
    hd_job *job;
    kir_module *module;
    bool is_job = cli_is_job(c->words[0]);
    if (!is_job)
        source.entry = entry;
    if (!is_job && source.build && cli_build_options(c, source.build, c->words[0], &source.options))
        return CLI_WRONG;
    if (cli_load_module(c, c->words[0], &source, &job, &module))
        return CLI_WRONG;
    return show(c, job ? job->kernel_path : c->words[0], module, entry);
}
