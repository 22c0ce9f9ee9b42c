/* The document of a check as a page in Markdown. */
#include <ctype.h>

#include "cli/gpu/gpu.h"

double hd_gpu_number(const json_t *object, const char *name) {
    return json_number_value(json_object_get(object, name));
}

const char *hd_gpu_text(const json_t *object, const char *name) {
    const char *text = json_string_value(json_object_get(object, name));
    return text ? text : "";
}

const char *hd_gpu_last_line(hd_arena *arena, const char *text) {
    size_t length = strlen(text), start;
    while (length && isspace((unsigned char)text[length - 1]))
        length--;
    for (start = length; start && text[start - 1] != '\n';)
        start--;
    return hd_strndup(arena, text + start, length - start);
}

/* ---- what can be seen at a glance ------------------------------------------------- */

static uint32_t count_met(const json_t *rows, const char *goal, uint32_t *wanted) {
    size_t i;
    const json_t *row;
    uint32_t met = 0;
    *wanted = 0;
    json_array_foreach(rows, i, row) {
        if (!json_is_number(json_object_get(row, goal)))
            continue;
        ++*wanted;
        met += json_is_true(json_object_get(row, "met"));
    }
    return met;
}

/* One line on a result. */
static void summarise(hd_str *page, const json_t *result) {
    const json_t *copies = json_object_get(result, "copies"),
                 *maps = json_object_get(result, "maps"), *moves = json_object_get(result, "moves"),
                 *correlation = json_object_get(result, "correlation"),
                 *programs = json_object_get(result, "programs"),
                 *agreement = json_object_get(json_object_get(result, "prediction"), "agreement");
    uint32_t wanted, met;
    if (copies)
        hd_str_printf(page, "%.0f GB/s within the device",
                      hd_gpu_number(json_array_get(copies, 0), "gigabytes"));
    if (maps) {
        met = count_met(maps, "goal", &wanted);
        hd_str_printf(page, "%u of %u maps of structs at 90%% of the copy both ways", met, wanted);
    }
    if (moves) {
        met = count_met(moves, "most", &wanted);
        hd_str_printf(page, "%u of %u moves within 15%% of the larger part", met, wanted);
    }
    if (json_is_number(correlation))
        hd_str_printf(page, "rank correlation %.2f; ", json_number_value(correlation));
    if (hd_gpu_number(result, "choice_to_best") > 0)
        hd_str_printf(page, "the choice takes %.3f of the best",
                      hd_gpu_number(result, "choice_to_best"));
    if (json_is_number(json_object_get(agreement, "error")))
        hd_str_printf(page, "; predicted gains: %.0f%% off, %.0f of %.0f in the interval",
                      100 * hd_gpu_number(agreement, "error"), hd_gpu_number(agreement, "within"),
                      hd_gpu_number(agreement, "layouts"));
    if (programs)
        hd_str_printf(page, "%zu programs compared", json_array_size(programs));
    if (json_is_array(json_object_get(result, "kernels")))
        hd_str_printf(page, "%zu kernels counted",
                      json_array_size(json_object_get(result, "kernels")));
    if (json_is_true(json_object_get(result, "differs")))
        hd_str_add(page, "; **outputs differ**");
}

/* ---- the whole -------------------------------------------------------------------- */

/* Besides why the step failed, or did nothing. */
static bool has_rows(const json_t *result) {
    size_t words =
        (json_object_get(result, "error") != NULL) + (json_object_get(result, "not_done") != NULL);
    return json_object_size(result) > words;
}

const char *hd_gpu_page(hd_arena *arena, const json_t *document) {
    hd_str page = {.arena = arena};
    const json_t *steps = json_object_get(document, "steps"), *step;
    size_t i;
    hd_str_printf(&page, "# Heddle on %s\n\n",
                  hd_gpu_text(json_object_get(document, "device"), "name"));
    hd_str_printf(
        &page, "Written by `heddle device check` of Heddle %s on %s, in %.0f of %.0f s.%s%s\n",
        hd_gpu_text(document, "heddle"), hd_gpu_text(document, "date"),
        hd_gpu_number(document, "seconds"), hd_gpu_number(document, "limit"),
        json_is_true(json_object_get(document, "small"))
            ? " **With `--small`: sizes are those of a test, and times say nothing.**"
            : "",
        json_is_true(json_object_get(document, "stopped")) ? " **Stopped by a signal.**" : "");
    hd_str_add(&page, "\n| step | state | s | |\n|---|---|--:|---|\n");
    json_array_foreach(steps, i, step) {
        const char *state = hd_gpu_text(step, "state");
        hd_str_printf(&page, "| %s | %s | %.1f | ", hd_gpu_text(step, "name"),
                      !strcmp(state, "cut")        ? "done in part: its time was over"
                      : !strcmp(state, "failed")   ? "**not done: it failed**"
                      : !strcmp(state, "not done") ? "**not done**"
                                                   : "done",
                      hd_gpu_number(step, "seconds"));
        summarise(&page, json_object_get(step, "result"));
        hd_str_add(&page, " |\n");
    }
    json_array_foreach(steps, i, step) {
        const hd_gpu_step *known = hd_gpu_find_step(hd_gpu_text(step, "name"));
        const char *reason = hd_gpu_text(step, "reason");
        const json_t *result = json_object_get(step, "result");
        hd_str_printf(&page, "\n## %s\n\n", hd_gpu_text(step, "title"));
        if (*reason)
            hd_str_printf(&page, "**Not done:** %s.%s\n\n", reason,
                          has_rows(result) ? " What there is:" : "");
        else if (!strcmp(hd_gpu_text(step, "state"), "cut"))
            hd_str_add(&page, "Done in part: its time was over.\n\n");
        if (known && has_rows(result))
            known->show(&page, result);
    }
    return hd_str_text(&page);
}
