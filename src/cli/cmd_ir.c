/* heddle ir: the kernels as Heddle sees them (docs/kir.md explains the text). */
#include "cli/cli.h"
#include "report/json.h"

static hd_status choose(cli *c, const kir_module *module, const char *path, const char *entry,
                        const kir_kernel **only) {
    *only = entry ? kir_find_kernel(module, entry) : NULL;
    if (!entry || *only)
        return HD_OK;
    hd_str names = {.arena = c->arena};
    for (uint32_t i = 0; i < module->kernel_count; i++)
        hd_str_printf(&names, "%s%s", i ? ", " : "", module->kernels[i]->name);
    const hd_place place = {.file = path};
    return hd_fail(&c->diag, HD_EINPUT, &place, "there is no kernel '%s' here; there is: %s", entry,
                   hd_str_text(&names));
}

/* What is printed is a .kir file. */
static int show(cli *c, const kir_module *module, const kir_kernel *only) {
    json_t *kernels = json_array();
    hd_str all = {.arena = c->arena};
    kir_print_head(&all, module);
    for (uint32_t i = 0; i < module->kernel_count; i++) {
        const kir_kernel *kernel = module->kernels[i];
        hd_str text = {.arena = c->arena};
        if (only && kernel != only)
            continue;
        kir_print(&text, kernel);
        hd_str_printf(&all, "\n%s", hd_str_text(&text));
        json_array_append_new(kernels, json_pack("{s:o, s:o}", "name", hd_json_text(kernel->name),
                                                 "text", hd_json_text(hd_str_text(&text))));
    }
    json_t *result = json_pack("{s:o}", "kernels", kernels);
    if (c->json)
        return cli_print_json(c, result);
    json_decref(result);
    return cli_print(c, &all);
}

int cmd_ir(cli *c, int argc, char **argv) {
    cli_source source = {0};
    const char *entry = NULL;
    const cli_option options[] = {{"entry", 'e', "NAME", "this kernel only", CLI_TEXT, &entry},
                                  {"options", 0, "TEXT",
                                   "options for the compiler, for a kernel file", CLI_TEXT,
                                   &source.options},
                                  {0}};
    const cli_page page = {"[OPTIONS] JOB|FILE",
                           "Prints the kernels in kir, the small SSA form that the analyses read: "
                           "after inlining and clean-up, before anything that depends on a "
                           "device. Stored as a .kir file, the text is a kernel file, too.",
                           options,
                           NULL,
                           1,
                           1};
    char **words;
    uint32_t word_count;
    int status;
    if (!cli_parse(c, &page, argc, argv, &words, &word_count, &status))
        return status;
    hd_job *job;
    kir_module *module;
    const kir_kernel *only;
    if (cli_load_module(c, words[0], &source, &job, &module) ||
        choose(c, module, job ? job->kernel_path : words[0], entry, &only))
        return CLI_WRONG;
    return show(c, module, only);
}
