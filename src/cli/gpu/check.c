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

#include "cli/gpu/gpu.h"
#include "advise/measure/database.h"
#include "cli/report/report_result.h"

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

/* ---- one step --------------------------------------------------------------------- */

/* Of one that said nothing else, the last line of what it printed. */
static const char *reason_of(const checker *c, hd_gpu_end end, int code, double limit,
                             const json_t *result, const char *log) {
    const char *error = hd_gpu_text(result, "error"), *last = "";
    char *text;
    size_t length;
    if (hd_read_file(c->arena, &hd_silent, log, &text, &length) == HD_OK)
        last = hd_gpu_last_line(c->arena, text);
    switch (end) {
    case HD_GPU_EXITED: return *error ? error : last;
    case HD_GPU_CRASHED:
        return hd_format(c->arena, "it was ended by signal %d (%s)%s%s", code, strsignal(code),
                         *last ? ": " : "", last);
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

/* Adds what became of a step. */
static json_t *add_step(const checker *c, const hd_gpu_step *step, const char *state) {
    json_t *entry =
        json_pack("{s:s, s:s, s:s}", "name", step->name, "title", step->title, "state", state);
    json_array_append_new(c->steps, entry);
    return entry;
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
                                 "device",
                                 "run-step",
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
    char *text;
    size_t length;
    e->result = NULL;
    if (status != HD_OK)
        return status;
    if (hd_read_file(c->arena, &hd_silent, path, &text, &length) == HD_OK)
        e->result = json_loads(text, 0, NULL);
    if (!json_is_object(e->result)) {
        json_decref(e->result);
        e->result = json_object();
    }
    return HD_OK;
}

static hd_status run_step(checker *c, const hd_gpu_step *step) {
    double weights = 0, left = time_left(c);
    for (const hd_gpu_step *later = step; later->name; later++)
        weights += is_wanted(c, later) ? later->weight : 0;
    double limit = left * step->weight / weights;
    if (step == hd_gpu_steps)
        limit = left < first_answer ? left : first_answer;
    else if (c->is_lost && limit > lost_limit)
        limit = lost_limit;
    ending e;
    const char *why = *c->options->stop     ? "the check was stopped by a signal"
                      : limit < least_limit ? "there was no time left for it"
                                            : NULL;
    if (why) {
        json_object_set_new(add_step(c, step, "not done"), "reason", json_string(why));
        return HD_OK;
    }
    if (c->options->progress)
        c->options->progress(c->options->user,
                             hd_format(c->arena, "%s: at most %.0f s of %.0f s that are left",
                                       step->name, limit, time_left(c)));
    hd_status status = run_child(c, step, limit, &e);
    if (status != HD_OK)
        return status;
    const char *not_done = hd_gpu_text(e.result, "not_done");
    bool failed = e.end != HD_GPU_STOPPED && (e.end != HD_GPU_EXITED || e.code);
    const char *state = failed                                           ? "failed"
                        : e.end == HD_GPU_STOPPED || *not_done           ? "not done"
                        : json_is_true(json_object_get(e.result, "cut")) ? "cut" /* it has a part */
                                                                         : "done";
    json_t *entry = add_step(c, step, state);
    json_object_set_new(entry, "seconds", hd_json_number(e.seconds));
    json_object_set_new(entry, "limit", hd_json_number(limit));
    json_object_set_new(entry, "reason",
                        failed || e.end == HD_GPU_STOPPED
                            ? hd_json_text(reason_of(c, e.end, e.code, limit, e.result, e.log))
                            : hd_json_text(*not_done ? not_done : NULL));
    c->outcome->failed += failed;
    c->outcome->differs |= json_is_true(json_object_get(e.result, "differs"));
    json_object_set_new(entry, "result", e.result);
    /* Whether the device still answers, after a step that had to be killed. */
    left = time_left(c);
    if (failed && e.end != HD_GPU_EXITED && step != hd_gpu_steps && left >= least_limit &&
        run_child(c, hd_gpu_steps, left < 30 ? left : 30, &e) == HD_OK) {
        c->is_lost = e.end != HD_GPU_EXITED || e.code;
        json_decref(e.result);
    }
    return HD_OK;
}

/* ---- the page --------------------------------------------------------------------- */

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

static hd_status run_all(checker *c) {
    hd_gpu_outcome *o = c->outcome;
    hd_status status = run_step(c, hd_gpu_steps);
    const json_t *entry = json_array_get(c->steps, 0), *device = json_object_get(entry, "result");
    if (status == HD_OK && o->failed) /* without a device there is nothing to say */
        return hd_fail(c->diag, HD_ESYSTEM, NULL, "%s", hd_gpu_text(entry, "reason"));
    if (status == HD_OK && !strcmp(hd_gpu_text(entry, "state"), "done")) { /* else it was stopped */
        const char *path = c->options->page, *mark = strstr(hd_path_name(path), "DEVICE");
        json_object_set(o->document, "device", (json_t *)device);
        hd_str name = {.arena = c->arena}; /* "nvidia-h100-80gb-hbm3" */
        for (const char *at = hd_gpu_text(device, "name"); *at; at++) {
            char letter = (char)tolower((unsigned char)*at);
            if (isalnum((unsigned char)letter))
                hd_str_addn(&name, &letter, 1);
            else if (name.length && name.data[name.length - 1] != '-' && at[1])
                hd_str_add(&name, "-");
        }
        o->page =
            !mark ? path
                  : hd_format(c->arena, "%.*s%s%s", (int)(mark - path), path,
                              name.length ? hd_str_text(&name) : "device", mark + strlen("DEVICE"));
        status = write_page(c);
    }
    for (const hd_gpu_step *step = hd_gpu_steps + 1; step->name && status == HD_OK; step++) {
        if (!is_wanted(c, step))
            continue;
        status = run_step(c, step);
        if (status == HD_OK)
            status = write_page(c);
    }
    o->stopped = *c->options->stop;
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
