/* What a static cost rests on (verdict.h). */
#include <stdlib.h>

#include "advise/made_up.h"
#include "advise/verdict.h"

const char *hd_guess_name(hd_guess_kind kind) {
    static const char *const names[] = {
        [HD_GUESS_LOOP] = "loop",           [HD_GUESS_EXIT] = "exit",
        [HD_GUESS_CONDITION] = "condition", [HD_GUESS_GATHER] = "gather",
        [HD_GUESS_INDEX] = "index",         [HD_GUESS_PART] = "part",
        [HD_GUESS_CONTENTS] = "contents",   [HD_GUESS_COUNT] = "count",
        [HD_GUESS_VALUE] = "value",         [HD_GUESS_SIZES] = "sizes"};
    return names[kind];
}

typedef struct tally {
    hd_arena *arena;
    hd_vec(hd_guess) guesses; /* `share` is a cost till the end */
} tally;

/* "line 40", "lines 31 to 34", "lines 3 to 5 of part.h". */
static const char *place_of(tally *t, const hd_guess *g, uint32_t file) {
    const hd_kernel_info *info = g->info;
    const char *lines = g->line == g->last_line
                            ? hd_format(t->arena, "line %u", g->line)
                            : hd_format(t->arena, "lines %u to %u", g->line, g->last_line);
    return !file || file >= info->module->file_count
               ? lines
               : hd_format(t->arena, "%s of %s", lines,
                           hd_path_name(info->module->files[file].name));
}

static const char *text_of(tally *t, const hd_guess *g, uint32_t file) {
    static const char *const texts[] = {
        [HD_GUESS_EXIT] = "loop at %s taken to run to its end",
        [HD_GUESS_CONDITION] = "conditions on data around %s taken to hold",
        [HD_GUESS_GATHER] = "lanes of gathers at %s taken to point anywhere",
        [HD_GUESS_INDEX] = "indices at %s taken to be any",
        [HD_GUESS_PART] = "parts at %s taken to be met equally often"};
    const char *at = place_of(t, g, file), *text = texts[g->kind];
    if (g->kind == HD_GUESS_LOOP)
        return hd_format(t->arena, "loop at %s taken as %llu iterations", at,
                         (unsigned long long)g->length);
    size_t before = strcspn(text, "%");
    return hd_format(t->arena, "%.*s%s%s", (int)before, text, at, text + before + 2);
}

/* An unrolled loop and the one that does its rest are one in the source. */
static bool are_one_loop(const hd_flow *flow, int32_t a, int32_t b) {
    return a == b || (a >= 0 && b >= 0 && flow->loops[a].line == flow->loops[b].line);
}

/* A loop is one guess; so is what stands in the same loop and is guessed alike. */
static void add_guess(tally *t, const hd_cost_line *of, hd_guess_kind kind, int32_t loop,
                      uint32_t line, uint64_t length) {
    size_t i = 0;
    while (i < t->guesses.count && !(t->guesses.data[i].kind == kind &&
                                     t->guesses.data[i].info->kernel == of->info->kernel &&
                                     are_one_loop(of->info->flow, t->guesses.data[i].loop, loop)))
        i++;
    if (i == t->guesses.count) {
        const hd_guess g = {kind, of->info, of->info->kernel->name, loop, line, line, length,
                            NULL, 0};
        hd_push(t->arena, &t->guesses, g);
    }
    hd_guess *g = &t->guesses.data[i];
    g->share += hd_cost_mean(&of->cost);
    g->line = line < g->line ? line : g->line;
    g->last_line = line > g->last_line ? line : g->last_line;
    g->text = text_of(t, g, of->access->file);
}

/* Returns whether there were any. */
static bool add_loops(tally *t, const hd_cost_line *line, const hd_cost_options *options) {
    const hd_kernel_info *info = line->info;
    bool any = false;
    for (int32_t l = line->access->loop; l >= 0; l = info->flow->loops[l].parent) {
        const hd_trip *trip = &info->trips[l];
        bool unknown = hd_loop_is_guessed(trip);
        if (!unknown && !trip->early_exit)
            continue;
        any = true;
        add_guess(t, line, unknown ? HD_GUESS_LOOP : HD_GUESS_EXIT, l, info->flow->loops[l].line,
                  unknown ? hd_loop_guess(trip, options) : 0);
    }
    return any;
}

static bool add_line(tally *t, const hd_cost_line *line, const hd_cost_options *options) {
    const hd_access *access = line->access;
    bool any = add_loops(t, line, options);
    bool is_known = access->affine || access->computable;
    if (access->conditional)
        add_guess(t, line, HD_GUESS_CONDITION, access->loop, access->line, 0);
    if (!is_known)
        add_guess(t, line, line->irregular ? HD_GUESS_GATHER : HD_GUESS_INDEX, access->loop,
                  access->line, 0);
    if (access->shares)
        add_guess(t, line, HD_GUESS_PART, access->loop, access->line, 0);
    return any || access->conditional || !is_known || access->shares;
}

static int larger(const void *a, const void *b) {
    const hd_guess *x = a, *y = b;
    if (x->share != y->share)
        return x->share > y->share ? -1 : 1;
    return x->line != y->line ? (x->line > y->line) - (x->line < y->line)
                              : (int)x->kind - (int)y->kind;
}

hd_basis hd_basis_of(hd_arena *arena, const hd_cost_line *lines, size_t count,
                     const hd_cost_options *options) {
    tally t = {.arena = arena};
    double whole = 0, assumed = 0;
    for (size_t i = 0; i < count; i++) {
        double cost = hd_cost_mean(&lines[i].cost);
        whole += cost;
        if (cost > 0 && lines[i].origin == HD_ORIGIN_ASSUMED && add_line(&t, &lines[i], options))
            assumed += cost;
    }
    for (size_t i = 0; i < t.guesses.count; i++)
        t.guesses.data[i].share /= whole;
    if (t.guesses.count)
        qsort(t.guesses.data, t.guesses.count, sizeof *t.guesses.data, larger);
    return (hd_basis){whole > 0 ? assumed / whole : 0, t.guesses.data, (uint32_t)t.guesses.count};
}

void hd_basis_add_made_up(hd_arena *arena, const hd_job *job, hd_basis *basis) {
    static const struct {
        hd_guess_kind kind;
        const char *text;
    } kinds[] = {{HD_GUESS_CONTENTS, "contents of '%s' made up"},
                 {HD_GUESS_COUNT, "number of elements of '%s' guessed"},
                 {HD_GUESS_VALUE, "'%s' guessed"},
                 {HD_GUESS_SIZES, "sizes of launches of '%s' guessed"}};
    uint32_t count;
    const hd_made_up *all = advise_made_up(arena, job, &count);
    hd_guess *guesses = hd_new_array(arena, hd_guess, basis->count + count);
    if (basis->count)
        memcpy(guesses, basis->guesses, basis->count * sizeof *guesses);
    for (uint32_t i = 0; i < count; i++)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            if (strcmp(hd_guess_name(kinds[k].kind), all[i].kind) != 0)
                continue;
            size_t before = strcspn(kinds[k].text, "%");
            guesses[basis->count++] =
                (hd_guess){.kind = kinds[k].kind,
                           .kernel = all[i].kernel,
                           .loop = -1,
                           .text = hd_format(arena, "%.*s%s%s", (int)before, kinds[k].text,
                                             all[i].name, kinds[k].text + before + 2)};
        }
    basis->guesses = guesses;
}

/* "97%"; what is not all is not called 100%, nor something 0%. */
static const char *percent(hd_arena *arena, double share) {
    double shown = share > 0.99 && share < 1 ? 99 : share < 0.01 ? 1 : 100 * share;
    return hd_format(arena, share < 0.01 ? "less than %.0f%%" : "%.0f%%", shown);
}

const char *hd_basis_print(hd_arena *arena, const hd_basis *basis) {
    enum { NAMED = 2 };
    hd_str out = {.arena = arena};
    if (!basis->count)
        return "static cost; all of it follows from the source";
    hd_str_printf(&out, "static cost; %s of it rests on assumptions: ",
                  basis->assumed >= 1 ? "all" : percent(arena, basis->assumed));
    for (uint32_t i = 0; i < basis->count && i < NAMED; i++)
        hd_str_printf(&out, "%s%s", i ? ", " : "", basis->guesses[i].text);
    if (basis->count > NAMED)
        hd_str_printf(&out, " and %u more", basis->count - NAMED);
    return hd_str_text(&out);
}
