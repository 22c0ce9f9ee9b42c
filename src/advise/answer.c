/*
 * Choices as texts, for the profile database (choose.h): a line with what holds for all, then
 * a line for each layout, fields separated by tabs.
 */
#include <stdio.h>

#include "advise/choose.h"

static const char first_line[] = "choice 3";

/* ---- printing ------------------------------------------------------------------- */

/* A text as a field: without tabs and ends of lines; "-" stands for none. */
static const char *as_field(hd_arena *arena, const char *text) {
    if (!text || !*text)
        return "-";
    char *copy = hd_strdup(arena, text);
    for (char *at = copy; *at; at++)
        if (*at == '\t' || *at == '\n')
            *at = ' ';
    return copy;
}

const char *advise_choice_print(hd_arena *arena, const hd_record *record, const hd_choice *choice) {
    hd_str out = {.arena = arena};
    hd_str_printf(&out, "%s %s %d %u %u %u %u %u %u %.17g\t%s\n", first_line, choice->date,
                  choice->has_tree, choice->left_out, choice->count, choice->winner, choice->leader,
                  choice->rounds, choice->least_rounds, choice->seconds,
                  as_field(arena, choice->source));
    for (uint32_t i = 0; i < choice->count; i++) {
        const hd_choice_entry *e = &choice->entries[i];
        hd_str_printf(&out, "%d %d %.17g %.17g %.17g %u %.17g %.17g %.17g %.17g\t%s\t%s\t%s\t%s\n",
                      e->end, e->as_fast, e->timing.median, e->timing.low, e->timing.high,
                      e->timing.repeats, e->ratio.median, e->ratio.low, e->ratio.high, e->joules,
                      hd_layout_print(arena, record, e->layout),
                      e->placement ? hd_placement_name(*e->placement) : "-", as_field(arena, e->by),
                      as_field(arena, e->why));
    }
    return hd_str_text(&out);
}

/* ---- parsing ---------------------------------------------------------------------- */

/* The text up to the next tab or end of line, and *at behind it. */
static const char *next_field(hd_arena *arena, const char **at) {
    size_t length = strcspn(*at, "\t\n");
    const char *field = hd_strndup(arena, *at, length);
    *at += length + ((*at)[length] != '\0');
    return field;
}

static bool parse_entry(hd_arena *arena, const hd_record *record, const char **at,
                        hd_choice_entry *e) {
    const hd_diag silent = {0};
    unsigned end;
    int as_fast, used = 0;
    hd_layout *layout;
    const char *numbers = next_field(arena, at), *notation = next_field(arena, at);
    const char *place = next_field(arena, at);
    const char *by = next_field(arena, at), *why = next_field(arena, at);
    hd_placement *placement = strcmp(place, "-") ? hd_new(arena, hd_placement) : NULL;
    if (sscanf(numbers, "%u %d %lf %lf %lf %u %lf %lf %lf %lf%n", &end, &as_fast, &e->timing.median,
               &e->timing.low, &e->timing.high, &e->timing.repeats, &e->ratio.median, &e->ratio.low,
               &e->ratio.high, &e->joules, &used) != 10 ||
        end > HD_RACE_UNTRIED || numbers[used] ||
        (placement && !hd_placement_parse(place, placement)) ||
        hd_layout_parse(arena, &silent, record, notation, &layout) != HD_OK)
        return false;
    e->end = end;
    e->as_fast = as_fast;
    e->layout = layout;
    e->placement = placement;
    e->by = by;
    e->why = strcmp(why, "-") ? why : NULL;
    return true;
}

bool advise_choice_parse(hd_arena *arena, const hd_record *record, const char *text,
                         hd_choice *choice) {
    size_t length = strlen(text);
    const char *at = text + strcspn(text, "\t\n");
    char date[32];
    int has_tree;
    if (!length || text[length - 1] != '\n' || strncmp(text, first_line, sizeof first_line - 1) ||
        sscanf(text + sizeof first_line - 1, " %31s %d %u %u %u %u %u %u %lf", date, &has_tree,
               &choice->left_out, &choice->count, &choice->winner, &choice->leader, &choice->rounds,
               &choice->least_rounds, &choice->seconds) != 9 ||
        !choice->count || choice->winner >= choice->count || choice->leader >= choice->count ||
        choice->count > length)
        return false;
    choice->date = hd_strdup(arena, date);
    choice->has_tree = has_tree;
    choice->entries = hd_new_array(arena, hd_choice_entry, choice->count);
    choice->timed = 0;
    if (*at != '\t')
        return false;
    at++;
    const char *source = next_field(arena, &at);
    choice->source = strcmp(source, "-") ? source : NULL;
    for (uint32_t i = 0; i < choice->count; i++) {
        if (!parse_entry(arena, record, &at, &choice->entries[i]))
            return false;
        choice->timed += i && choice->entries[i].timing.repeats;
    }
    return !*at;
}
