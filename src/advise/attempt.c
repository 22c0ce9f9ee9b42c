/* Rewriting for a try (attempt.h). */
#include "advise/attempt.h"

/* Keeps the first error that is told. */
typedef struct first_error {
    hd_arena *arena;
    const char *text; /* NULL: none yet */
} first_error;

static void keep_first(const hd_message *message, void *user) {
    first_error *error = user;
    const hd_place *at = &message->place;
    if (message->severity != HD_ERROR || error->text)
        return;
    const char *text = hd_format(error->arena, "%s", message->text);
    error->text =
        !at->file   ? text
        : !at->line ? hd_format(error->arena, "%s: %s", at->file, text)
                    : hd_format(error->arena, "%s:%u:%u: %s", at->file, at->line, at->column, text);
}

/* Of a recording its program is rewritten; its kernels alone are there to be checked. */
static const hd_diag silent = {0};

/* True when the layout is accepted. */
static bool try_layout(hd_arena *arena, const hd_job *job, const hd_ranked *ranked,
                       hd_attempt *attempt) {
    first_error error = {.arena = arena};
    const hd_diag diag = {keep_first, &error};
    const hd_record_layout layout = {job->record, ranked->layout};
    for (uint32_t i = 0; i < attempt->refused_count; i++)
        if (hd_layout_equal(attempt->refused[i].layout, ranked->layout))
            return false;
    attempt->tried = true;
    attempt->program = NULL;
    bool kernels = hd_rewrite_job(arena, job->source_count ? &silent : &diag, job, &layout, 1,
                                  &attempt->rewritten) == HD_OK;
    if ((kernels || job->source_count) &&
        (!(job->source_count || attempt->rewritten->has_host_launches) ||
         hd_rewrite_program(arena, &diag, job, &layout, 1, &attempt->program) == HD_OK)) {
        attempt->layout = ranked->layout;
        attempt->ratio = ranked->ratio;
        attempt->rewritten = kernels ? attempt->rewritten : NULL;
        return true;
    }
    attempt->is_refused_by_host = kernels;
    attempt->rewritten = NULL;
    attempt->refused[attempt->refused_count++] =
        (hd_refusal){ranked->layout, ranked->ratio, error.text ? error.text : "it is refused"};
    return false;
}

void advise_attempt(hd_arena *arena, const hd_job *job, const hd_search_result *search,
                    hd_attempt *attempt) {
    const hd_layout *soa = hd_layout_soa(arena, job->record);
    uint32_t gaining = 0;
    *attempt = (hd_attempt){0};
    if (search->leave || !job->module->device)
        return;
    while (gaining < search->ranked_count && search->ranked[gaining].ratio <= 1 - HD_NOTICEABLE)
        gaining++;
    for (uint32_t i = 0; i < gaining && i + 1 < HD_MOST_ATTEMPTS && !attempt->is_refused_by_host;
         i++)
        if (try_layout(arena, job, &search->ranked[i], attempt))
            return;
    for (uint32_t i = 0; i < gaining && !attempt->is_refused_by_host; i++)
        if (hd_layout_equal(search->ranked[i].layout, soa) &&
            try_layout(arena, job, &search->ranked[i], attempt))
            return;
}
