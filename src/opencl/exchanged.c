/*
 * Kernels in other layouts: `heddle apply` makes them of the program's text, as a process of its own
 * beside this one, whose driver may have another LLVM than Heddle has.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "opencl/apply.h"
#include "watch/heddle_child.h"

/* A parameter that has become the allocations of a layout and a count. */
typedef struct laid_param {
    const char *kernel;
    uint32_t param;
    layer_layout *layout;
} laid_param;

/* What has come of a program's text. */
struct layer_exchange {
    const char *layouts; /* in words */
    const char *why;     /* it is not exchanged; "": it has nothing that could be */
    cl_program program;  /* else the other one */
    hd_vec(laid_param) params;
    json_t *made; /* what heddle apply printed, and the text */
};

/* ---- layouts ---------------------------------------------------------------------------------------- */

static const char *text_of(hd_arena *arena, const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));
    return text ? hd_strdup(arena, text) : "";
}

static size_t size_of(const json_t *object, const char *key) {
    return (size_t)json_integer_value(json_object_get(object, key));
}

static void add_gap(hd_arena *arena, layer_layout *layout, size_t from, size_t to) {
    if (from < to)
        hd_push(arena, &layout->gaps, (layer_gap){from, to - from});
}

static layer_layout *read_layout(hd_arena *arena, const char *key, const json_t *o) {
    const json_t *record = json_object_get(o, "record"), *list = json_object_get(record, "fields");
    const json_t *layout = json_object_get(o, "layout");
    const size_t count = json_array_size(list);
    layer_layout *made = hd_new(arena, layer_layout);
    hd_remap_field *fields = hd_new_array(arena, hd_remap_field, count);
    size_t end = 0;
    made->types = hd_new_array(arena, const char *, count);
    for (size_t f = 0; f < count; f++) {
        const json_t *field = json_array_get(list, f);
        fields[f] = (hd_remap_field){text_of(arena, field, "name"), size_of(field, "offset"),
                                     size_of(field, "size"), size_of(field, "align")};
        made->types[f] = text_of(arena, field, "type");
        add_gap(arena, made, end, fields[f].offset);
        end = fields[f].offset + fields[f].size;
    }
    made->key = key;
    made->record = text_of(arena, record, "name");
    made->notation = text_of(arena, layout, "notation");
    made->fields = (hd_remap_record){made->record, size_of(record, "size"),
                                     size_of(record, "align"), fields, (uint32_t)count};
    add_gap(arena, made, end, made->fields.size);
    return made;
}

/* Programs that have a record alike share it. */
static layer_layout *layout_of(layer_apply *a, const json_t *o) {
    char *text = json_dumps(o, JSON_COMPACT | JSON_SORT_KEYS);
    layer_layout *found = NULL;
    for (size_t i = 0; text && i < a->all.count && !found; i++)
        if (!strcmp(a->all.data[i]->key, text))
            found = a->all.data[i];
    if (text && !found) {
        found = read_layout(a->arena, hd_strdup(a->arena, text), o);
        hd_push(a->arena, &a->all, found);
    }
    free(text);
    return found;
}

/* ---- programs -------------------------------------------------------------------------------------- */

/* The text may have a record that is asked for; headers may have anything. */
static bool may_have_records(hd_arena *arena, const char *text, const char *layouts) {
    uint32_t count;
    char **all = hd_split_words(arena, layouts, &count);
    bool may = strstr(text, "#include");
    for (uint32_t i = 0; i < count && !may; i++) {
        const char *equals = strchr(all[i], '=');
        may =
            strstr(text, equals ? hd_strndup(arena, all[i], (size_t)(equals - all[i])) : "struct");
    }
    return may;
}

/* "heddle apply FILE --layout L ... --out FOLDER", and what it prints. */
static json_t *ask(layer *l, const layer_program *p, const char *layouts, const char *folder,
                   const char **why) {
    layer_apply *a = l->apply;
    hd_vec(const char *) words = {0};
    const char *file = hd_format(a->arena, "%s/kernels.cl", folder);
    if (hd_write_file(&a->diag, file, p->text, strlen(p->text))) {
        *why = a->message;
        return NULL;
    }
    const char *const first[] = {"apply",  file,    "--no-verify",
                                 "--json", "--out", hd_format(a->arena, "%s/out", folder)};
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        hd_push(a->arena, &words, first[i]);
    if (*p->options)
        hd_push(a->arena, &words, hd_format(a->arena, "--options=%s", p->options));
    uint32_t count;
    char **all = hd_split_words(a->arena, layouts, &count);
    for (uint32_t i = 0; i < count; i++) {
        hd_push(a->arena, &words, "--layout");
        hd_push(a->arena, &words, all[i]);
    }
    hd_push(a->arena, &words, NULL);
    hd_child_printed printed;
    *why = hd_child_run(a->arena, words.data, folder, &printed);
    json_t *made = json_loads(printed.out, 0, NULL);
    if (!made && !*why)
        *why = hd_child_error(a->arena, &printed, folder);
    const char *kernels = json_string_value(json_object_get(made, "kernel"));
    char *written;
    size_t length;
    if (kernels && !hd_read_file(a->arena, &a->diag, kernels, &written, &length))
        json_object_set_new(made, "text", json_string(written));
    return made;
}

static const char *build_log(const layer *l, cl_program program, const layer_program *p) {
    cl_device_id device = p->devices.count ? p->devices.data[0] : NULL;
    size_t bytes = 0;
    if (!device &&
        l->target->clGetContextInfo(p->context, CL_CONTEXT_DEVICES, sizeof device, &device,
                                    &bytes) &&
        !device)
        return "";
    if (l->target->clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes))
        return "";
    char *log = hd_alloc(l->arena, bytes + 1);
    l->target->clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, bytes, log, NULL);
    return log;
}

/* Builds the other program for the devices that the program's own was built for. */
static const char *build(layer *l, const layer_program *p, layer_exchange *x, const json_t *made,
                         const char *folder) {
    layer_apply *a = l->apply;
    const char *options = json_string_value(json_object_get(made, "options"));
    const char *text = json_string_value(json_object_get(made, "text"));
    cl_int error;
    if (!text)
        return a->message ? a->message : "heddle apply wrote no kernels";
    x->program = l->target->clCreateProgramWithSource(p->context, 1, &text, NULL, &error);
    if (!x->program)
        return "the driver takes no other program";
    /* Folders that are made anew each time would keep drivers from knowing the text again. */
    const char *all = strstr(text, "#include")
                          ? hd_format(a->arena, "-I %s/out %s", folder, options ? options : "")
                          : p->options;
    error = l->target->clBuildProgram(x->program, (cl_uint)p->devices.count, p->devices.data, all,
                                      NULL, NULL);
    if (!error)
        return NULL;
    const char *log = build_log(l, x->program, p);
    l->target->clReleaseProgram(x->program);
    return hd_format(a->arena, "the driver does not build the new kernels: %.*s",
                     (int)strcspn(log, "\n"), log);
}

/* `made`: what it came to before; NULL: the text is to be made. */
static const char *exchange(layer *l, const layer_program *p, layer_exchange *x, json_t *made) {
    layer_apply *a = l->apply;
    const char *why = NULL;
    char *folder;
    if (!may_have_records(a->arena, p->text, x->layouts))
        return "";
    if (hd_scratch_make(a->arena, &a->diag, &folder))
        return a->message;
    made = made ? json_incref(made) : ask(l, p, x->layouts, folder, &why);
    if (made && json_array_size(json_object_get(made, "variables")))
        why = hd_format(
            a->arena, "kernels share the variable '%s'",
            text_of(a->arena, json_array_get(json_object_get(made, "variables"), 0), "name"));
    else if (made)
        why = build(l, p, x, made, folder);
    const json_t *layouts = json_object_get(made, "layouts");
    size_t i;
    const json_t *o;
    json_array_foreach(json_object_get(made, "params"), i, o)
        hd_push(a->arena, &x->params,
                (laid_param){text_of(a->arena, o, "kernel"), (uint32_t)size_of(o, "param"),
                             layout_of(a, json_array_get(layouts, size_of(o, "layout")))});
    x->made = made;
    hd_scratch_remove(folder);
    return why;
}

void layer_refuse(layer_apply *a, const char *why) {
    for (size_t i = 0; i < a->refused.count; i++)
        if (!strcmp(a->refused.data[i], why))
            return;
    hd_push(a->arena, &a->refused, why);
}

layer_exchange *layer_exchange_new(layer *l, layer_program *p, const char *layouts, json_t *made) {
    layer_apply *a = l->apply;
    layer_exchange *x = hd_new(a->arena, layer_exchange);
    x->layouts = layouts;
    x->why = exchange(l, p, x, made);
    if (x->why && *x->why)
        layer_refuse(a, x->why);
    return p->exchange = x;
}

double layer_exchange_again(layer *l, const layer_program *p, const layer_exchange *x) {
    layer_exchange again = {0};
    const double start = hd_clock();
    char *folder;
    if (hd_scratch_make(l->arena, &l->apply->diag, &folder))
        return 0;
    const char *why = build(l, p, &again, x->made, folder);
    const double seconds = hd_clock() - start;
    hd_scratch_remove(folder);
    if (!why)
        l->target->clReleaseProgram(again.program);
    return seconds;
}

const char *layer_exchange_layouts(const layer_exchange *x) { return x->layouts; }

json_t *layer_exchange_made(const layer_exchange *x) { return x->why ? NULL : x->made; }

/* ---- kernels ---------------------------------------------------------------------------------------- */

/* What was made for the name before: programs make kernels anew for each launch. */
static layer_exchanged *made_before(const layer_apply *a, const layer_kernel *k) {
    for (size_t i = 0; i < a->kernels.count; i++)
        if (a->kernels.data[i]->of == k->program->exchange &&
            !strcmp(a->kernels.data[i]->name, k->name))
            return a->kernels.data[i];
    return NULL;
}

static layer_exchanged *make(layer *l, cl_kernel handle, const layer_kernel *k) {
    layer_apply *a = l->apply;
    const layer_exchange *x = k->program->exchange;
    cl_uint count = 0;
    cl_int error;
    bool has_any = false;
    if (x->why ||
        l->target->clGetKernelInfo(handle, CL_KERNEL_NUM_ARGS, sizeof count, &count, NULL))
        return NULL;
    layer_exchanged *made = hd_new(a->arena, layer_exchanged);
    *made = (layer_exchanged){.name = k->name,
                              .of = x,
                              .param_count = count,
                              .prints = strstr(k->program->text, "printf") != NULL,
                              .laid = hd_new_array(a->arena, layer_layout *, count)};
    for (size_t p = 0; p < x->params.count; p++)
        if (!strcmp(x->params.data[p].kernel, k->name) && x->params.data[p].param < count) {
            made->laid[x->params.data[p].param] = x->params.data[p].layout;
            has_any = true;
        }
    if (has_any)
        made->kernel = l->target->clCreateKernel(x->program, k->name, &error);
    if (!made->kernel)
        return NULL;
    hd_push(a->arena, &a->kernels, made);
    return made;
}

layer_exchanged *layer_exchanged_of(layer *l, cl_kernel handle, layer_kernel *k) {
    if (k->is_fixed || !k->program || !k->program->exchange)
        return NULL;
    if (k->asked_of != k->program->exchange) {
        layer_exchanged *before = made_before(l->apply, k);
        k->exchanged = before ? before : make(l, handle, k);
        k->asked_of = k->program->exchange;
    }
    return k->exchanged;
}

/* ---- launches -------------------------------------------------------------------------------------- */

static const char *why_not(const layer *l, const layer_exchanged *x) {
    return l->open_events ? "an event of the program's own that it has not set yet" : x->why;
}

static void count_reason(layer_apply *a, layer_exchanged *x, const char *why) {
    size_t i = 0;
    while (i < x->reasons.count && strcmp(x->reasons.data[i].why, why) != 0)
        i++;
    if (i == x->reasons.count)
        hd_push(a->arena, &x->reasons, (layer_reason){why, 0});
    x->reasons.data[i].launches++;
}

/* The buffer and the view that stands for it, of a parameter; no buffer: it is none. */
typedef struct place {
    const layer_buffer *buffer;
    layer_layout *layout; /* NULL: as the program knows it */
    layer_view *view;
    bool is_written;
} place;

/* NULL, or why the buffer cannot be in another layout. */
static const char *refuse(const place *p) {
    const layer_whole *w = p->buffer->whole;
    return w->mapped                        ? "a buffer that the host has mapped"
           : w->is_shared                   ? "a buffer that an image shares"
           : w->flags & CL_MEM_USE_HOST_PTR ? "memory of the host's own (CL_MEM_USE_HOST_PTR)"
           : p->buffer->bytes < p->layout->fields.size ? "a buffer of less than one record"
                                                       : NULL;
}

/* Two parameters that see the same bytes in two forms, which one of them changes. */
static bool clash(const place *a, const place *b) {
    const layer_buffer *x = a->buffer, *y = b->buffer;
    return x->whole == y->whole && x->offset < y->offset + y->bytes &&
           y->offset < x->offset + x->bytes && (a->is_written || b->is_written) &&
           (a->layout || b->layout) &&
           (a->layout != b->layout || x->offset != y->offset || x->bytes != y->bytes);
}

static const char *find_places(const layer *l, const layer_launch *launch, const layer_exchanged *x,
                               place *places) {
    const layer_kernel *k = launch->kernel;
    const char *why = k->args.count < x->param_count ? "arguments that are not set" : NULL;
    for (cl_uint i = 0; i < x->param_count && !why; i++) {
        const layer_arg_kind kind = layer_arg_kind_of(l, launch->handle, i, &k->args.data[i]);
        place *p = &places[i];
        *p = (place){.layout = x->laid[i]};
        if (kind == LAYER_ARG_BUFFER) {
            p->buffer = layer_arg_buffer(l, &k->args.data[i]);
            p->is_written = layer_arg_is_written(l, launch->handle, i) &&
                            !(p->buffer->whole->flags & CL_MEM_READ_ONLY);
        }
        if (p->layout)
            why = p->buffer ? refuse(p) : "records in shared virtual memory, or none";
        for (cl_uint o = 0; o < i && !why && p->buffer; o++)
            if (places[o].buffer && clash(p, &places[o]))
                why = "two parameters with the same memory in two forms";
    }
    return why;
}

/* Brings what the launch needs into the forms in which it takes it. */
static cl_int bring(layer *l, const layer_launch *launch, const layer_exchanged *x, place *places,
                    const char **why) {
    cl_int error = CL_SUCCESS;
    for (cl_uint i = 0; i < x->param_count && !*why; i++) {
        place *p = &places[i];
        if (p->layout && !(p->view = layer_view_of(l, launch->queue, p->buffer, p->layout)))
            *why = "no memory for a buffer in another layout";
    }
    for (cl_uint i = 0; i < x->param_count && !*why && !error; i++)
        if (places[i].buffer && !places[i].layout)
            error = layer_use_buffer(l, places[i].buffer, 0, places[i].buffer->bytes,
                                     places[i].is_written ? LAYER_CHANGE : LAYER_READ);
    for (cl_uint i = 0; i < x->param_count && !*why && !error; i++)
        if (places[i].view)
            error = layer_view_fill(l, places[i].buffer->whole, places[i].view);
    return error;
}

static cl_int set_args(const layer *l, const layer_launch *launch, const layer_exchanged *x,
                       const place *places) {
    const layer_arg *args = launch->kernel->args.data;
    cl_int error = CL_SUCCESS;
    cl_uint at = 0;
    for (cl_uint i = 0; i < x->param_count && !error; i++) {
        const layer_view *v = places[i].view;
        if (!v) {
            error = l->target->clSetKernelArg(x->kernel, at++, args[i].bytes, args[i].value);
            continue;
        }
        for (uint32_t part = 0; part < hd_remap_parts(v->map) && !error; part++)
            error =
                l->target->clSetKernelArg(x->kernel, at++, sizeof(cl_mem), &v->parts[part].opencl);
        const cl_ulong count = v->room;
        if (!error)
            error = l->target->clSetKernelArg(x->kernel, at++, sizeof count, &count);
    }
    return error;
}

cl_int layer_launch_exchanged(layer *l, const layer_launch *launch, layer_exchanged *x,
                              bool *done) {
    place *places = hd_zeroed(x->param_count, sizeof *places);
    const char *why = why_not(l, x);
    cl_int error = CL_SUCCESS;
    if (!why)
        why = find_places(l, launch, x, places);
    if (!why)
        error = bring(l, launch, x, places, &why);
    *done = !why;
    if (!why && !error && (set_args(l, launch, x, places) || layer_enqueue(l, launch, x->kernel))) {
        /* The driver may take fewer threads in a block than for the program's kernel. */
        x->why = why = "the driver does not launch the new kernel";
        *done = false;
    }
    for (cl_uint i = 0; i < x->param_count && *done && !error; i++)
        if (places[i].view && places[i].is_written)
            layer_view_written(places[i].buffer->whole, places[i].view);
    x->exchanged += *done && !error;
    if (why)
        count_reason(l->apply, x, why);
    free(places);
    return error;
}
