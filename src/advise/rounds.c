/* Jobs with as many rounds as they have (rounds.h). */
#include "advise/rounds.h"

/* The rounds of a group that there are launches for, and that a run has. */
typedef struct group {
    const hd_until *until; /* NULL until one of its launches came */
    uint64_t most, had;
} group;

/* The round of each launch, from 1; 0: it is in no such group. */
static uint64_t *rounds_of(hd_arena *arena, const hd_job *job, group *groups) {
    uint64_t *rounds = hd_new_array(arena, uint64_t, job->launch_count);
    for (uint32_t l = 0; l < job->launch_count; l++) {
        const hd_launch *launch = &job->launches[l];
        if (!launch->until)
            continue;
        group *g = &groups[launch->until->number];
        g->most += launch->begins_round || !g->until;
        g->until = launch->until;
        rounds[l] = g->most;
    }
    return rounds;
}

/* What is run, or may be. What is written before a launch that goes is written before none. */
static hd_job *cut(hd_arena *arena, const hd_job *job, const bool *stays, const hd_launch *ran) {
    hd_job *shorter = hd_new(arena, hd_job);
    *shorter = *job;
    shorter->launches = hd_new_array(arena, hd_launch, job->launch_count);
    shorter->launch_count = 0;
    for (uint32_t l = 0; l < job->launch_count; l++)
        if (stays[l])
            shorter->launches[shorter->launch_count++] = ran[l].kernel ? ran[l] : job->launches[l];
    return shorter->launch_count ? shorter : (hd_job *)job;
}

static const char *say(hd_arena *arena, const group *g, bool known) {
    uint32_t line = g->until->spot.place.line;
    const char *in_line = line ? hd_format(arena, " in line %u", line) : "";
    const char *plural = g->had == 1 ? "" : "s";
    return known ? hd_format(arena, "%llu round%s of the group%s, as in a run",
                             (unsigned long long)g->had, plural, in_line)
                 : hd_format(arena, "%llu round%s of up to %llu of the group%s",
                             (unsigned long long)g->had, plural, (unsigned long long)g->most,
                             in_line);
}

/* How many rounds the groups have, in words; where a run does not tell, a few. */
static const char *count_rounds(hd_arena *arena, const hd_job *job, group *groups, bool known) {
    hd_str text = {.arena = arena};
    for (uint32_t g = 0; g < job->until_count; g++) {
        uint64_t few = groups[g].most < ADVISE_ROUNDS ? groups[g].most : ADVISE_ROUNDS;
        if (!known && groups[g].had < few)
            groups[g].had = few;
        if (groups[g].had < groups[g].most)
            hd_str_printf(&text, "%s%s", text.length ? ", " : "", say(arena, &groups[g], known));
    }
    return text.length ? hd_str_text(&text) : NULL;
}

static bool is_open(const hd_job *job) {
    bool open = job->until_count;
    for (uint32_t l = 0; l < job->launch_count && !open; l++)
        open = hd_launch_reads(&job->launches[l]);
    return open;
}

const hd_job *advise_rounds(hd_arena *arena, const hd_job *job, bool run,
                            const hd_evidence_options *options, const char **said) {
    *said = NULL;
    if (!is_open(job))
        return job;
    group *groups = hd_new_array(arena, group, job->until_count);
    uint64_t *rounds = rounds_of(arena, job, groups);
    hd_launch *ran = hd_new_array(arena, hd_launch, job->launch_count);
    bool *stays = hd_new_array(arena, bool, job->launch_count);
    bool known = run && hd_evidence_try(arena, job, options, ran);
    for (uint32_t l = 0; l < job->launch_count; l++)
        if (rounds[l] && ran[l].kernel)
            groups[job->launches[l].until->number].had = rounds[l];
    *said = count_rounds(arena, job, groups, known);
    for (uint32_t l = 0; l < job->launch_count; l++) {
        bool in_time = !rounds[l] || rounds[l] <= groups[job->launches[l].until->number].had;
        stays[l] = known ? ran[l].kernel != NULL : in_time;
    }
    return cut(arena, job, stays, ran);
}
