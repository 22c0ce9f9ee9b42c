/*
 * Launches that run both ways, the first ones of each kernel: what both forms take, and whether both
 * leave the same. And what came of a program whose kernels were exchanged.
 */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "opencl/apply.h"
#include "recording/recording.h"

enum { TRIALS = 3 };
static const double long_launch = 0.5; /* seconds: one trial tells enough */

/* ---- comparing -------------------------------------------------------------------------------------- */

/* What one form has left where the other left the other. */
typedef struct compared {
    bool differs;      /* in something that is no number with a point, or by more than rounding */
    double difference; /* the largest relative one */
} compared;

static void compare_reals(compared *c, double a, double b, double enough) {
    if (a == b || (isnan(a) && isnan(b)))
        return;
    const double most = fmax(fabs(a), fabs(b)), by = fabs(a - b) / most;
    c->differs |= !(by <= enough) && !(fabs(a - b) < 1e-30);
    c->difference = fmax(c->difference, isfinite(by) ? by : INFINITY);
}

/* Sums are in another order, or fused, where a driver compiles another text. */
static void compare(compared *c, const char *type, const uint8_t *a, const uint8_t *b,
                    size_t bytes) {
    static const double enough = 1e-4, enough_double = 1e-9;
    if (!memcmp(a, b, bytes))
        return;
    if (type && !strncmp(type, "float", 5) && bytes % sizeof(float) == 0) {
        for (size_t at = 0; at < bytes; at += sizeof(float)) {
            float x, y;
            memcpy(&x, a + at, sizeof x);
            memcpy(&y, b + at, sizeof y);
            compare_reals(c, (double)x, (double)y, enough);
        }
    } else if (type && !strncmp(type, "double", 6) && bytes % sizeof(double) == 0) {
        for (size_t at = 0; at < bytes; at += sizeof(double)) {
            double x, y;
            memcpy(&x, a + at, sizeof x);
            memcpy(&y, b + at, sizeof y);
            compare_reals(c, x, y, enough_double);
        }
    } else {
        c->differs = true;
    }
}

/* Bytes between fields are not compared: assignments of structs may or may not copy them. */
static void compare_records(compared *c, const layer_layout *layout, const uint8_t *a,
                            const uint8_t *b, size_t bytes) {
    const size_t size = layout->fields.size;
    for (size_t at = 0; at + size <= bytes; at += size)
        for (uint32_t f = 0; memcmp(a + at, b + at, size) && f < layout->fields.field_count; f++) {
            const hd_remap_field *field = &layout->fields.fields[f];
            compare(c, layout->types[f], a + at + field->offset, b + at + field->offset,
                    field->size);
        }
}

/* ---- memory that is kept ------------------------------------------------------------------------------ */

/* A buffer that the kernel writes: what it was, and what the program's form has left. */
typedef struct kept {
    const layer_buffer *buffer;
    layer_layout *layout;
    const char *type;
    cl_mem before;
    uint8_t *left;
} kept;

typedef struct trial {
    layer *l;
    const layer_launch *launch;
    layer_exchanged *x;
    kept *kept;
    size_t count;
    double seconds[2];
} trial;

static const char *type_of(const layer *l, cl_kernel kernel, cl_uint index) {
    char type[256] = "";
    return l->target->clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_TYPE_NAME, sizeof type, type,
                                         NULL)
               ? NULL
               : hd_strdup(l->arena, type);
}

static cl_int copy(const layer *l, cl_command_queue queue, cl_mem from, cl_mem to, size_t bytes) {
    cl_int error = l->target->clEnqueueCopyBuffer(queue, from, to, 0, 0, bytes, 0, NULL, NULL);
    return error ? error : l->target->clFinish(queue);
}

static bool is_only_read(const layer *l, cl_kernel kernel, cl_uint index) {
    cl_kernel_arg_access_qualifier how;
    return !l->target->clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof how,
                                          &how, NULL) &&
           how == CL_KERNEL_ARG_ACCESS_READ_ONLY;
}

/* False: there is no memory for it, or the kernel may write something else. */
static bool keep(trial *t) {
    layer *l = t->l;
    const layer_kernel *k = t->launch->kernel;
    bool fine = true;
    for (cl_uint i = 0; i < t->x->param_count && fine; i++) {
        const layer_arg_kind kind = layer_arg_kind_of(l, t->launch->handle, i, &k->args.data[i]);
        fine = kind != LAYER_ARG_UNKNOWN &&
               (kind != LAYER_ARG_IMAGE || is_only_read(l, t->launch->handle, i));
        if (kind != LAYER_ARG_BUFFER)
            continue;
        const layer_buffer *b = layer_arg_buffer(l, &k->args.data[i]);
        bool is_new = layer_arg_is_written(l, t->launch->handle, i);
        fine = !layer_views_settle(l, b->whole, 0, b->whole->bytes, LAYER_READ, NULL);
        for (size_t o = 0; o < t->count && is_new; o++)
            is_new = t->kept[o].buffer->whole != b->whole;
        if (!is_new || !fine)
            continue;
        kept *m = &t->kept[t->count++];
        cl_int error;
        *m = (kept){.buffer = b, .layout = t->x->laid[i]};
        m->type = type_of(l, t->launch->handle, i);
        m->before = l->target->clCreateBuffer(b->whole->context, CL_MEM_READ_WRITE, b->whole->bytes,
                                              NULL, &error);
        fine =
            m->before && !copy(l, t->launch->queue, b->whole->memory, m->before, b->whole->bytes);
    }
    return fine;
}

static bool restore(const trial *t) {
    bool fine = true;
    for (size_t i = 0; i < t->count; i++) {
        layer_whole *w = t->kept[i].buffer->whole;
        layer_views_forget(w);
        fine &= !copy(t->l, t->launch->queue, t->kept[i].before, w->memory, w->bytes);
    }
    return fine;
}

static uint8_t *read_memory(const trial *t, const layer_whole *w) {
    uint8_t *bytes = malloc(w->bytes);
    if (!bytes || !layer_move(t->l->target, t->launch->queue, w, bytes, false))
        return bytes;
    free(bytes);
    return NULL;
}

static void drop(trial *t) {
    for (size_t i = 0; i < t->count; i++) {
        if (t->kept[i].before)
            t->l->target->clReleaseMemObject(t->kept[i].before);
        free(t->kept[i].left);
    }
    free(t->kept);
}

/* ---- a trial -------------------------------------------------------------------------------------------- */

/* The least of a form's runs. */
static void took(trial *t, int form, double seconds) {
    if (!(t->seconds[form] > 0) || seconds < t->seconds[form])
        t->seconds[form] = seconds;
}

static cl_int run_own(trial *t) {
    layer_launch alone = *t->launch;
    alone.wait_count = 0;
    alone.wait = NULL;
    alone.event = NULL;
    const double start = hd_clock();
    cl_int error = layer_enqueue(t->l, &alone, alone.handle);
    if (!error)
        error = t->l->target->clFinish(alone.queue);
    took(t, 0, hd_clock() - start);
    return error;
}

/* Of the last run the program has the event. */
static cl_int run_other(trial *t, bool is_last, bool *done) {
    layer_launch alone = *t->launch;
    alone.wait_count = 0;
    alone.wait = NULL;
    if (!is_last)
        alone.event = NULL;
    const double converting = t->l->apply->converting, start = hd_clock();
    cl_int error = layer_launch_exchanged(t->l, &alone, t->x, done);
    if (!error && *done)
        error = t->l->target->clFinish(alone.queue);
    took(t, 1, hd_clock() - start - (t->l->apply->converting - converting));
    return error;
}

static void compare_all(trial *t) {
    layer *l = t->l;
    compared c = {0};
    for (size_t i = 0; i < t->count; i++) {
        kept *m = &t->kept[i];
        layer_whole *w = m->buffer->whole;
        uint8_t *now =
            layer_views_settle(l, w, 0, w->bytes, LAYER_READ, NULL) ? NULL : read_memory(t, w);
        if (!now || !m->left)
            c.differs = true;
        else if (m->layout && w->bytes % m->layout->fields.size == 0 && !m->buffer->offset)
            compare_records(&c, m->layout, m->left, now, w->bytes);
        else
            compare(&c, m->type, m->left, now, w->bytes);
        t->x->compared += w->bytes;
        free(now);
    }
    t->x->difference = fmax(t->x->difference, c.difference);
    t->x->differs |= c.differs;
    if (c.differs)
        t->x->why = "it has left something else than the program's kernel";
}

cl_int layer_launch_tried(layer *l, const layer_launch *launch, layer_exchanged *x, bool *done) {
    layer_apply *a = l->apply;
    trial t = {l, launch, x, hd_zeroed(x->param_count + 1, sizeof(kept)), 0, {0}};
    const bool is_first = !x->trials++;
    cl_int error = CL_SUCCESS;
    *done = false;
    layer_finish_all(l, launch->kernel->program->context);
    if (launch->wait_count)
        error = l->target->clWaitForEvents(launch->wait_count, launch->wait);
    a->in_trial = true;
    bool fine = !error && keep(&t);
    const bool runs = fine;
    if (fine && is_first) /* drivers compile then */
        fine = !run_own(&t) && restore(&t);
    if (fine)
        fine = !run_own(&t);
    for (size_t i = 0; i < t.count && fine && a->verifies; i++)
        t.kept[i].left = read_memory(&t, t.kept[i].buffer->whole);
    if (runs && !restore(&t))
        error = CL_OUT_OF_RESOURCES;
    /* Of a race the first launch is timed, too: the new form runs twice, first for its driver. */
    const bool is_raced = fine && !error && is_first && !a->layouts && !x->exchanged;
    if (is_raced) {
        error = run_other(&t, false, done);
        x->exchanged -= !error && *done;
        if (!error && *done && !restore(&t))
            error = CL_OUT_OF_RESOURCES;
    }
    a->in_trial = is_raced;
    if (!error)
        error = run_other(&t, true, done);
    a->in_trial = true;
    if (fine && !error && *done && (is_raced || x->exchanged > 1)) {
        x->seconds[0] += t.seconds[0];
        x->seconds[1] += t.seconds[1];
        x->timed++;
    }
    if (fine && !error && *done && a->verifies)
        compare_all(&t);
    a->in_trial = false;
    drop(&t);
    return error;
}

cl_int layer_launch_in_layout(layer *l, layer_launch *launch, bool tries) {
    layer_exchanged *x = layer_exchanged_of(l, launch->handle, launch->kernel);
    bool done = false;
    cl_int error = CL_SUCCESS;
    if (x) {
        tries &= !x->why && !x->prints && !l->open_events;
        x->launches++;
        error = tries ? layer_launch_tried(l, launch, x, &done)
                      : layer_launch_exchanged(l, launch, x, &done);
    }
    return done || error ? error : layer_launch_as_is(l, launch);
}

cl_int layer_launch_applied(layer *l, layer_launch *launch) {
    layer_apply *a = l->apply;
    layer_kernel *k = launch->kernel;
    if (!k->program)
        layer_refuse(a, "it is not made of source in one step");
    if (a->off || !k->program)
        return layer_launch_as_is(l, launch);
    if (!a->layouts)
        return layer_launch_racing(l, launch);
    if (!k->program->exchange)
        layer_exchange_new(l, k->program, a->layouts, NULL);
    const layer_exchanged *x = layer_exchanged_of(l, launch->handle, k);
    const uint64_t first = a->verifies ? 0 : 1;
    const bool is_long = x && x->timed && x->seconds[0] / x->timed > long_launch;
    return layer_launch_in_layout(
        l, launch, x && x->launches >= first && x->launches < first + TRIALS && !is_long);
}

/* ---- what came of it ------------------------------------------------------------------------------------ */

static json_t *reasons_value(const layer_exchanged *x) {
    json_t *list = json_array();
    for (size_t i = 0; i < x->reasons.count; i++)
        json_array_append_new(list, json_pack("{s:s, s:I}", "why", x->reasons.data[i].why,
                                              "launches", (json_int_t)x->reasons.data[i].launches));
    return list;
}

static json_t *kernels_value(const layer_apply *a) {
    json_t *list = json_array();
    for (size_t i = 0; i < a->kernels.count; i++) {
        const layer_exchanged *x = a->kernels.data[i];
        const double timed = x->timed ? x->timed : 1;
        json_array_append_new(
            list,
            json_pack("{s:s, s:I, s:I, s:I, s:f, s:f, s:b, s:f, s:I, s:o}", "kernel", x->name,
                      "launches", (json_int_t)x->launches, "exchanged", (json_int_t)x->exchanged,
                      "timed", (json_int_t)x->timed, "before", x->seconds[0] / timed, "after",
                      x->seconds[1] / timed, "differs", x->differs, "difference", x->difference,
                      "compared", (json_int_t)x->compared, "left_out", reasons_value(x)));
    }
    return list;
}

static json_t *layouts_value(const layer_apply *a) {
    json_t *list = json_array();
    for (size_t i = 0; i < a->all.count; i++) {
        const layer_layout *y = a->all.data[i];
        json_array_append_new(list, json_pack("{s:s, s:s, s:I, s:I, s:I, s:f}", "record", y->record,
                                              "layout", y->notation, "to", (json_int_t)y->to,
                                              "back", (json_int_t)y->back, "bytes",
                                              (json_int_t)y->bytes, "seconds", y->seconds));
    }
    return list;
}

static json_t *refused_value(const layer_apply *a) {
    json_t *list = json_array();
    for (size_t i = 0; i < a->refused.count; i++)
        json_array_append_new(list, json_string(a->refused.data[i]));
    return list;
}

static void keep_message(const hd_message *message, void *user) {
    layer_apply *a = user;
    if (message->severity == HD_ERROR)
        a->message = hd_strdup(a->arena, message->text);
}

/* "verify particle=soa"; NULL: races decide. */
layer_apply *layer_apply_new(layer *l, const char *words) {
    static const char verify[] = "verify ";
    const char *results = getenv("HEDDLE_LAYER_RESULTS");
    layer_apply *a = hd_new(l->arena, layer_apply);
    a->arena = l->arena;
    a->verifies = words && !strncmp(words, verify, strlen(verify));
    if (words)
        a->layouts = hd_strdup(l->arena, a->verifies ? words + strlen(verify) : words);
    a->results = results && *results ? hd_strdup(l->arena, results) : NULL;
    a->pid = getpid();
    a->diag = (hd_diag){keep_message, a};
    return a;
}

void layer_apply_off(layer *l, const char *why) {
    layer_apply *a = l->apply;
    if (a->off)
        return;
    layer_views_return(l);
    a->off = why;
    layer_say(hd_format(a->arena, "from here on all runs as before: %s", why));
}

/* What the user reads where nobody takes the results. */
static void say_outcome(const layer_apply *a) {
    for (size_t i = 0; i < a->all.count; i++) {
        const layer_layout *y = a->all.data[i];
        layer_say(hd_format(a->arena, "%s as %s: converted %llu times and back %llu times, %.3g s",
                            y->record, y->notation, (unsigned long long)y->to,
                            (unsigned long long)y->back, y->seconds));
    }
    for (size_t i = 0; i < a->kernels.count; i++) {
        const layer_exchanged *x = a->kernels.data[i];
        const char *times = x->timed ? hd_format(a->arena, ", %.3g s each instead of %.3g s",
                                                 x->seconds[1] / x->timed, x->seconds[0] / x->timed)
                                     : "";
        layer_say(hd_format(a->arena, "%s: %llu of %llu launches exchanged%s", x->name,
                            (unsigned long long)x->exchanged, (unsigned long long)x->launches,
                            times));
    }
    for (size_t i = 0; i < a->refused.count; i++)
        layer_say(hd_format(a->arena, "kernels run as before: %s", a->refused.data[i]));
}

void layer_apply_end(layer *l) {
    const layer_apply *a = l->apply;
    if (getpid() != a->pid)
        return;
    if (!a->results) {
        say_outcome(a);
        return;
    }
    json_t *all = json_pack("{s:s*, s:o, s:o, s:o, s:o}", "off", a->off, "layouts",
                            layouts_value(a), "kernels", kernels_value(a), "refused",
                            refused_value(a), "races", layer_races_value(a));
    hd_write_program_results(a->arena, all, a->results, "layouts");
}
