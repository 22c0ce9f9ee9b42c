/*
 * After a rewriting in place the job that named the kernels no longer fits them: what it must say
 * instead. Its buffers of the records become allocations, whose contents only a file can hold, and
 * its launches give them and the number of elements.
 */
#include "cli/cli.h"

enum { SHOWN = 20 };

const hd_placed_job *cli_job_after(cli *c, const hd_job *job, const hd_record_layout *layouts,
                                   uint32_t layout_count) {
    kir_module *module;
    hd_placed_job *after;
    bool known =
        job->path && !hd_frontend(c->arena, &hd_silent, job->kernel_path, job->options, &module) &&
        !hd_job_in_layout(c->arena, &hd_silent, job, layouts, layout_count, NULL, module, &after);
    return known ? after : NULL;
}

/* The buffer of the original that an allocation was made for, the first of several; NULL: none
 * was, and the buffer stays. */
static const hd_buffer *origin(const hd_placed_job *after, uint32_t buffer) {
    for (uint32_t b = 0; b < after->original->buffer_count; b++) {
        const hd_placed_buffer *at = &after->buffers[b];
        if (at->map && buffer >= at->first && buffer < at->first + at->count)
            return &after->original->buffers[b];
    }
    return NULL;
}

static bool changes(const hd_placed_job *after, const hd_launch *launch) {
    for (uint32_t a = 0; a < launch->arg_count; a++)
        if (launch->args[a].kind == HD_ARG_BUFFER && origin(after, launch->args[a].buffer))
            return true;
    return false;
}

static const char *arg_name(const hd_launch *launch, const hd_arg *arg) {
    return arg->param < launch->kernel->param_count ? launch->kernel->params[arg->param].name
                                                    : arg->name;
}

const char *cli_yaml_name(cli *c, const char *name) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    hd_str text = {.arena = c->arena};
    if (*name && !name[strspn(name, plain)])
        return name;
    hd_str_add(&text, "'");
    for (; *name; name++)
        hd_str_addn(&text, *name == '\'' ? "''" : name, *name == '\'' ? 2 : 1);
    hd_str_add(&text, "'");
    return hd_str_text(&text);
}

static const char *launch_text(cli *c, const hd_launch *launch) {
    hd_str text = {.arena = c->arena};
    hd_str_printf(&text, "kernel: %s, args: [", cli_yaml_name(c, launch->kernel_name));
    for (uint32_t a = 0; a < launch->arg_count; a++) {
        const hd_arg *arg = &launch->args[a];
        hd_str_printf(&text, "%s{name: %s, ", a ? ", " : "",
                      cli_yaml_name(c, arg_name(launch, arg)));
        if (arg->kind == HD_ARG_BUFFER && arg->offset)
            hd_str_printf(&text, "buffer: %s, offset: %llu}", cli_yaml_name(c, arg->buffer_name),
                          (unsigned long long)arg->offset);
        else if (arg->kind == HD_ARG_BUFFER)
            hd_str_printf(&text, "buffer: %s}", cli_yaml_name(c, arg->buffer_name));
        else if (arg->kind == HD_ARG_VALUE)
            hd_str_printf(&text, strchr(arg->value_text, ',') ? "value: [%s]}" : "value: %s}",
                          arg->value_text);
        else
            hd_str_printf(&text, "local: %llu}", (unsigned long long)arg->local_bytes);
    }
    hd_str_add(&text, "]");
    return hd_str_text(&text);
}

void cli_show_job_after(cli *c, const hd_placed_job *after, const char *header, hd_str *out) {
    hd_str_printf(out,
                  "%s no longer fits these kernels. Its buffers of these records become\n"
                  "  buffers:\n",
                  after->original->path);
    for (uint32_t b = 0; b < after->job->buffer_count; b++) {
        const hd_buffer *to = &after->job->buffers[b], *from = origin(after, b);
        if (from)
            hd_str_printf(out, "    - {name: %s, type: uchar, count: %llu}  # for %s, %llu of %s\n",
                          cli_yaml_name(c, to->name), (unsigned long long)to->count, from->name,
                          (unsigned long long)from->count, from->type);
    }
    hd_str_add(out, "and its launches give them in this order, their sizes as before:\n"
                    "  launches:\n");
    const char *last = ""; /* launches often differ in nothing but their sizes */
    uint32_t shown = 0;
    for (uint32_t l = 0; l < after->job->launch_count; l++) {
        const hd_launch *launch = &after->job->launches[l];
        const char *text = changes(after, launch) ? launch_text(c, launch) : last;
        if (strcmp(text, last) != 0 && shown++ < SHOWN)
            hd_str_printf(out, "    - {%s}\n", text);
        last = text;
    }
    if (shown > SHOWN)
        hd_str_printf(out, "    # and %u more\n", shown - SHOWN);
    hd_str_printf(
        out,
        "'record', 'split' and 'arrays' go, and what 'indices' says of these buffers. What 'init' "
        "or 'file' put into them must come from a 'file' in the new layout, which the converters "
        "of %s make.\n",
        header);
}

/* ---- JSON -------------------------------------------------------------------------------- */

/* A buffer of the new job, and that which it is for; a launch; an argument of it. */
typedef struct buffer_row {
    const char *name, *type;
    uint64_t count;
    const char *origin;
} buffer_row;

typedef struct launch_row {
    uint32_t number;
    const hd_launch *launch;
} launch_row;

static hd_value buffers_of(const hd_view *view, const void *at) {
    const hd_placed_job *after = at;
    hd_vec(buffer_row) rows = {0};
    for (uint32_t b = 0; b < after->job->buffer_count; b++) {
        const hd_buffer *to = &after->job->buffers[b], *from = origin(after, b);
        if (from)
            hd_push(view->arena, &rows, (buffer_row){to->name, "uchar", to->count, from->name});
    }
    return hd_rows(rows.data, rows.count);
}

static hd_value launches_of(const hd_view *view, const void *at) {
    const hd_placed_job *after = at;
    hd_vec(launch_row) rows = {0};
    for (uint32_t l = 0; l < after->job->launch_count; l++)
        if (changes(after, &after->job->launches[l]))
            hd_push(view->arena, &rows, (launch_row){l, &after->job->launches[l]});
    return hd_rows(rows.data, rows.count);
}

HD_GETTER(arg_name_of, hd_arg, hd_text(arg_name(((const launch_row *)view->parent)->launch, row)))
HD_GETTER(arg_buffer, hd_arg, row->kind == HD_ARG_BUFFER ? hd_text(row->buffer_name) : hd_absent())
HD_GETTER(arg_value, hd_arg, row->kind == HD_ARG_VALUE ? hd_text(row->value_text) : hd_absent())
HD_GETTER(arg_local, hd_arg,
          row->kind == HD_ARG_BUFFER || row->kind == HD_ARG_VALUE ? hd_absent()
                                                                  : hd_whole(row->local_bytes))

static const hd_member arg_members[] = {
    {"name", .get = arg_name_of},
    {"buffer", .get = arg_buffer},
    {"offset", HD_AT(hd_arg, offset), HD_IF(hd_arg, offset), .optional = true},
    {"value", .get = arg_value},
    {"local", .get = arg_local},
    {0}};
static const hd_member buffer_members[] = {
    HD_SAME(buffer_row, name, type, count), {"for", HD_AT(buffer_row, origin)}, {0}};
static const hd_member launch_members[] = {
    {"launch", HD_AT(launch_row, number)},
    {"kernel", HD_VIA(launch_row, launch, HD_AT, kernel_name)},
    {"args", HD_VIA(launch_row, launch, HD_MANY, args, arg_count), .of = arg_members},
    {0}};
const hd_member cli_job_after_members[] = {{"file", HD_VIA(hd_placed_job, original, HD_AT, path)},
                                           {"buffers", .get = buffers_of, .of = buffer_members},
                                           {"launches", .get = launches_of, .of = launch_members},
                                           {0}};
