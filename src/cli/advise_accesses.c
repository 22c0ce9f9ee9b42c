/*
 * heddle advise --accesses: where the kernels touch memory.
 *
 *     nbody (nbody.cl:7): global 16384, local 256, about 32 registers
 *       id  line  kind  what      bytes  loops  element index
 *        0     9  load  bodies.x      4         256*group(0) + local(0)
 *        3    13  load  bodies.x      4  16384  k0
 */
#include "cli/commands.h"
#include "cli/report/members.h"

/* ---- one row ------------------------------------------------------------------------ */

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

/* "256*group(0) + local(0); byte 4*k0 of the field". */
static const char *index_text(hd_arena *arena, const kir_kernel *kernel, const hd_access *a) {
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

static hd_value index_of(const hd_view *view, const void *at) {
    const kir_kernel *kernel = ((const hd_kernel_info *)view->context)->kernel;
    const hd_access *a = at;
    if (a->affine)
        return hd_text(index_text(view->arena, kernel, a));
    const char *reason = a->reason ? a->reason : "not affine";
    bool known = a->param >= 0 || a->static_index >= 0; /* what the address counts from */
    /* More than one value that the reason speaks of. */
    bool has_more = a->index.term_count > 1 || a->index.constant ||
                    (a->index.term_count && a->index.terms->factor != 1);
    if (!known || (!has_more && !a->inner.term_count))
        return hd_text(reason);
    return hd_text(hd_format(view->arena, "%s: %s", reason, index_text(view->arena, kernel, a)));
}

/* ---- one kernel ----------------------------------------------------------------------- */

static hd_value line_of(const hd_view *view, const void *at) {
    const hd_kernel_info *info = view->context;
    const hd_access *a = at;
    const char *file = info->module->files[a->file].name, *own = info->kernel->place.file;
    if (!own || !strcmp(file, own))
        return hd_text(hd_format(view->arena, "%u", a->line));
    return hd_text(hd_format(view->arena, "%s:%u", hd_path_name(file), a->line));
}
HD_GETTER(kind_of, hd_access, hd_text(hd_access_kind_name(row->kind)))
static hd_value target_of(const hd_view *view, const void *at) {
    const hd_access *a = at;
    const kir_kernel *kernel = ((const hd_kernel_info *)view->context)->kernel;
    const char *space = a->space == KIR_LOCAL      ? " (local)"
                        : a->space == KIR_CONSTANT ? " (constant)"
                                                   : "";
    return hd_text(hd_format(view->arena, "%s%s", hd_access_target(view->arena, kernel, a), space));
}
/* Copies of one access, in the same loop. */
static bool are_one_row(const hd_kernel_info *info, const hd_access *a, const hd_access *b) {
    return a->loop == b->loop && hd_access_is_copy(info, a, b);
}

static hd_value loops_of(const hd_view *view, const void *at) {
    const hd_kernel_info *info = view->context;
    const hd_access *a = at;
    uint32_t copies = 0;
    for (uint32_t i = 0; i < info->access_count; i++)
        copies += are_one_row(info, a, &info->accesses[i]);
    const char *text = copies > 1 ? hd_format(view->arena, "%u copies", copies) : "";
    for (int32_t l = a->loop; l >= 0; l = info->flow->loops[l].parent) {
        const hd_trip *trip = &info->trips[l];
        const char *sign = trip->early_exit ? "<=" : trip->kind == HD_TRIP_VARYING ? "~" : "";
        const char *more = *text ? " * " : "";
        uint64_t runs;
        text = hd_runs_in_loop(info, a, l, &runs) ? hd_format(view->arena, "%s%llu%s%s", sign,
                                                              (unsigned long long)runs, more, text)
                                                  : hd_format(view->arena, "?%s%s", more, text);
    }
    if (a->guard_count || a->conditional)
        text = hd_format(view->arena, "%s%sif", text, *text ? " " : "");
    return hd_text(text);
}
static const hd_member columns[] = {
    {NULL, "id", HD_AT(hd_access, id)},       {NULL, "line", HD_PLAIN_WORD, .get = line_of},
    {NULL, "kind", .get = kind_of},           {NULL, "what", .get = target_of},
    {NULL, "bytes", HD_AT(hd_access, width)}, {NULL, "loops", .get = loops_of},
    {NULL, "element index", .get = index_of}, {0}};

/* The first of its copies. */
static bool is_first(const hd_kernel_info *info, uint32_t access) {
    for (uint32_t i = 0; i < access; i++)
        if (are_one_row(info, &info->accesses[i], &info->accesses[access]))
            return false;
    return true;
}

static void add_kernel(cli *c, hd_str *out, const hd_kernel_info *info, bool all) {
    const kir_kernel *kernel = info->kernel;
    const hd_binding *b = &info->binding;
    const hd_access **shown = hd_new_array(c->arena, const hd_access *, info->access_count);
    uint32_t count = 0;
    uint32_t private = 0;
    for (uint32_t i = 0; i < info->access_count; i++) {
        if (!is_first(info, i))
            continue;
        if (info->accesses[i].space != KIR_PRIVATE || all)
            shown[count++] = &info->accesses[i];
        else
        private++;
    }
    hd_str_printf(out, "%s%s", out->length ? "\n" : "", kernel->name);
    if (kernel->place.file)
        hd_str_printf(out, " (%s:%u)", cli_shown(c, kernel->place.file), kernel->place.line);
    hd_str_printf(out, ": global %s, local %s, about %u registers\n",
                  hd_show_sizes(c->arena, b->dims, b->global),
                  hd_show_sizes(c->arena, b->dims, b->local),
                  hd_kernel_registers(kernel, info->flow, NULL));
    cli_show_rows(c, NULL, columns, hd_with(hd_pointed_rows(shown, count), info), out);
    if (private)
        hd_str_printf(out, "  and %u to private memory; --all lists them\n", private);
}

/* ---- the command ------------------------------------------------------------------------ */

/* What was listed so far, in the form that will be printed. */
typedef struct listing {
    bool all;
    hd_str text;
    hd_vec(hd_kernel_info) kernels;
    const kir_left_out *left_out;
    uint32_t left_out_count;
} listing;

static const hd_member listing_members[] = {
    {"kernels", HD_MANY(listing, kernels.data, kernels.count), .of = hd_kernel_members},
    {"left_out", HD_MANY(listing, left_out, left_out_count), .of = hd_left_out_members},
    {0}};

/* Every kernel once, under its first launch. */
static void list_job(cli *c, listing *l, const hd_job *job) {
    for (uint32_t i = 0; i < job->launch_count; i++) {
        const hd_launch *launch = &job->launches[i];
        uint32_t first = 0;
        while (job->launches[first].kernel != launch->kernel)
            first++;
        if (first < i)
            continue;
        hd_binding binding = hd_job_binding(c->arena, job, launch);
        const hd_kernel_info *info =
            hd_kernel_analyse(c->arena, job->module, launch->kernel, &binding);
        hd_push(c->arena, &l->kernels, *info);
        add_kernel(c, &l->text, info, l->all);
    }
}

/* A kernel of several that no job can be made for is told in a warning, and the others go on. */
typedef struct milder {
    cli *c;
    const char *kernel;
} milder;

static void warn_instead(const hd_message *message, void *user) {
    const milder *m = user;
    if (message->severity == HD_ERROR)
        hd_warn(&m->c->diag, &message->place, "%s is left out: %s", m->kernel, message->text);
    else
        m->c->diag.fn(message, m->c->diag.user);
}

/* Of a kernel file every kernel is listed, unless one was named. Accesses need no choice between a
 * kernel's records: any of them will do. */
static hd_status list_file(cli *c, listing *l, const char *path, const cli_source *source,
                           const kir_module *module) {
    cli_source one = *source;
    hd_job *job;
    uint32_t count = source->entry || !module->kernel_count ? 1 : module->kernel_count;
    for (uint32_t i = 0; i < count; i++) {
        if (!source->entry && module->kernel_count)
            one.entry = module->kernels[i]->name;
        const kir_kernel *kernel = one.entry ? kir_find_kernel(module, one.entry) : NULL;
        one.record = source->record;
        for (uint32_t p = 0; !one.record && kernel && p < kernel->param_count; p++)
            if (kernel->params[p].record && !kernel->params[p].by_value_struct)
                one.record = kernel->params[p].record->name;
        milder m = {c, one.entry};
        cli mild = *c;
        if (count > 1)
            mild.diag = (hd_diag){warn_instead, &m};
        hd_status status = cli_job_of_kernel(&mild, path, &one, module, &job);
        if (status && (count == 1 || (status != HD_EINPUT && status != HD_EUNSUPPORTED)))
            return status;
        if (!status)
            list_job(c, l, job);
    }
    return HD_OK;
}

int cmd_advise_accesses(cli *c) {
    const char *path = c->given->input.path;
    const cli_source *source = &c->given->input.source;
    listing l = {.all = c->given->all, .text.arena = c->arena};
    hd_job *job;
    kir_module *module;
    if (cli_load_module(c, path, source, &job, &module) ||
        (job ? hd_job_resolve(c->arena, &c->diag, job, module)
             : list_file(c, &l, path, source, module)))
        return CLI_WRONG;
    if (job)
        list_job(c, &l, job);
    l.left_out = module->left_out;
    l.left_out_count = module->left_out_count;
    return c->json ? cli_print_row(c, listing_members, hd_row(&l)) : cli_print(c, &l.text);
}
