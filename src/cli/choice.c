/* What a device decided, as text and as JSON (choice.h). */
#include "cli/show_advice.h"

#include <math.h>
#include <stdlib.h>

#include "cli/report/members.h"

hd_status cli_read_budget(cli *c, const char *text, double *seconds) {
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"m", 60}};
    char *end;
    double number = strtod(text, &end);
    for (size_t u = 0; u < sizeof units / sizeof *units; u++)
        if (end > text && !strcmp(end, units[u].name) && number > 0 && isfinite(number)) {
            *seconds = number * units[u].seconds;
            return HD_OK;
        }
    return cli_refuse(c, "--budget takes a time over 0 as 60s, 500ms or 2m, not '%s'", text);
}

hd_status cli_read_placement(cli *c, const char *option, const char *name,
                             hd_placement *placement) {
    return hd_placement_parse(name, placement)
               ? HD_OK
               : cli_refuse(c, "%s: unknown placement '%s'; there are: %s", option, name,
                            hd_placement_names(c->arena));
}

hd_status cli_read_placements(cli *c, const char *option, const char *names,
                              const hd_placement **placements, uint32_t *count) {
    hd_vec(hd_placement) list = {0};
    hd_status status = HD_OK;
    bool all = !strcmp(names, "all");
    for (int p = 0; p < HD_PLACEMENTS && all; p++)
        hd_push(c->arena, &list, (hd_placement)p);
    for (const char *name; !all && !status && (name = cli_next_word(c->arena, &names));) {
        hd_placement placement = HD_PLACEMENT_DEVICE;
        status = cli_read_placement(c, option, name, &placement);
        hd_push(c->arena, &list, placement);
    }
    *placements = list.data;
    *count = (uint32_t)list.count;
    return status;
}

/* ---- the verdict ---------------------------------------------------------------------- */

/* Where the record's buffers lie. */
static const char *entry_placement(const hd_choice *choice, const hd_choice_entry *e) {
    return e->placement ? hd_placement_name(*e->placement) : choice->placement;
}

/* How the objective of a race is spoken of. */
typedef struct wording {
    const char *cost; /* that a run has */
    const char *wins; /* what who is better than the original does */
    const char *better, *worse, *as_good;
} wording;

static const wording *wording_of(const hd_choice *choice) {
    static const wording wordings[HD_OBJECTIVES] = {
        [HD_QUANTITY_TIME] = {"time", "is faster", "faster", "slower", "as fast"},
        [HD_QUANTITY_ENERGY] = {"energy", "takes less energy", "better", "worse", "as good"},
        [HD_QUANTITY_EDP] = {"energy-delay product", "has a lower energy-delay product", "better",
                             "worse", "as good"}};
    return &wordings[choice->objective];
}

/* ", modelled", ", metered by nvml:0"; nothing of times. */
static const char *origin_of_joules(hd_arena *arena, const hd_choice *choice) {
    return !choice->source                    ? ""
           : !strcmp(choice->source, "model") ? ", modelled"
                                              : hd_format(arena, ", metered by %s", choice->source);
}

/* How a layout stands to the leader, in words that agree with the ratios beside them. */
typedef enum standing {
    UNKNOWN,   /* not timed, or too few rounds */
    SLOWER,    /* surely */
    UNDECIDED, /* not surely slower; but its ratio is greater by more than the margin */
    AS_FAST
} standing;

static standing standing_of(const hd_choice *choice, uint32_t i) {
    const hd_choice_entry *e = &choice->entries[i];
    if (!e->timing.repeats || e->end == HD_RACE_REFUSED || e->end == HD_RACE_DIFFERS)
        return UNKNOWN;
    if (!e->as_fast)
        return SLOWER;
    if (choice->rounds < choice->least_rounds || (i && !isfinite(e->ratio.high)))
        return UNKNOWN;
    return e->ratio.median <= (1 + HD_NOTICEABLE) * choice->entries[choice->leader].ratio.median
               ? AS_FAST
               : UNDECIDED;
}

/* "soa", and where placements were raced "soa (host)". */
static const char *entry_name(hd_arena *arena, const hd_record *record, const hd_choice *choice,
                              const hd_choice_entry *e) {
    const char *layout = hd_layout_print(arena, record, e->layout);
    return choice->placed ? hd_format(arena, "%s (%s)", layout, entry_placement(choice, e))
                          : layout;
}

/* "soa, aosoa:16 and 3 more": the other ones of a standing than the winner; NULL: none. */
static const char *list_standing(hd_arena *arena, const hd_record *record, const hd_choice *choice,
                                 standing wanted) {
    enum { NAMED = 3 };
    hd_str names = {.arena = arena};
    uint32_t count = 0;
    for (uint32_t i = 1; i < choice->count; i++) {
        const hd_choice_entry *e = &choice->entries[i];
        if (i == choice->winner || standing_of(choice, i) != wanted)
            continue;
        if (count++ < NAMED)
            hd_str_printf(&names, "%s%s", count > 1 ? ", " : "",
                          entry_name(arena, record, choice, e));
    }
    if (count > NAMED)
        hd_str_printf(&names, " and %u more", count - NAMED);
    return count ? hd_str_text(&names) : NULL;
}

const char *cli_choice_verdict(hd_arena *arena, const hd_record *record, const hd_choice *choice) {
    bool untried = false;
    for (uint32_t i = 1; i < choice->count; i++)
        untried |= choice->entries[i].end == HD_RACE_UNTRIED;
    if (choice->stopped && choice->rounds < choice->least_rounds)
        return hd_format(arena,
                         "stopped after %u rounds, and %u are the least that tell anything, so "
                         "static cost decides",
                         choice->rounds, choice->least_rounds);
    if (!hd_choice_decides(choice) && untried && !choice->rounds)
        return hd_format(arena,
                         "the budget ended before anything could be measured, so static cost "
                         "decides: try --budget %.0fs",
                         ceil(10 * choice->seconds));
    if (!hd_choice_decides(choice))
        return "no other layout could be measured, so static cost decides";
    if (!choice->timed)
        return "leave it as it is; no layout that could be built leaves the same in the buffers";
    if (choice->rounds < choice->least_rounds)
        return choice->most_rounds && choice->rounds >= choice->most_rounds
                   ? hd_format(arena,
                               "leave it as it is; --repeats allows only %u rounds, and %u are the "
                               "least that tell anything",
                               choice->most_rounds, choice->least_rounds)
                   : hd_format(
                         arena,
                         "leave it as it is; only %u rounds were run, and %u are the least that "
                         "tell anything: try --budget %.0fs",
                         choice->rounds, choice->least_rounds,
                         ceil(2 * choice->seconds * choice->least_rounds / choice->rounds));
    const wording *words = wording_of(choice);
    const char *origin = origin_of_joules(arena, choice);
    if (!choice->winner && !choice->leader)
        return hd_format(arena, "leave it as it is; no layout%s %s%s",
                         choice->placed ? " or placement" : "", words->wins, origin);
    const hd_choice_entry *best =
        &choice->entries[choice->winner ? choice->winner : choice->leader];
    const char *layout = hd_layout_print(arena, record, best->layout);
    hd_placement placement;
    if (choice->placed) /* "soa, in device memory" */
        layout = hd_placement_parse(entry_placement(choice, best), &placement)
                     ? hd_format(arena, "%s, %s", layout, hd_placement_phrase(placement))
                     : hd_format(arena, "%s, where the job has it (%s)", layout, choice->placement);
    const char *share =
        hd_format(arena, "%.3f of the original's %s (%.3f to %.3f)%s", best->ratio.median,
                  words->cost, best->ratio.low, best->ratio.high, origin);
    if (!choice->winner)
        return hd_format(arena,
                         "leave it as it is; no layout %s as far as can be told, and the "
                         "best, %s, takes %s",
                         words->wins, layout, share);
    const char *others = list_standing(arena, record, choice, AS_FAST);
    const char *undecided = list_standing(arena, record, choice, UNDECIDED);
    hd_str text = {.arena = arena};
    hd_str_printf(&text, "%s, at %s", layout, share);
    if (others && standing_of(choice, choice->winner) == AS_FAST)
        hd_str_printf(&text,
                      "; of those that are %s it is the nearest to the original (the others: "
                      "%s)",
                      words->as_good, others);
    else if (others)
        hd_str_printf(&text, "; %s may be %s, but not surely %s than the original", others,
                      words->better, words->better);
    if (undecided)
        hd_str_printf(&text, "; whether %s may be %s could not be told", undecided, words->as_good);
    return hd_str_text(&text);
}

/* ---- text ---------------------------------------------------------------------------------- */

static const char *note_of(cli *c, const hd_choice *choice, uint32_t i) {
    const hd_choice_entry *e = &choice->entries[i];
    const wording *words = wording_of(choice);
    if (!i)
        return "original";
    if (i == choice->winner && choice->timed)
        return "chosen";
    if (e->end == HD_RACE_SLOWER)
        return hd_format(c->arena, "%s after %u rounds", words->worse, e->timing.repeats);
    const char *const notes[] = {[UNKNOWN] = "",
                                 [SLOWER] = words->worse,
                                 [UNDECIDED] = "undecided",
                                 [AS_FAST] = words->as_good};
    return notes[standing_of(choice, i)];
}

/* A row of the table. */
typedef struct timed_row {
    const hd_choice_entry *entry;
    const char *placement, *between, *by, *note;
} timed_row;

HD_GETTER(row_layout, timed_row,
          hd_text(hd_layout_print(view->arena, view->context, row->entry->layout)))

static const hd_member layout_column[] = {{NULL, "layout", .get = row_layout}, {0}};
static const hd_member placed_column[] = {
    {HD_SELF, .of = layout_column}, {NULL, "placement", HD_AT(timed_row, placement)}, {0}};
static const hd_member time_column[] = {
    {NULL, "time", HD_SECONDS, HD_VIA(timed_row, entry, HD_AT, timing.median)}, {0}};
static const hd_member energy_columns[] = {
    {HD_SELF, .of = time_column},
    {NULL, "energy", HD_JOULES, HD_VIA(timed_row, entry, HD_AT, joules)},
    {0}};
static const hd_member ratio_columns[] = {
    {NULL, "to original", HD_DECIMALS, HD_VIA(timed_row, entry, HD_AT, ratio.median)},
    {NULL, "between", HD_AT(timed_row, between)},
    {NULL, "by", HD_AT(timed_row, by)},
    {NULL, "", HD_AT(timed_row, note)},
    {0}};

static void show_table(cli *c, const hd_record *record, const hd_choice *choice, hd_str *out) {
    hd_vec(const char *) judges = {0}; /* who proposed layouts; a row has only their numbers */
    uint32_t count = 0, *order = hd_new_array(c->arena, uint32_t, choice->count);
    for (uint32_t i = 0; i < choice->count; i++) { /* the fastest first */
        const hd_choice_entry *e = &choice->entries[i];
        uint32_t at = count;
        if (!e->timing.repeats)
            continue;
        for (; at && choice->entries[order[at - 1]].ratio.median > e->ratio.median; at--)
            order[at] = order[at - 1];
        order[at] = i;
        count++;
    }
    for (uint32_t i = 0; i < count; i++) {
        const char *by = order[i] ? choice->entries[order[i]].by : NULL, *name;
        while ((name = cli_next_word(c->arena, &by)) != NULL) { /* the original is nobody's */
            size_t j = 0;
            while (j < judges.count && strcmp(judges.data[j], name) != 0)
                j++;
            if (j == judges.count)
                hd_push(c->arena, &judges, name);
        }
    }
    timed_row *rows = hd_new_array(c->arena, timed_row, count);
    for (uint32_t i = 0; i < count; i++) {
        const hd_choice_entry *e = &choice->entries[order[i]];
        bool known = order[i] && isfinite(e->ratio.high);
        hd_str numbers = {.arena = c->arena}; /* of those who proposed it: "1,3" */
        for (size_t j = 0; j < judges.count; j++) {
            const char *by = e->by, *name;
            do {
                name = cli_next_word(c->arena, &by);
            } while (name && strcmp(name, judges.data[j]) != 0);
            if (name)
                hd_str_printf(&numbers, "%s%zu", numbers.length ? "," : "", j + 1);
        }
        rows[i] = (timed_row){
            e, entry_placement(choice, e),
            known ? hd_format(c->arena, "%.3f to %.3f", e->ratio.low, e->ratio.high) : "",
            hd_str_text(&numbers), note_of(c, choice, order[i])};
    }
    if (count) {
        const hd_member columns[] = {
            {HD_SELF, .of = choice->placed ? placed_column : layout_column},
            {HD_SELF, .of = choice->source ? energy_columns : time_column},
            {HD_SELF, .of = ratio_columns},
            {0}};
        cli_show_rows(c, NULL, columns, hd_with(hd_rows(rows, count), record), out);
        hd_say(out,
               "  to original: the median of the ratios to the original's %s in the "
               "same round, which need not be the ratio of the median%s%s%s",
               wording_of(choice)->cost, choice->source ? "s" : " times",
               choice->source ? hd_format(c->arena,
                                          "; energy is that of a run, idle "
                                          "power included%s",
                                          origin_of_joules(c->arena, choice))
                              : "",
               choice->placed ? "; times are of whole runs, with what brings the data "
                                "to the kernels and back"
                              : "");
    }
    hd_str by = {.arena = c->arena};
    for (size_t j = 0; j < judges.count; j++)
        hd_str_printf(&by, "%s%zu %s", j ? ", " : "  proposed by: ", j + 1, judges.data[j]);
    if (judges.count)
        hd_wrap(out, hd_str_text(&by), 4, HD_TABLE_WIDTH);
}

static bool was_refused(const hd_choice_entry *e) {
    return (e->end == HD_RACE_REFUSED || e->end == HD_RACE_DIFFERS) && e->why;
}

/* Each reason once, with the layouts that it kept out. */
static void show_refused(cli *c, const hd_record *record, const hd_choice *choice, hd_str *out) {
    for (uint32_t i = 1; i < choice->count; i++) {
        const hd_choice_entry *e = &choice->entries[i];
        bool said = !was_refused(e);
        for (uint32_t k = 1; k < i && !said; k++)
            said = was_refused(&choice->entries[k]) && !strcmp(choice->entries[k].why, e->why);
        if (said)
            continue;
        uint32_t more = 0;
        for (uint32_t k = i + 1; k < choice->count; k++)
            more += was_refused(&choice->entries[k]) && !strcmp(choice->entries[k].why, e->why);
        hd_str_printf(out, "  left out: %s", entry_name(c->arena, record, choice, e));
        if (more)
            hd_str_printf(out, " and %u more", more);
        hd_str_printf(out, ": %s\n", e->why);
    }
}

void cli_show_choice(cli *c, const hd_record *record, const hd_choice *choice, hd_str *out) {
    uint32_t untried = 0;
    for (uint32_t i = 1; i < choice->count; i++)
        untried += choice->entries[i].end == HD_RACE_UNTRIED;
    hd_str_printf(out, "\nMeasured on %s: %u %s%s and the original, %u round%s, %s\n",
                  choice->device.name, choice->timed, choice->placed ? "combination" : "layout",
                  choice->timed == 1 ? "" : "s", choice->rounds, choice->rounds == 1 ? "" : "s",
                  hd_show_seconds(c->arena, choice->seconds));
    show_table(c, record, choice, out);
    show_refused(c, record, choice, out);
    const hd_choice_entry *best = &choice->entries[choice->winner];
    const char *calls = best->placement && choice->winner
                            ? hd_placement_calls(*best->placement, choice->device.backend)
                            : NULL;
    if (calls)
        hd_say(out, "  memory of the placement '%s': %s", hd_placement_name(*best->placement),
               calls);
    if (choice->left_out)
        hd_say(out,
               "  not raced: %u more combinations of the layouts and placements, those "
               "of layouts that were proposed later",
               choice->left_out);
    if (untried)
        hd_str_printf(out, "  not tried%s: %u\n", choice->stopped ? "" : " for want of time",
                      untried);
    if (!choice->has_tree)
        hd_str_add(out,
                   "  no tiles are known for this device: 'heddle device train' would add some\n");
    if (choice->remembered)
        hd_str_printf(out, "  measured on %s; --again measures anew\n", choice->date);
}

/* ---- JSON ---------------------------------------------------------------------------------- */

static const char *const end_names[] = {[HD_RACE_FINISHED] = "finished",
                                        [HD_RACE_SLOWER] = "slower",
                                        [HD_RACE_REFUSED] = "refused",
                                        [HD_RACE_DIFFERS] = "differs",
                                        [HD_RACE_UNTRIED] = "untried"};

/* An entry's; the choice is what it belongs to. */
static standing standing_in(const hd_view *view, const hd_choice_entry *e) {
    const hd_choice *choice = view->parent;
    return standing_of(choice, (uint32_t)(e - choice->entries));
}

HD_GETTER(objective_of, hd_choice, hd_text(hd_quantities[row->objective].name))

HD_GETTER(placement_of, hd_choice_entry, hd_text(entry_placement(view->parent, row)))
HD_GETTER(end_of, hd_choice_entry, hd_text(end_names[row->end]))
HD_GETTER(is_as_fast, hd_choice_entry, hd_bool(standing_in(view, row) == AS_FAST))
HD_GETTER(is_undecided, hd_choice_entry, hd_bool(standing_in(view, row) == UNDECIDED))
HD_GETTER(verdict_of, hd_choice, hd_text(cli_choice_verdict(view->arena, view->context, row)))

static const hd_member entry_members[] = {
    {"layout", HD_BEHIND(hd_choice_entry, layout), .of = hd_layout_members},
    {"placement", .get = placement_of},
    {"by", HD_AT(hd_choice_entry, by)},
    {"end", .get = end_of},
    {"why", HD_AT(hd_choice_entry, why)},
    {"timing", HD_IN(hd_choice_entry, timing), HD_IF(hd_choice_entry, timing.repeats),
     .of = hd_timing_members},
    {"joules", HD_AT(hd_choice_entry, joules), HD_IF(hd_choice_entry, joules)},
    {"ratio", HD_AT(hd_choice_entry, ratio.median), HD_IF(hd_choice_entry, timing.repeats)},
    {"ratio_low", HD_AT(hd_choice_entry, ratio.low), HD_IF(hd_choice_entry, timing.repeats)},
    {"ratio_high", HD_AT(hd_choice_entry, ratio.high), HD_IF(hd_choice_entry, timing.repeats)},
    {"as_fast", .get = is_as_fast},
    {"undecided", .get = is_undecided},
    {0}};
const hd_member cli_choice_members[] = {
    {"device", HD_IN(hd_choice, device), .of = hd_compute_device_members},
    HD_SAME(hd_choice, date, remembered, stopped),
    {"tree", HD_AT(hd_choice, has_tree)},
    HD_SAME(hd_choice, seconds, rounds, least_rounds),
    {"objective", .get = objective_of},
    {"energy_source", HD_AT(hd_choice, source)},
    {"verdict", .get = verdict_of},
    {"winner", HD_AT(hd_choice, winner)},
    {"whole", HD_AT(hd_choice, placed)},
    {"left_out", HD_AT(hd_choice, left_out)},
    {"layouts", HD_MANY(hd_choice, entries, count), .of = entry_members},
    {0}};

/* ---- warnings -------------------------------------------------------------------------------- */

void cli_warn_of_differences(cli *c, const hd_job *job, const hd_choice *choice) {
    const hd_place place = {.file = job->path ? job->path : job->kernel_path};
    bool differs = false;
    for (uint32_t i = 1; i < choice->count; i++) {
        const hd_choice_entry *e = &choice->entries[i];
        differs |= e->end == HD_RACE_DIFFERS;
        if (e->end == HD_RACE_DIFFERS)
            hd_warn(&c->diag, &place, "%s is left out: %s",
                    entry_name(c->arena, job->record, choice, e), e->why ? e->why : "");
    }
    if (differs)
        hd_note(&c->diag, &place,
                "a layout leaves other values also where threads of the original race: 'heddle run "
                "--races %s' tells",
                place.file);
}

/* ---- one layout against the original -------------------------------------------------------- */

void cli_show_speedup(cli *c, const hd_measurement *m, hd_str *out) {
    const hd_whole_measurement *w = m->whole;
    double low = w ? w->speedup_low : m->speedup_low, high = w ? w->speedup_high : m->speedup_high;
    double medians = w ? w->original.whole.median / w->rewritten.whole.median
                       : m->original.median / m->rewritten.median;
    hd_say(out,
           "  speed-up%s: the median of the ratios of neighbouring runs (quartiles %s to "
           "%s); the ratio of the median times is %s",
           w ? " of whole runs" : "", hd_show_ratio(c->arena, low), hd_show_ratio(c->arena, high),
           hd_show_ratio(c->arena, medians));
    hd_str_printf(out, "  outputs equal: %s\n",
                  m->bit_equal ? "yes"
                  : m->equal   ? "yes, within the job's tolerance"
                               : "no");
}
