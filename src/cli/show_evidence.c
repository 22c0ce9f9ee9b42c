/* What a run of the job has shown, as `advise` tells it. */
#include "cli/show_advice.h"

#include "cli/commands.h"
#include "cli/report/members.h"

/* ---- options ------------------------------------------------------------------------------- */

/* "16M", "200k", "1000000". */
static bool read_count(const char *text, uint64_t *count) {
    static const struct {
        const char *name;
        uint64_t times;
    } units[] = {{"", 1}, {"k", 1000}, {"M", 1000000}, {"G", 1000000000}};
    const char *end;
    if (!cli_whole(text, &end, count))
        return false;
    for (size_t u = 0; u < sizeof units / sizeof *units; u++)
        if (!strcmp(end, units[u].name))
            return !__builtin_mul_overflow(*count, units[u].times, count);
    return false;
}

hd_status cli_evidence_read(cli *c, hd_advise_options *options) {
    const char *run = c->given->run;
    uint64_t *limit = &options->evidence.limit;
    options->run = true;
    if (!run)
        return HD_OK;
    if (!strcmp(run, "all"))
        *limit = UINT64_MAX;
    else if (!read_count(run, limit))
        return cli_refuse(c, "--run takes a number of accesses as 16M or 200k, 0 or all, not '%s'",
                          run);
    options->run = *limit > 0;
    return HD_OK;
}

/* ---- in words -------------------------------------------------------------------------------- */

static const char *plural(uint64_t count) { return count == 1 ? "" : "s"; }

/* ", each as far as 16384 accesses or 262144 instructions of each thread, of unknown length"; ", each as
 * far as 8192 accesses of each thread of about 98558" */
static const char *say_part(hd_arena *arena, const hd_evidence *e) {
    if (!e->part_blocks)
        return "";
    const char *who = e->part_blocks == e->blocks
                          ? "each"
                          : hd_format(arena, "%llu of them", (unsigned long long)e->part_blocks);
    const char *behind =
        e->behind ? hd_format(arena, " (%llu threads less than half as far, since they waited)",
                              (unsigned long long)e->behind)
                  : "";
    if (e->part_of > 0)
        return hd_format(arena, ", %s as far as %llu accesses of each thread%s of about %.0f", who,
                         (unsigned long long)e->part.accesses, behind, e->part_of);
    return hd_format(
        arena,
        ", %s as far as %llu accesses or %llu instructions of each thread%s, of unknown length",
        who, (unsigned long long)e->part.accesses, (unsigned long long)e->part.instructions,
        behind);
}

const char *cli_evidence_basis(hd_arena *arena, const hd_advice *advice, const char *cost) {
    const hd_evidence *e = advice->evidence;
    const hd_recount *r = &advice->recount;
    const char *counted = r->simulated ? ", with its caches simulated" : "";
    if (r->tried && !r->why && r->blocks)
        return hd_format(
            arena, "a run of %llu of %llu blocks of the compiled kernels in each layout%s",
            (unsigned long long)r->blocks, (unsigned long long)r->block_count, counted);
    if (r->tried && !r->why && (!e || e->why))
        return hd_format(arena, "a run of the compiled kernels in each layout%s", counted);
    if (!e)
        return cost;
    if (e->is_silent)
        return hd_format(arena, "a run of the whole job, in which %s", e->why);
    if (e->why)
        return hd_format(arena, "%s; the job was not run: %s", cost, e->why);
    const hd_judgement *judged = advice->devices[0].judged;
    const char *caches = judged->simulated ? ", with its caches simulated" : "";
    const char *made_up =
        e->made_up ? hd_format(arena, " on made-up contents of %s", e->made_up) : "";
    if (hd_evidence_is_whole(e))
        return hd_format(arena, "a run of the whole job%s%s", made_up, caches);
    return hd_format(arena, "a run of %llu of %llu block%s, in %llu of %llu launch%s%s%s%s",
                     (unsigned long long)e->blocks, (unsigned long long)e->block_count,
                     plural(e->block_count), (unsigned long long)e->runs,
                     (unsigned long long)e->run_count, e->run_count == 1 ? "" : "es",
                     say_part(arena, e), made_up, caches);
}

/* ---- tables ---------------------------------------------------------------------------------- */

HD_GETTER(is_made_up, hd_evidence, hd_bool(row->made_up != NULL))
HD_GETTER(part_of, hd_evidence, row->part_of > 0 ? hd_real(row->part_of) : hd_null())
HD_GETTER(whole_of, hd_evidence, hd_bool(hd_evidence_is_whole(row)))

const hd_member cli_evidence_members[] = {
    HD_SAME(hd_evidence, why, runs, run_count, blocks, block_count, lane_accesses, seconds),
    HD_SAME(hd_evidence, part_blocks, behind),
    {"part_accesses", HD_AT(hd_evidence, part.accesses)},
    {"part_instructions", HD_AT(hd_evidence, part.instructions)},
    {"part_of", .get = part_of},
    {"made_up", .get = is_made_up},
    {"touching", HD_AT(hd_evidence, touched.threads)},
    {"threads", HD_AT(hd_evidence, touched.of)},
    {"whole", .get = whole_of},
    {0}};

static hd_value dram_of(const hd_view *view, const void *at) {
    (void)view;
    const hd_cache_counts *counts = &((const hd_judged *)at)->caches.counts;
    return counts->sectors ? hd_whole(counts->dram_read + counts->dram_written) : hd_null();
}

static const hd_member judged_columns[] = {
    {"layout", "layout", HD_PLAIN, HD_BEHIND(hd_judged, layout), .of = hd_layout_members},
    {"cost", "cost", HD_COUNT, HD_AT(hd_judged, cost)},
    {"ratio", "ratio", HD_DECIMALS, HD_AT(hd_judged, ratio)},
    {"transactions", "transactions", HD_COUNT, HD_AT(hd_judged, transactions)},
    {"dram_bytes", "DRAM", HD_BYTES, .get = dram_of},
    {0}};
#define JOULES {"joules", "energy", HD_JOULES, HD_AT(hd_judged, joules), HD_IF(hd_judged, joules)}
static const hd_member energy_columns[] = {{HD_SELF, .of = judged_columns}, JOULES, {0}};
static const hd_member judged_members[] = {
    {HD_SELF, .of = judged_columns},
    {"seconds", "time", HD_SECONDS, HD_AT(hd_judged, seconds), HD_IF(hd_judged, seconds)},
    JOULES,
    {0}};

HD_GETTER(objective_of, hd_judgement, hd_text(hd_quantities[row->objective].name))

const hd_member cli_judgement_members[] = {
    {"layouts", HD_MANY(hd_judgement, layouts, count), .of = judged_members},
    {"objective", .get = objective_of},
    HD_SAME(hd_judgement, heard, simulated, margin, leave),
    {0}};

const char *cli_objective_text(hd_objective objective, bool is_timed) {
    return objective == HD_QUANTITY_EDP ? "of the modelled energy times the predicted time"
           : is_timed ? "of the energy, which is modelled, with idle power for the predicted time"
                      : "of the energy, which is modelled, without idle power";
}

void cli_show_judged(cli *c, const hd_record *record, const hd_evidence *e,
                     const hd_device_advice *of, hd_str *out) {
    const hd_judgement *judged = of->judged;
    hd_str_printf(out, "\nLayouts on %s, by %s", of->device->name,
                  judged->heard ? "what was counted" : "static cost");
    if (judged->simulated && !hd_evidence_is_whole(e))
        hd_str_printf(out, " in %s%llu of %llu block%s", e->part_blocks ? "the beginning of " : "",
                      (unsigned long long)e->blocks, (unsigned long long)e->block_count,
                      plural(e->block_count));
    hd_str_printf(out, "\n");
    const bool is_of_energy = judged->objective != HD_QUANTITY_TIME;
    const bool is_timed = judged->layouts->seconds > 0;
    cli_show_rows(c, NULL,
                  !is_of_energy ? judged_columns
                  : is_timed    ? judged_members
                                : energy_columns,
                  hd_with(hd_rows(judged->layouts, judged->count), record), out);
    if (is_of_energy)
        hd_say(out, "  ratio: %s", cli_objective_text(judged->objective, is_timed));
    if (judged->heard && e->part_blocks)
        hd_say(out, "  what blocks do behind their beginning was not heard, and caches are empty "
                    "when they begin");
}
