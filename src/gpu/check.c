/*
 * All steps, one after the other (gpu.h).
 *
 * A step's limit is its share of the time that is left, by its weight among the steps that are to
 * come, so that what one does not need goes to the others. It is told to end a little earlier. When
 * a step was past its limit the device may be lost; that is asked with the first step once more,
 * and while the answer is bad, steps get a few seconds each.
 */
#include <ctype.h>
#include <stdlib.h>
#include <unistd.h>

#include "gpu/gpu.h"
#include "measure/database.h"
#include "report/json.h"

/* Seconds: for the device's first answer, which may load the driver; for one that has been lost;
 * and between the end of a step by itself and by force. */
static const double first_answer = 90, lost_limit = 10, least_limit = 2, margin = 3;

typedef struct checker {
    hd_arena *arena;
    const hd_diag *diag;
    const hd_gpu_options *options;
    hd_gpu_outcome *outcome;
    char *folder;
    double start;
    json_t *steps;
    bool is_lost;
} checker;

/* ---- which, and how long ---------------------------------------------------------- */

static bool is_wanted(const checker *c, const hd_gpu_step *step) {
    bool wanted = !c->options->only_count || step == hd_gpu_steps;
    for (uint32_t i = 0; i < c->options->only_count; i++)
        wanted = wanted || !strcmp(c->options->only[i], step->name);
    return wanted;
}

static double time_left(const checker *c) { return c->options->seconds - (hd_clock() - c->start); }

static double limit_of(const checker *c, const hd_gpu_step *step) {
    double weights = 0, left = time_left(c);
    for (const hd_gpu_step *later = step; later->name; later++)
        weights += is_wanted(c, later) ? later->weight : 0;
    double limit = left * step->weight / weights;
    if (step == hd_gpu_steps)
        return left < first_answer ? left : first_answer;
    return c->is_lost && limit > lost_limit ? lost_limit : limit;
}

/* ---- one step ---------------------------------------------------------------------------------
 */

static json_t *read_result(const checker *c, const char *path) {
    const hd_diag quiet = {0};
    char *text;
    size_t length;
    json_t *result = NULL;
    if (hd_read_file(c->arena, &quiet, path, &text, &length) == HD_OK)
        result = json_loads(text, 0, NULL);
    return json_is_object(result) ? result : (json_decref(result), json_object());
}

/* The last line that is not empty of what a step printed, for one that said nothing else. */
static const char *last_line(const checker *c, const char *path) {
    const hd_diag quiet = {0};
    char *text;
    size_t length;
    if (hd_read_file(c->arena, &quiet, path, &text, &length) != HD_OK)
        return "";
    while (length && isspace((unsigned char)text[length - 1]))
        text[--length] = '\0';
    const char *end = strrchr(text, '\n');
    return end ? end + 1 : text;
}

static const char *reason_of(const checker *c, hd_gpu_end end, int code, double limit,
                             const json_t *result, const char *log) {
    const char *error = hd_gpu_text(result, "error");
    switch (end) {
    case HD_GPU_EXITED: return *error ? error : last_line(c, log);
    case HD_GPU_CRASHED:
        return hd_format(c->arena, "it was ended by signal %d (%s)%s%s", code, strsignal(code),
                         *last_line(c, log) ? ": " : "", last_line(c, log));
    case HD_GPU_PAST_LIMIT:
        return hd_format(c->arena, "it was not at its end after %.0f s and was killed", limit);
    case HD_GPU_STUCK:
        return hd_format(c->arena,
                         "it was not at its end after %.0f s and could not be killed: the driver "
                         "holds it",
                         limit);
    case HD_GPU_STOPPED: return "the check was stopped by a signal";
    }
    return "";
}

/* "done", "cut" (it ended early and has a part), "not done", "failed". */
static const char *state_of(hd_gpu_end end, int code, const json_t *result) {
    if (end == HD_GPU_STOPPED)
        return "not done";
    if (end != HD_GPU_EXITED || code)
        return "failed";
    if (json_object_get(result, "not_done"))
        return "not done";
    return json_is_true(json_object_get(result, "cut")) ? "cut" : "done";
}

static json_t *add_step(const checker *c, const hd_gpu_step *step) {
    json_t *entry = json_object();
    json_object_set_new(entry, "name", hd_json_text(step->name));
    json_object_set_new(entry, "title", hd_json_text(step->title));
    json_array_append_new(c->steps, entry);
    return entry;
}

static void not_run(const checker *c, const hd_gpu_step *step, const char *why) {
    json_t *entry = add_step(c, step);
    json_object_set_new(entry, "state", json_string("not done"));
    json_object_set_new(entry, "reason", hd_json_text(why));
}

typedef struct ending {
    hd_gpu_end end;
    int code;
    double seconds;
    json_t *result;
    const char *log;
} ending;

static hd_status run_child(const checker *c, const hd_gpu_step *step, double limit, ending *e) {
    double start = hd_clock(), own = limit - margin > limit / 2 ? limit - margin : limit / 2;
    const char *path = hd_format(c->arena, "%s/%s.json", c->folder, step->name);
    e->log = hd_format(c->arena, "%s/%s.log", c->folder, step->name);
    const char *const words[] = {c->options->program,
                                 "gpu-check",
                                 "--run-step",
                                 step->name,
                                 c->folder,
                                 path,
                                 hd_format(c->arena, "%.3f", own),
                                 c->options->small ? "small" : "whole",
                                 NULL};
    const hd_gpu_child_options child = {.log = e->log, .seconds = limit, .stop = c->options->stop};
    unlink(path);
    e->code = 0;
    hd_status status = hd_gpu_child(c->diag, (char *const *)words, &child, &e->end, &e->code);
    e->seconds = hd_clock() - start;
    e->result = status == HD_OK ? read_result(c, path) : NULL;
    return status;
}

/* Whether the device still answers, after a step that had to be killed. */
static void look_for_device(checker *c) {
    ending e;
    double left = time_left(c);
    if (left < least_limit || run_child(c, hd_gpu_steps, left < 30 ? left : 30, &e) != HD_OK)
        return;
    c->is_lost = e.end != HD_GPU_EXITED || e.code;
    json_decref(e.result);
}

static hd_status run_step(checker *c, const hd_gpu_step *step) {
    double limit = limit_of(c, step);
    ending e;
    if (*c->options->stop) {
        not_run(c, step, "the check was stopped by a signal");
        return HD_OK;
    }
    if (limit < least_limit) {
        not_run(c, step, "there was no time left for it");
        return HD_OK;
    }
    if (c->options->progress)
        c->options->progress(c->options->user,
                             hd_format(c->arena, "%s: at most %.0f s of %.0f s that are left",
                                       step->name, limit, time_left(c)));
    hd_status status = run_child(c, step, limit, &e);
    if (status != HD_OK)
        return status;
    const char *state = state_of(e.end, e.code, e.result);
    bool failed = !strcmp(state, "failed");
    const char *not_done = hd_gpu_text(e.result, "not_done");
    json_t *entry = add_step(c, step);
    json_object_set_new(entry, "state", json_string(state));
    json_object_set_new(entry, "seconds", hd_json_number(e.seconds));
    json_object_set_new(entry, "limit", hd_json_number(limit));
    json_object_set_new(entry, "reason",
                        failed || e.end == HD_GPU_STOPPED
                            ? hd_json_text(reason_of(c, e.end, e.code, limit, e.result, e.log))
                            : hd_json_text(*not_done ? not_done : NULL));
    c->outcome->failed += failed;
    c->outcome->differs |= json_is_true(json_object_get(e.result, "differs"));
    json_object_set_new(entry, "result", e.result);
    if (failed && e.end != HD_GPU_EXITED && step != hd_gpu_steps)
        look_for_device(c);
    return HD_OK;
}

/* ---- the page --------------------------------------------------------------------- */

/* "nvidia-h100-80gb-hbm3" */
static const char *file_name(hd_arena *arena, const char *device) {
    hd_str name = {.arena = arena};
    for (const char *at = device; *at; at++) {
        char letter = (char)tolower((unsigned char)*at);
        bool plain = isalnum((unsigned char)letter);
        if (plain)
            hd_str_addn(&name, &letter, 1);
        else if (name.length && name.data[name.length - 1] != '-' && at[1])
            hd_str_add(&name, "-");
    }
    return name.length ? hd_str_text(&name) : "device";
}

static const char *page_path(hd_arena *arena, const char *path, const char *device) {
    const char *slash = strrchr(path, '/'), *mark = strstr(slash ? slash : path, "DEVICE");
    if (!mark)
        return path;
    return hd_format(arena, "%.*s%s%s", (int)(mark - path), path, file_name(arena, device),
                     mark + strlen("DEVICE"));
}

static hd_status write_page(checker *c) {
    hd_gpu_outcome *o = c->outcome;
    json_object_set_new(o->document, "seconds", hd_json_number(hd_clock() - c->start));
    json_object_set_new(o->document, "stopped", json_boolean(*c->options->stop));
    if (!o->page)
        return HD_OK;
    hd_arena *arena = hd_arena_new();
    const char *text = hd_gpu_page(arena, o->document);
    hd_status status = hd_write_file(c->diag, o->page, text, strlen(text));
    hd_arena_free(arena);
    return status;
}

/* ---- all -------------------------------------------------------------------------- */

/* Without it there is nothing to say. */
static hd_status find_device(checker *c) {
    hd_status status = run_step(c, hd_gpu_steps);
    const json_t *entry = json_array_get(c->steps, 0);
    if (status != HD_OK || c->outcome->failed)
        return status != HD_OK
                   ? status
                   : hd_fail(c->diag, HD_ESYSTEM, NULL, "%s", hd_gpu_text(entry, "reason"));
    const json_t *device = json_object_get(entry, "result");
    if (strcmp(hd_gpu_text(entry, "state"), "done"))
        return HD_OK; /* stopped before there was an answer */
    json_object_set(c->outcome->document, "device", (json_t *)device);
    c->outcome->page = page_path(c->arena, c->options->page, hd_gpu_text(device, "name"));
    return write_page(c);
}

static hd_status run_all(checker *c) {
    hd_status status = find_device(c);
    for (const hd_gpu_step *step = hd_gpu_steps + 1; step->name && status == HD_OK; step++) {
        if (!is_wanted(c, step))
            continue;
        status = run_step(c, step);
        if (status == HD_OK)
            status = write_page(c);
    }
    c->outcome->stopped = *c->options->stop;
    return status;
}

hd_status hd_gpu_check(hd_arena *arena, const hd_diag *diag, const hd_gpu_options *options,
                       hd_gpu_outcome *outcome) {
    checker c = {.arena = arena,
                 .diag = diag,
                 .options = options,
                 .outcome = outcome,
                 .start = hd_clock(),
                 .steps = json_array()};
    *outcome = (hd_gpu_outcome){.document = json_object()};
    json_object_set_new(outcome->document, "heddle", hd_json_text(options->version));
    json_object_set_new(outcome->document, "date", hd_json_text(hd_date_now(arena)));
    json_object_set_new(outcome->document, "limit", hd_json_number(options->seconds));
    json_object_set_new(outcome->document, "small", json_boolean(options->small));
    json_object_set_new(outcome->document, "steps", c.steps);
    hd_status status = hd_scratch_make(arena, diag, &c.folder);
    if (status == HD_OK)
        status = run_all(&c);
    hd_scratch_remove(c.folder);
    return status;
}
