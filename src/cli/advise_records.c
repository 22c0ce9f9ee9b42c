#include "cli/advise_records.h"

#include "advise/verify.h"

static const char *layout_of(hd_arena *arena, const hd_record_advice *of) {
    return hd_layout_print(arena, of->advice.job->record, of->advice.best);
}

/* "soa for Node, which saves 70% of what is saved" */
static void add_taken(hd_arena *arena, const hd_records_advice *all, hd_str *text) {
    uint32_t taken = 0;
    for (uint32_t r = 0; r < all->count; r++) {
        const hd_record_advice *of = &all->records[r];
        if (of->advice.leave)
            continue;
        hd_str_printf(text, "%s%s for %s (%s of the gain)", taken++ ? ", " : "take ",
                      layout_of(arena, of), of->record->name, hd_show_share(arena, of->part));
    }
    if (taken)
        hd_str_printf(text, ": together %s of the transactions of their accesses",
                      hd_show_share(arena, all->before > 0 ? all->after / all->before : 1));
}

const char *cli_records_verdict(hd_arena *arena, const hd_records_advice *all) {
    hd_str text = {.arena = arena};
    uint32_t left = 0;
    add_taken(arena, all, &text);
    for (uint32_t r = 0; r < all->count; r++) {
        const hd_record_advice *of = &all->records[r];
        if (!of->advice.leave)
            continue;
        hd_str_printf(&text, "%s%s",
                      left++        ? ", "
                      : text.length ? "; leave "
                                    : "leave ",
                      of->record->name);
        if (of->refused)
            hd_str_printf(&text, " (cannot be rewritten: %s)", of->refused);
    }
    if (left)
        hd_str_add(&text, left == 1 ? " as it is" : " as they are");
    return hd_str_text(&text);
}

const char *cli_records_command(cli *c, const cli_question *question,
                                const hd_records_advice *all) {
    hd_str more = {.arena = c->arena};
    for (uint32_t r = 0; r < all->count; r++)
        if (!all->records[r].advice.leave)
            hd_str_printf(
                &more, " --layout %s",
                cli_quoted(c->arena, hd_format(c->arena, "%s=%s", all->records[r].record->name,
                                               layout_of(c->arena, &all->records[r]))));
    /* It works as it is: kernels that the job never launches cannot be checked. */
    const hd_job *job = all->records[0].advice.job;
    bool covers = !job->path || !hd_verify_covers(&hd_silent, job, all->chosen, all->chosen_count);
    hd_str_add(&more, covers ? " --out DIR" : " --no-verify --out DIR");
    return (all->program || all->kernels) && all->chosen_count
               ? cli_command_on(c, "apply", question->path, question->source, hd_str_text(&more))
               : NULL;
}

static hd_value name_of(const hd_view *view, const void *at) {
    (void)view;
    return hd_text(((const hd_record_advice *)at)->record->name);
}
static hd_value taken_layout(const hd_view *view, const void *at) {
    const hd_record_advice *of = at;
    return hd_text(of->advice.leave ? "as it is" : layout_of(view->arena, of));
}
HD_GETTER(is_left, hd_record_advice, hd_bool(row->advice.leave))

const hd_member cli_record_advice_members[] = {
    {"name", "record", HD_PLAIN, .get = name_of},
    {"take", "layout", HD_PLAIN, .get = taken_layout},
    {"leave", .get = is_left},
    {"transactions", "transactions", HD_COUNT, HD_AT(hd_record_advice, before)},
    {"transactions_then", "then", HD_COUNT, HD_AT(hd_record_advice, after)},
    {"part", "of the gain", HD_SHARE, HD_AT(hd_record_advice, part)},
    {"refused", HD_AT(hd_record_advice, refused)},
    {0}};

void cli_show_records(cli *c, const hd_records_advice *all, hd_str *out) {
    cli_show_rows(c, "\nThe records, the heaviest first", cli_record_advice_members,
                  hd_rows(all->records, all->count), out);
}
