/*
 * heddle accesses: where the kernels touch memory.
 *
 *     nbody (nbody.cl:7): global 16384, local 256, about 26 registers
 *       id  line  kind  what      bytes  loops  element index
 *        0     9  load  bodies.x      4         256*group(0) + local(0)
 *        3    13  load  bodies.x      4  16384  k0
 */
#include "cli/cli.h"
#include "report/json.h"

static const char about[] =
    "Lists the loads, stores and atomics of every kernel that the job launches: source line, "
    "buffer and field, bytes of each thread, and the element index as a sum over work-item ids, "
    "loop counters (k0, k1 ...) and arguments, or the reason why there is no such sum.\n"
    "\n"
    "The column loops holds the iterations of the loops around it, the outermost first: 64, ~12 "
    "when it differs between threads (the mean), <=64 when the loop can end early, ? when it is "
    "not known. 'if' stands after it when a condition decides whether the access runs.";

/* ---- one row ------------------------------------------------------------------------ */

static const char *line_text(hd_arena *arena, const hd_kernel_info *info, const hd_access *a) {
    const char *file = info->module->files[a->file].name, *own = info->kernel->place.file;
    if (!own || !strcmp(file, own))
        return hd_format(arena, "%u", a->line);
    const char *slash = strrchr(file, '/');
    return hd_format(arena, "%s:%u", slash ? slash + 1 : file, a->line);
}

/* "pos.x" for the scalar at a constant place of the record, else the field's name. */
static const char *field_text(hd_arena *arena, const hd_access *a) {
    const hd_field *field = &a->record->fields[a->field];
    uint32_t count, offset = field->offset + (uint32_t)a->inner.constant;
    if (a->inner.term_count)
        return field->name;
    const hd_leaf *leaves = hd_leaves_of_record(arena, a->record, field->name, &count);
    for (uint32_t i = 0; i < count; i++)
        if (leaves[i].offset == offset)
            return hd_leaf_path(arena, a->record, &leaves[i]);
    return field->name;
}

static const char *target_text(hd_arena *arena, const hd_kernel_info *info, const hd_access *a) {
    const kir_kernel *kernel = info->kernel;
    const char *name = a->param >= 0             ? kernel->params[a->param].name
                       : a->static_index >= 0    ? kernel->statics[a->static_index].name
                       : a->space == KIR_PRIVATE ? "(private)"
                                                 : "(unknown)";
    if (a->record && a->field >= 0)
        name = hd_format(arena, "%s.%s", name, field_text(arena, a));
    const char *space = a->space == KIR_LOCAL      ? " (local)"
                        : a->space == KIR_CONSTANT ? " (constant)"
                                                   : "";
    return hd_format(arena, "%s%s", name, space);
}

static const char *trip_text(hd_arena *arena, const hd_kernel_info *info, const hd_access *a,
                             int32_t loop) {
    const hd_trip *trip = &info->trips[loop];
    const char *sign = trip->early_exit ? "<=" : trip->kind == HD_TRIP_VARYING ? "~" : "";
    uint64_t runs;
    return hd_runs_in_loop(info, a, loop, &runs)
               ? hd_format(arena, "%s%llu", sign, (unsigned long long)runs)
               : "?";
}

static const char *loops_text(hd_arena *arena, const hd_kernel_info *info, const hd_access *a) {
    const char *text = "";
    for (int32_t l = a->loop; l >= 0; l = info->flow->loops[l].parent)
        text = hd_format(arena, "%s%s%s", trip_text(arena, info, a, l), *text ? " * " : "", text);
    if (a->guard_count || a->conditional)
        text = hd_format(arena, "%s%sif", text, *text ? " " : "");
    return text;
}

/* Divides a form by the bytes of an element; false when that leaves a rest. */
static bool in_elements(hd_arena *arena, hd_affine form, int64_t bytes, hd_affine *result) {
    if (bytes <= 0 || form.constant % bytes)
        return false;
    hd_term *terms = hd_new_array(arena, hd_term, form.term_count + 1);
    for (uint32_t i = 0; i < form.term_count; i++) {
        terms[i] = form.terms[i];
        if (terms[i].factor % bytes)
            return false;
        terms[i].factor /= bytes;
    }
    *result = (hd_affine){form.constant / bytes, form.term_count, terms};
    return true;
}

static const char *index_text(hd_arena *arena, const hd_kernel_info *info, const hd_access *a) {
    const kir_kernel *kernel = info->kernel;
    if (!a->affine)
        return a->reason ? a->reason : "not affine";
    if (a->record && a->field >= 0) {
        const char *index = hd_affine_print(arena, kernel, a->index);
        if (!a->inner.term_count)
            return index;
        return hd_format(arena, "%s; byte %s of the field", index,
                         hd_affine_print(arena, kernel, a->inner));
    }
    uint32_t bytes = a->param >= 0 ? kernel->params[a->param].element_bytes : a->width;
    hd_affine index;
    if (in_elements(arena, a->address, bytes, &index))
        return hd_affine_print(arena, kernel, index);
    return hd_format(arena, "byte %s", hd_affine_print(arena, kernel, a->address));
}

/* ---- one kernel ----------------------------------------------------------------------- */

static const char *sizes_text(hd_arena *arena, uint32_t dims, const uint64_t *sizes) {
    hd_str out = {.arena = arena};
    for (uint32_t d = 0; d < dims; d++)
        hd_str_printf(&out, "%s%llu", d ? "x" : "", (unsigned long long)sizes[d]);
    return hd_str_text(&out);
}

static void add_heading(hd_str *out, const hd_kernel_info *info) {
    const kir_kernel *kernel = info->kernel;
    hd_str_add(out, kernel->name);
    if (kernel->place.file)
        hd_str_printf(out, " (%s:%u)", kernel->place.file, kernel->place.line);
    hd_str_printf(out, ": global %s, local %s, about %u registers\n",
                  sizes_text(out->arena, info->binding.dims, info->binding.global),
                  sizes_text(out->arena, info->binding.dims, info->binding.local), info->registers);
}

static void add_kernel(cli *c, hd_str *out, const hd_kernel_info *info, bool all) {
    static const hd_column columns[] = {{"id", HD_RIGHT, false},         {"line", HD_RIGHT, false},
                                        {"kind", HD_LEFT, false},        {"what", HD_LEFT, true},
                                        {"bytes", HD_RIGHT, false},      {"loops", HD_LEFT, true},
                                        {"element index", HD_LEFT, true}};
    hd_table *table = hd_table_new(c->arena, columns, sizeof columns / sizeof *columns);
    uint32_t hidden = 0;
    for (uint32_t i = 0; i < info->access_count; i++) {
        const hd_access *a = &info->accesses[i];
        if (a->space == KIR_PRIVATE && !all) {
            hidden++;
            continue;
        }
        const char *cells[] = {hd_format(c->arena, "%u", a->id),    line_text(c->arena, info, a),
                               hd_access_kind_name(a->kind),        target_text(c->arena, info, a),
                               hd_format(c->arena, "%u", a->width), loops_text(c->arena, info, a),
                               index_text(c->arena, info, a)};
        hd_table_row(table, cells);
    }
    hd_str_add(out, out->length ? "\n" : "");
    add_heading(out, info);
    hd_table_print(table, out, c->style.bold);
    if (hidden)
        hd_str_printf(out, "  and %u to private memory; --all lists them\n", hidden);
}

/* ---- the command ------------------------------------------------------------------------ */

/* What was listed so far, in the form that will be printed. */
typedef struct listing {
    bool all;
    hd_str text;
    json_t *kernels;
} listing;

/* Every kernel once, under its first launch. */
static bool seen_before(const hd_job *job, uint32_t launch) {
    for (uint32_t i = 0; i < launch; i++)
        if (job->launches[i].kernel == job->launches[launch].kernel)
            return true;
    return false;
}

static void list_job(cli *c, listing *l, const hd_job *job) {
    for (uint32_t i = 0; i < job->launch_count; i++) {
        if (seen_before(job, i))
            continue;
        hd_binding binding = hd_job_binding(c->arena, &job->launches[i]);
        const hd_kernel_info *info =
            hd_kernel_analyse(c->arena, job->module, job->launches[i].kernel, &binding);
        json_array_append_new(l->kernels, hd_json_kernel(c->arena, info));
        add_kernel(c, &l->text, info, l->all);
    }
}

/* Accesses need no choice between a kernel's records: any of them will do. */
static const char *any_record(const kir_module *module, const char *entry) {
    const kir_kernel *kernel = entry ? kir_find_kernel(module, entry) : NULL;
    for (uint32_t p = 0; kernel && p < kernel->param_count; p++)
        if (kernel->params[p].record && !kernel->params[p].by_value_struct)
            return kernel->params[p].record->name;
    return NULL;
}

/* Of a kernel file every kernel is listed, unless one was named. */
static hd_status list_file(cli *c, listing *l, const char *path, const cli_source *source,
                           const kir_module *module) {
    cli_source one = *source;
    hd_job *job;
    uint32_t count = source->entry || !module->kernel_count ? 1 : module->kernel_count;
    for (uint32_t i = 0; i < count; i++) {
        if (!source->entry && module->kernel_count)
            one.entry = module->kernels[i]->name;
        if (!source->record)
            one.record = any_record(module, one.entry);
        hd_status status = cli_job_of_kernel(c, path, &one, module, &job);
        if (status)
            return status;
        list_job(c, l, job);
    }
    return HD_OK;
}

static hd_status list_source(cli *c, listing *l, const char *path, const cli_source *source) {
    hd_job *job;
    kir_module *module;
    hd_status status = cli_load_module(c, path, source, &job, &module);
    if (status)
        return status;
    if (!job)
        return list_file(c, l, path, source, module);
    status = hd_job_resolve(c->arena, &c->diag, job, module);
    if (!status)
        list_job(c, l, job);
    return status;
}

int cmd_accesses(cli *c, int argc, char **argv) {
    listing l = {.text.arena = c->arena};
    cli_source source = {0};
    cli_option job_options[CLI_JOB_OPTION_COUNT];
    const cli_option options[] = {
        {"all", 0, NULL, "accesses to private memory, too", CLI_FLAG, &l.all}, {0}};
    const cli_page page = {
        "[OPTIONS] JOB|FILE", about, options, cli_job_options(&source, job_options), 1, 1};
    char **words;
    uint32_t word_count;
    int status;
    if (!cli_parse(c, &page, argc, argv, &words, &word_count, &status))
        return status;
    l.kernels = json_array();
    json_t *result = json_pack("{s:o}", "kernels", l.kernels);
    status = CLI_WRONG;
    if (!list_source(c, &l, words[0], &source))
        status = c->json ? cli_print_json(c, json_incref(result)) : cli_print(c, &l.text);
    json_decref(result);
    return status;
}
