/*
 * Panels of records become their chunks, and back.
 *
 * A panel's chunks go to the place of a panel before, and so no panel is copied twice. Those of few
 * words go to one that has left the caches by now, by streaming stores where they are whole lines
 * of large data; those of many words, single lines in many chunks, to one that is still cached. The
 * first panels, and those where a task's part begins, are saved before; the last ones of each part
 * come from what was saved of the next one.
 *
 * Where runs have open ends, a place begins further on than the panel did, by less than the shift.
 */
#include <stdlib.h>

#include "remap/remap_in_place.h"

/* ---- one panel ----------------------------------------------------------------------------- */

void hd_remap_to_runs(const hd_remap_engine *engine, const hd_remap_cut *cut, char *to,
                      size_t pitch, const char *from, uint64_t records, uint64_t words,
                      const char *end) {
    int word = hd_remap_word(cut->bytes);
    size_t row = (size_t)cut->words * cut->bytes;
    if (word >= 0) {
        engine->lanes->unzip[word](to, pitch, from, row, (size_t)records, (size_t)words, end);
        return;
    }
    for (uint64_t w = 0; w < words; w++)
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

/* Bytes of records that are moved at once. */
enum { STEP_BYTES = 1024, UNZIP_STEP = 10 << 10, ZIP_STEP = 6 << 10, MANY_RUNS = 12 };

typedef struct sweep {
    const hd_remap_cut *cut;
    bool back, streaming;
    uint64_t tasks;
    uint64_t before; /* places in front of a task's first one that it overwrites */
    char *saved;
    uint64_t step; /* records */
} sweep;

static uint64_t first_of(const sweep *s, uint64_t task) { return s->cut->panels * task / s->tasks; }

static size_t saved_bytes(const sweep *s) {
    return (size_t)(s->before + s->cut->shift) * hd_remap_panel_bytes(s->cut);
}

/* Saves the panels, or places, where the task's part begins. */
static void save_task(const hd_remap_engine *engine, void *user, uint64_t task, char *scratch) {
    const sweep *s = user;
    const hd_remap_cut *c = s->cut;
    size_t bytes = hd_remap_panel_bytes(c);
    uint64_t first = first_of(s, task);
    char *to = s->saved + task * saved_bytes(s) + s->before * bytes;
    (void)engine;
    (void)scratch;
    if (!s->back) {
        memcpy(to, c->data + first * bytes, (size_t)c->shift * bytes);
        return;
    }
    for (uint64_t q = first - (task ? s->before : 0); q < first + c->shift; q++)
        for (uint64_t w = 0; w < c->words; w++)
            memcpy(to + (q - first) * bytes + w * c->chunk, hd_remap_chunk(c, q * c->words + w),
                   c->chunk);
}

/* Panel or place `number`, the task's part's or a later one, where it was saved, or NULL. */
static char *saved_of(const sweep *s, uint64_t task, uint64_t number) {
    uint64_t end = first_of(s, task + 1), next = (task + 1) % s->tasks;
    if (number + (next ? s->before : 0) < end)
        return NULL;
    return s->saved + next * saved_bytes(s) +
           (s->before + number - end) * hd_remap_panel_bytes(s->cut);
}

/* Long records go some at a time, line by line of their words, while the next ones are
 * prefetched. */
static void panel_to_chunks(const hd_remap_engine *engine, const sweep *s, char *to,
                            const char *from) {
    const hd_remap_cut *c = s->cut;
    size_t row = (size_t)c->words * c->bytes;
    bool is_long = c->words > REMAP_FEW_WORDS;
    uint64_t beside = is_long ? hd_remap_most(1, REMAP_LINE / c->bytes) : c->words;
    uint64_t parts = (c->words + beside - 1) / beside;
    const char *end = from + c->length * row;
    for (uint64_t r = 0, records; r < c->length; r += records, from += records * row) {
        records = hd_remap_least(c->length - r, s->step);
        char *at = to + r * c->bytes;
        if (s->streaming)
            engine->lanes->unzip_streaming[hd_remap_word(c->bytes)](
                at, c->chunk, from, row, (size_t)records, (size_t)c->words, end);
        for (uint64_t i = 0; i < parts && !s->streaming; i++) {
            uint64_t begin = records * i / parts, until = records * (i + 1) / parts;
            if (is_long)
                hd_remap_prefetch_run(from + (records + begin) * row,
                                      (size_t)(until - begin) * row);
            hd_remap_to_runs(engine, c, at + i * beside * c->chunk, c->chunk,
                             from + i * beside * c->bytes, records,
                             hd_remap_least(beside, c->words - i * beside), end);
        }
    }
}

/* Chunks go to their places by way of the scratch where a run ends among them. */
static void to_chunks_task(const hd_remap_engine *engine, void *user, uint64_t task,
                           char *scratch) {
    const sweep *s = user;
    const hd_remap_cut *c = s->cut;
    size_t bytes = hd_remap_panel_bytes(c);
    for (uint64_t q = first_of(s, task); q < first_of(s, task + 1); q++) {
        const char *saved = saved_of(s, task, q + c->shift);
        const char *from = saved ? saved : c->data + (q + c->shift) * bytes;
        char *to = hd_remap_chunk(c, q * c->words);
        bool together = hd_remap_chunk(c, q * c->words + c->words - 1) + c->chunk == to + bytes;
        panel_to_chunks(engine, s, together ? to : scratch, from);
        for (uint64_t w = 0; w < c->words && !together; w++)
            memcpy(hd_remap_chunk(c, q * c->words + w), scratch + w * c->chunk, c->chunk);
    }
}

static size_t runs_bytes(const hd_remap_cut *c) {
    return (size_t)hd_align_up(c->words * sizeof(char *), REMAP_LINE);
}

/* Step by step; of many runs the next one is prefetched. Short records go by way of a block, since
 * zipping them writes behind the last one. */
static void runs_to_panel(const hd_remap_engine *engine, const sweep *s, char *to,
                          const char *const *runs, char *block) {
    const hd_remap_cut *c = s->cut;
    bool is_long = c->words > REMAP_FEW_WORDS;
    hd_remap_stream stream = {.to = to};
    for (uint64_t r = 0, records; r < c->length; r += records) {
        records = hd_remap_least(c->length - r, s->step);
        for (uint64_t w = 0; w < c->words && c->words >= MANY_RUNS && r + s->step < c->length; w++)
            hd_remap_prefetch_run(runs[w] + (r + s->step) * c->bytes, (size_t)s->step * c->bytes);
        char *at = is_long ? to + r * c->words * c->bytes : block;
        hd_remap_from_runs(engine, c, at, runs, r, records);
        if (!is_long)
            hd_remap_put(engine, &stream, block, (size_t)(records * c->words) * c->bytes);
    }
    hd_remap_end(&stream);
}

static void to_panels_task(const hd_remap_engine *engine, void *user, uint64_t task,
                           char *scratch) {
    const sweep *s = user;
    const hd_remap_cut *c = s->cut;
    hd_remap_zip_fn *zip =
        s->streaming ? hd_remap_zip_of(engine, hd_remap_word(c->bytes), c->words) : NULL;
    const char **runs = (const char **)(void *)scratch;
    for (uint64_t p = first_of(s, task); p < first_of(s, task + 1); p++) {
        uint64_t place = p + c->shift;
        const char *saved = saved_of(s, task, place);
        char *to = c->data + p * hd_remap_panel_bytes(c);
        for (uint64_t w = 0; w < c->words; w++)
            runs[w] = saved ? saved + w * c->chunk : hd_remap_chunk(c, place * c->words + w);
        if (zip)
            zip(to, runs, 0, (size_t)c->length, (size_t)c->words);
        else
            runs_to_panel(engine, s, to, runs, scratch + runs_bytes(c) + REMAP_LINE);
    }
}

static size_t scratch_of(const sweep *s) {
    const hd_remap_cut *c = s->cut;
    size_t block = c->words > REMAP_FEW_WORDS ? 0 : (size_t)(s->step * c->words) * c->bytes;
    return runs_bytes(c) + (s->back ? block : hd_remap_panel_bytes(c)) + 2 * REMAP_LINE;
}

static sweep sweep_of(const hd_remap_engine *engine, const hd_remap_cut *c, bool back) {
    size_t bytes = hd_remap_panel_bytes(c), row = (size_t)c->words * c->bytes;
    size_t open = c->run - (size_t)c->panels * c->chunk;
    sweep s = {.cut = c, .back = back};
    uint64_t group = hd_remap_group_of(c->bytes);
    size_t step = c->words <= REMAP_FEW_WORDS ? STEP_BYTES : back ? ZIP_STEP : UNZIP_STEP;
    s.step = hd_remap_most((step / row + group / 2) / group, 1) * group;
    s.step = hd_remap_least(s.step, c->length);
    s.streaming =
        hd_remap_word(c->bytes) >= 0 && c->words <= REMAP_FEW_WORDS && hd_remap_in_lines(engine, c);
    s.before = back ? ((size_t)(c->words - 1) * open + bytes - 1) / bytes : 0;
    s.tasks = hd_remap_least(engine->threads, c->panels / (s.before + c->shift + 1));
    s.tasks = s.tasks ? s.tasks : 1;
    return s;
}

hd_status hd_remap_sweep_panels(const hd_remap_engine *engine, const hd_remap_cut *c, bool back) {
    if (!c->panels)
        return HD_OK;
    sweep s = sweep_of(engine, c, back);
    s.saved = malloc((size_t)s.tasks * saved_bytes(&s) + 1);
    if (!s.saved)
        return hd_fail(engine->diag, HD_ESYSTEM, NULL, "no memory for %u blocks of %zu bytes",
                       (unsigned)s.tasks, saved_bytes(&s));
    hd_status status = hd_remap_run(engine, s.tasks, REMAP_LINE, save_task, &s);
    if (status == HD_OK)
        status = hd_remap_run(engine, s.tasks, scratch_of(&s),
                              back ? to_panels_task : to_chunks_task, &s);
    free(s.saved);
    return status;
}

uint64_t hd_remap_panels_scratch(const hd_remap_cut *cut) {
    hd_remap_engine engine = {.threads = 1};
    sweep back = sweep_of(&engine, cut, true), there = sweep_of(&engine, cut, false);
    return cut->panels ? saved_bytes(&back) + scratch_of(&back) + scratch_of(&there) : 0;
}
