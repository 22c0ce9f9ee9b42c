/* heddle apply: the kernels in another layout, and a header for their host. */
#include "cli/built_program.h"
#include "cli/commands.h"
#include "cli/whole_program.h"
#include "cli/report/members.h"
#include "rewrite/thread_map.h"

/* What was done. */
typedef struct outcome {
    const cli_options *given;
    const hd_job *job;
    const hd_record_layout *layouts;
    uint32_t layout_count;
    const hd_rewritten *rewritten;
    cli_checked checked;
    cli_output paths;
    const char *map;                /* the numbers of a map as they were written, or NULL */
    const char *patch;              /* or NULL */
    const cli_built_program *built; /* or NULL */
    const hd_placed_job *after; /* what the job must say now; NULL: it stays, or there is none */
} outcome;

/* ---- showing ------------------------------------------------------------------------- */

/* A file that was written. */
typedef struct written_file {
    const char *from, *file;
    uint32_t edits;
} written_file;

static hd_value files_of(const hd_view *view, const void *at) {
    const outcome *o = at;
    const char *folder = o->given->input.out;
    hd_vec(written_file) files = {0};
    for (uint32_t f = 0; f < o->rewritten->file_count; f++) {
        const hd_rewritten_file *file = &o->rewritten->files[f];
        const char *path =
            folder ? hd_format(view->arena, "%s/%s", folder, file->name) : file->path;
        if (folder || !file->is_copy)
            hd_push(view->arena, &files, (written_file){file->path, path, file->edit_count});
    }
    return hd_rows(files.data, files.count);
}

HD_GETTER(layout_of, hd_record_layout, hd_with(hd_row(row->layout), row->record))
HD_GETTER(elsewhere_of, outcome,
          hd_rows(row->rewritten->elsewhere,
                  row->given->input.out ? row->rewritten->elsewhere_count : 0))

/* A parameter in one of the layouts: it has become that one's allocations and a count. */
typedef struct laid_row {
    const char *kernel;
    uint32_t param, layout, allocations;
} laid_row;

static hd_value laid_of(const hd_view *view, const void *at) {
    const outcome *o = at;
    hd_vec(laid_row) rows = {0};
    for (uint32_t p = 0; p < o->rewritten->laid_param_count; p++) {
        const hd_laid_param *laid = &o->rewritten->laid_params[p];
        const hd_layout *layout = o->layouts[laid->layout].layout;
        hd_push(view->arena, &rows,
                (laid_row){laid->kernel, laid->param, laid->layout,
                           layout->discrete ? layout->count : 1});
    }
    return hd_rows(rows.data, rows.count);
}

/* Variables in global memory, which all kernels of a program share. */
static hd_value variables_of(const hd_view *view, const void *at) {
    const kir_module *module = ((const outcome *)at)->job->module;
    hd_vec(const kir_static *) rows = {0};
    for (uint32_t k = 0; k < module->kernel_count; k++)
        for (uint32_t s = 0; s < module->kernels[k]->static_count; s++) {
            const kir_static *variable = &module->kernels[k]->statics[s];
            bool is_new = variable->space == KIR_GLOBAL;
            for (size_t o = 0; o < rows.count && is_new; o++)
                is_new = strcmp(rows.data[o]->name, variable->name) != 0;
            if (is_new)
                hd_push(view->arena, &rows, variable);
        }
    return hd_pointed_rows(rows.data, rows.count);
}

static const hd_member variable_members[] = {HD_SAME(kir_static, name, bytes), {0}};
static const hd_member laid_members[] = {HD_SAME(laid_row, kernel, param, layout, allocations),
                                         {0}};
static const hd_member layout_members[] = {
    {"record", HD_BEHIND(hd_record_layout, record), .of = hd_record_members},
    {"layout", .get = layout_of, .of = hd_layout_members},
    {0}};
static const hd_member file_members[] = {HD_SAME(written_file, from, file, edits), {0}};
static const hd_member elsewhere_members[] = {{"file", HD_AT(hd_header_elsewhere, path)},
                                              {"folder", HD_AT(hd_header_elsewhere, folder)},
                                              {0}};
static const hd_member outcome_members[] = {
    {"layouts", HD_MANY(outcome, layouts, layout_count), .of = layout_members},
    {"params", .get = laid_of, .of = laid_members},
    {"variables", .get = variables_of, .of = variable_members},
    {"options", HD_VIA(outcome, rewritten, HD_AT, options)},
    {"kernel", HD_AT(outcome, paths.kernel)},
    {"header", HD_AT(outcome, paths.header)},
    {"files", .get = files_of, .of = file_members},
    {"elsewhere", .get = elsewhere_of, .of = elsewhere_members},
    {"verified", HD_AT(outcome, checked.is_checked)},
    {"compared_bytes", HD_AT(outcome, checked.bytes)},
    {"checked_accesses", HD_AT(outcome, checked.accesses)},
    {"program", HD_VIA(outcome, rewritten, HD_AT, is_program)},
    {"edits", HD_VIA(outcome, rewritten, HD_AT, edit_count)},
    {"job", HD_BEHIND(outcome, after), .of = cli_job_after_members},
    {"built", HD_BEHIND(outcome, built), .of = cli_built_members, .optional = true},
    {"patch", HD_AT(outcome, patch), .optional = true},
    {"map", HD_AT(outcome, map), .optional = true},
    {0}};

static int show(cli *c, const cli_options *given, const outcome *o) {
    if (c->json)
        return cli_print_row(c, outcome_members, hd_row(o));
    hd_str out = {.arena = c->arena};
    if (o->patch) {
        hd_str_add(&out, o->patch);
        return cli_print(c, &out);
    }
    for (uint32_t m = 0; o->map && m < o->rewritten->orders->order_count; m++) {
        const hd_launch_order *order = &o->rewritten->orders->orders[m];
        hd_str_printf(&out, "%s in another order: launch %u of %u threads%s\n", order->kernel,
                      order->launch, order->threads, order->whole_blocks ? ", whole blocks" : "");
    }
    if (o->map)
        hd_str_add(&out, "threads by a map");
    for (uint32_t l = 0; l < o->layout_count; l++)
        hd_str_printf(&out, "%s%s as %s", l ? ", " : "", o->layouts[l].record->spelling,
                      hd_layout_print(c->arena, o->layouts[l].record, o->layouts[l].layout));
    hd_str_printf(&out, ": %u places changed%s\n", o->rewritten->edit_count,
                  o->checked.is_checked ? ", checked on the machine" : ", not checked");
    cli_show_checked(c, &o->checked, &out);
    if (o->rewritten->is_program)
        hd_str_add(&out, "  with the host code, whose launches stay as they are\n");
    for (uint32_t f = 0; f < o->rewritten->file_count; f++) {
        const hd_rewritten_file *file = &o->rewritten->files[f];
        if (!given->in_place)
            hd_str_printf(&out, "  %s/%s%s\n", o->paths.folder, file->name,
                          file->is_copy ? ", a copy" : "");
        else if (!file->is_copy)
            hd_str_printf(&out, "  %s\n", file->path);
    }
    hd_str_printf(&out, "  %s\n", o->paths.header);
    if (o->map)
        hd_str_printf(&out, "  %s\n", o->map);
    if (!given->in_place)
        cli_show_elsewhere(c, o->rewritten, &out);
    if (o->built)
        cli_show_built(c, o->built, &out);
    if (o->after)
        cli_show_job_after(c, o->after, o->paths.header, &out);
    return cli_print(c, &out);
}

/* ---- doing ----------------------------------------------------------------------------- */

/* The program goes with its kernels. */
static hd_status rewrite_host(cli *c, const cli_options *given, const hd_job *job,
                              const hd_record_layout *layouts, uint32_t count,
                              const hd_rewritten *kernels, hd_rewritten **both) {
    const hd_host_request wanted = {.path = given->host,
                                    .options = job->options,
                                    .header = cli_header_name(c, kernels),
                                    .layouts = layouts,
                                    .layout_count = count,
                                    .module = job->module,
                                    .kernels = kernels};
    if (job->module->device && !strcmp(job->module->device, "cuda"))
        return cli_refuse(c, "--host is for kernels in OpenCL C; CUDA C has its host in the file");
    if (!given->input.out && strcmp(hd_path_folder(c->arena, given->host),
                                    hd_path_folder(c->arena, job->kernel_path)) != 0)
        return cli_refuse(c,
                          "%s and %s lie in two folders, and the header of both can be in one; "
                          "write into a third, with --out",
                          given->host, job->kernel_path);
    return hd_rewrite_opencl_host(c->arena, &c->diag, &wanted, both);
}

/* The job; of a recording with the program's own files, which it takes the command to build for. */
static hd_status load(cli *c, const char *path, const cli_options *given, hd_job **job,
                      hd_record_layout **layouts, uint32_t *count, const char **command) {
    cli_source source = given->input.source;
    if (!hd_is_kernel_file(path)) {
        *command = source.build;
        source.build = NULL;
    }
    hd_status status = cli_load_layouts(c, path, &source, &given->layouts, job, layouts, count);
    if (!status)
        status = cli_find_sources(c, &source.sources, *job);
    if (!status && *command && !(*job)->program)
        return cli_refuse(c, "--build COMMAND goes with the recording of a program");
    if (!status && *command && !given->input.out)
        return cli_refuse(c,
                          "--build COMMAND goes with --out DIR, where it builds the new program");
    if (!status && *command)
        cli_add_built_sources(c, *command, *job);
    return status ? status : cli_check_program_files(c, *job);
}

static int rewrite(cli *c, const char *path, const cli_options *given) {
    hd_job *job;
    const char *command = NULL;
    cli_built_program built;
    hd_record_layout *layouts;
    hd_rewritten *rewritten, *both = NULL;
    uint32_t count;
    hd_str patch = {.arena = c->arena};
    outcome o = {.given = given};
    if (cli_take_back(c, path) || load(c, path, given, &job, &layouts, &count, &command) ||
        (given->input.out &&
         cli_output_paths(c, "out", given->input.out, hd_job_source(job), &o.paths)) ||
        hd_rewrite_program(c->arena, &c->diag, job, layouts, count, &rewritten) ||
        (given->host && rewrite_host(c, given, job, layouts, count, rewritten, &both)))
        return CLI_WRONG;
    /* Of a whole program the kernels alone are checked, in the form in which the machine runs them;
     * where they have none, since they are given structs with pointers, nothing is. */
    hd_rewritten *kernels = rewritten;
    bool runs = !given->no_verify &&
                (!rewritten->is_program ||
                 hd_rewrite_job(c->arena, &hd_silent, job, layouts, count, &kernels) == HD_OK);
    hd_status status =
        runs ? cli_verify(c, path, &given->input.source, job, layouts, count, kernels, &o.checked)
             : HD_OK;
    if (status != HD_OK)
        return cli_status(status);
    if (both)
        rewritten = both;
    o.job = job;
    o.layouts = layouts;
    o.layout_count = count;
    o.rewritten = rewritten;
    if (given->in_place ? cli_replace_rewritten(c, &o.paths, rewritten)
        : given->diff   ? cli_diff_rewritten(c, &o.paths, rewritten, &patch)
                        : cli_write_rewritten(c, &o.paths, rewritten))
        return CLI_WRONG;
    if (given->in_place && rewritten->is_program && job->path)
        hd_note(
            &c->diag, &(hd_place){.file = job->path},
            "this job does not fit the program any more: its kernels take references to arrays, "
            "which no job can give");
    else if (given->in_place)
        o.after = cli_job_after(c, job, layouts, count);
    o.patch = given->diff ? hd_str_text(&patch) : NULL;
    if (command && cli_build_program(c, command, job, layouts, count, rewritten, &o.paths, &built))
        return CLI_WRONG;
    o.built = command ? &built : NULL;
    int shown = show(c, given, &o);
    return shown || !command || !built.differences.count ? shown : CLI_DIFFER;
}

/* ---- threads ---------------------------------------------------------------------------- */

static int map_threads(cli *c, const char *path, const cli_options *given) {
    hd_job *job;
    hd_order_file *orders;
    hd_rewritten *rewritten;
    outcome o = {.given = given};
    if (cli_load(c, path, &given->input.source, &job) ||
        hd_order_file_read(c->arena, &c->diag, given->map, &orders) ||
        cli_output_paths(c, "out", given->input.out, job->kernel_path, &o.paths) ||
        hd_rewrite_job_map(c->arena, &c->diag, job, orders, NULL, NULL, &rewritten))
        return CLI_WRONG;
    hd_status status = given->no_verify ? HD_OK : cli_verify_map(c, job, rewritten, &o.checked);
    if (status != HD_OK)
        return cli_status(status);
    uint64_t count = hd_map_numbers(orders, NULL);
    uint32_t *numbers = hd_new_array(c->arena, uint32_t, count);
    hd_map_numbers(orders, numbers);
    rewritten->host_header = hd_map_host_header(c->arena, job, orders);
    o.job = job;
    o.rewritten = rewritten;
    o.map = hd_format(c->arena, "%s/heddle_map.bin", given->input.out);
    if (cli_write_rewritten(c, &o.paths, rewritten) ||
        hd_write_file(&c->diag, o.map, (const char *)numbers, count * sizeof *numbers))
        return CLI_WRONG;
    return show(c, given, &o);
}

int cmd_apply(cli *c) {
    const cli_options *given = c->given;
    const char *path = given->input.path;
    if (given->recover)
        return cli_recover(c, path ? path : ".");
    if (!path)
        return cli_wrong(c, "which file? 'heddle apply --help' says how");
    if (!given->input.out && !given->diff && !given->in_place)
        return cli_wrong(c, "where to? Name a folder with --out DIR, or say --diff or --in-place");
    return given->map ? map_threads(c, path, given) : rewrite(c, path, given);
}
