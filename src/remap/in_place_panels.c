/*
 * Panels of records become their chunks, each panel by itself, and back.
 *
 * A panel is transposed into the scratch, which fits the first-level cache where records are short,
 * and is copied back over itself: its lines are cached by then, so that each is read from memory
 * once and written once.
 *
 * Where runs have open ends, chunks lie further on than the panel's records, by less than a panel.
 * Then panels go from the last one to the first, and back from the first one to the last. A task's
 * neighbour would overwrite its outermost panel, which is saved before.
 */
#include <stdlib.h>

#include "remap/in_place.h"

enum {
    AHEAD_BYTES = 16 << 10,
    STEP_BYTES = 4096,
    SAVED_PANELS = 4 /* for each thread, at most */
};

/* ---- one panel ----------------------------------------------------------------------------- */

void hd_remap_to_runs(const hd_remap_engine *engine, const hd_remap_cut *cut, char *to,
                      size_t pitch, const char *from, uint64_t records) {
    int word = hd_remap_word(cut->bytes);
    size_t row = (size_t)cut->words * cut->bytes;
    if (word >= 0) {
        engine->lanes->unzip[word](to, pitch, from, row, (size_t)records, (size_t)cut->words,
                                   from + records * row);
        return;
    }
    for (uint64_t w = 0; w < cut->words; w++)
        hd_remap_copy_values(to + w * pitch, cut->bytes, from + w * cut->bytes, row, cut->bytes,
                             (size_t)records);
}

void hd_remap_from_runs(const hd_remap_engine *engine, const hd_remap_cut *cut, char *to,
                        const char *const *runs, uint64_t first, uint64_t records) {
    int word = hd_remap_word(cut->bytes);
    size_t row = (size_t)cut->words * cut->bytes, skipped = (size_t)first * cut->bytes;
    if (word >= 0) {
        engine->lanes->zip[word](to, row, runs, skipped, (size_t)records, (size_t)cut->words);
        return;
    }
    for (uint64_t w = 0; w < cut->words; w++)
        hd_remap_copy_values(to + w * cut->bytes, row, runs[w] + skipped, cut->bytes, cut->bytes,
                             (size_t)records);
}

/* ---- all panels ---------------------------------------------------------------------------- */

typedef struct sweep {
    const hd_remap_cut *cut;
    uint64_t tasks;
    char *saved;    /* the panels that neighbours overwrite, or NULL */
    uint64_t ahead; /* panels */
    size_t pitch;   /* of chunks in the scratch */
    uint64_t step;  /* records */
} sweep;

static uint64_t first_of(const sweep *s, uint64_t task) { return s->cut->panels * task / s->tasks; }

/* From a panel of records, or from its copy, to its chunks. */
static void panel_to_chunks(const hd_remap_engine *engine, const sweep *s, uint64_t panel,
                            const char *from, char *scratch) {
    const hd_remap_cut *c = s->cut;
    size_t row = (size_t)c->words * c->bytes;
    const char *later = panel < s->ahead ? NULL : c->data + (panel - s->ahead) * c->length * row;
    for (uint64_t r = 0; r < c->length; r += s->step) {
        uint64_t records = hd_remap_least(c->length - r, s->step);
        if (later)
            hd_remap_ask(later + r * row, (size_t)records * row);
        hd_remap_to_runs(engine, c, scratch + r * c->bytes, s->pitch, from + r * row, records);
    }
    for (uint64_t w = 0; w < c->words; w++)
        hd_remap_copy_lines(engine, hd_remap_chunk(c, panel * c->words + w), scratch + w * s->pitch,
                            c->chunk);
}

static void to_chunks_task(const hd_remap_engine *engine, void *user, uint64_t task,
                           char *scratch) {
    const sweep *s = user;
    size_t bytes = hd_remap_panel_bytes(s->cut);
    for (uint64_t p = first_of(s, task + 1); p-- > first_of(s, task);) {
        bool overwritten = s->saved && task && p == first_of(s, task);
        panel_to_chunks(engine, s, p,
                        overwritten ? s->saved + (task - 1) * bytes : s->cut->data + p * bytes,
                        scratch);
    }
}

/* Back, by way of `scratch`. */
static void chunks_to_panel(const hd_remap_engine *engine, const sweep *s, uint64_t panel,
                            const char **runs, char *scratch) {
    const hd_remap_cut *c = s->cut;
    size_t row = (size_t)c->words * c->bytes;
    uint64_t later = panel + s->ahead;
    for (uint64_t r = 0; r < c->length; r += s->step) {
        uint64_t records = hd_remap_least(c->length - r, s->step);
        if (later < c->panels)
            hd_remap_ask(hd_remap_chunk(c, later * c->words) + r * row, (size_t)records * row);
        hd_remap_from_runs(engine, c, scratch + r * row, runs, r, records);
    }
    hd_remap_copy_lines(engine, c->data + panel * hd_remap_panel_bytes(c), scratch,
                        hd_remap_panel_bytes(c));
}

static size_t runs_bytes(const hd_remap_cut *c) {
    return (size_t)hd_align_up(c->words * sizeof(char *), HD_LINE);
}

static void to_panels_task(const hd_remap_engine *engine, void *user, uint64_t task,
                           char *scratch) {
    const sweep *s = user;
    const hd_remap_cut *c = s->cut;
    const char **runs = (const char **)(void *)scratch;
    uint64_t end = first_of(s, task + 1);
    for (uint64_t p = first_of(s, task); p < end; p++) {
        bool overwritten = s->saved && task + 1 < s->tasks && p + 1 == end;
        const char *copy = overwritten ? s->saved + task * hd_remap_panel_bytes(c) : NULL;
        for (uint64_t w = 0; w < c->words; w++)
            runs[w] = copy ? copy + w * c->chunk : hd_remap_chunk(c, p * c->words + w);
        chunks_to_panel(engine, s, p, runs, scratch + runs_bytes(c));
    }
}

/* The panels at the tasks' borders: those of records begin a task, those of chunks end one. */
static void save_panels(const sweep *s, bool back) {
    const hd_remap_cut *c = s->cut;
    size_t bytes = hd_remap_panel_bytes(c);
    for (uint64_t task = 1; task < s->tasks; task++) {
        uint64_t border = first_of(s, task);
        char *to = s->saved + (task - 1) * bytes;
        if (!back)
            memcpy(to, c->data + border * bytes, bytes);
        for (uint64_t w = 0; w < c->words && back; w++)
            memcpy(to + w * c->chunk, hd_remap_chunk(c, (border - 1) * c->words + w), c->chunk);
    }
}

static size_t pitch_of(const hd_remap_cut *c) {
    return (size_t)hd_align_up(c->chunk, HD_LINE) + HD_LINE;
}

static hd_status sweep_panels(const hd_remap_engine *engine, const hd_remap_cut *c, bool back) {
    size_t bytes = hd_remap_panel_bytes(c), row = (size_t)c->words * c->bytes;
    size_t open = c->run - c->panels * c->chunk;
    sweep s = {.cut = c,
               .tasks = hd_remap_tasks(engine, c->panels, c->panels * bytes),
               .ahead = 1 + AHEAD_BYTES / bytes,
               .pitch = pitch_of(c)};
    s.step = STEP_BYTES / row / HD_LINE * HD_LINE;
    s.step = s.step ? s.step : HD_LINE;
    if (!c->panels)
        return HD_OK;
    if (open && (c->words - 1) * open > bytes)
        s.tasks = 1;
    else if (open)
        s.tasks = hd_remap_least(s.tasks, (uint64_t)engine->threads * SAVED_PANELS);
    if (open && s.tasks > 1) {
        s.saved = malloc((size_t)(s.tasks - 1) * bytes);
        if (!s.saved)
            return hd_fail(engine->diag, HD_ESYSTEM, NULL, "no memory for %u blocks of %zu bytes",
                           (unsigned)s.tasks, bytes);
        save_panels(&s, back);
    }
    size_t scratch = (size_t)c->words * s.pitch + (back ? runs_bytes(c) : 0);
    hd_status status =
        hd_remap_run(engine, s.tasks, scratch, back ? to_panels_task : to_chunks_task, &s);
    free(s.saved);
    return status;
}

hd_status hd_remap_panels_to_chunks(const hd_remap_engine *engine, const hd_remap_cut *cut) {
    return sweep_panels(engine, cut, false);
}

hd_status hd_remap_chunks_to_panels(const hd_remap_engine *engine, const hd_remap_cut *cut) {
    return sweep_panels(engine, cut, true);
}

uint64_t hd_remap_panels_scratch(const hd_remap_cut *cut) {
    return SAVED_PANELS * hd_remap_panel_bytes(cut) +
           cut->words * (pitch_of(cut) + sizeof(char *)) + 2 * HD_LINE;
}
