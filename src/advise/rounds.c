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

/* Launches of rounds that there were. What is written before one that goes is written before none. */
static hd_job *cut(hd_arena *arena, const hd_job *job, const uint64_t *rounds,
                   const group *groups) {
    hd_job *shorter = hd_new(arena, hd_job);
    *shorter = *job;
    shorter->launches = hd_new_array(arena, hd_launch, job->launch_count);
    shorter->launch_count = 0;
    for (uint32_t l = 0; l < job->launch_count; l++)
        if (!rounds[l] || rounds[l] <= groups[job->launches[l].until->number].had)
            shorter->launches[shorter->launch_count++] = job->launches[l];
    return shorter;
}

static const char *say(hd_arena *arena, const group *g, bool known) {
    const char *in_line =
        g->until->place.line ? hd_format(arena, " in line %u", g->until->place.line) : "";
    const char *plural = g->had == 1 ? "" : "s";
    return known ? hd_format(arena, "%llu round%s of the group%s, as in a run",
                             (unsigned long long)g->had, plural, in_line)
                 : hd_format(arena, "%llu round%s of up to %llu of the group%s",
                             (unsigned long long)g->had, plural, (unsigned long long)g->most,
                             in_line);
}

const hd_job *advise_rounds(hd_arena *arena, const hd_job *job, bool run,
                            const hd_evidence_options *options, const char **said) {
    *said = NULL;
    if (!job->until_count)
        return job;
    group *groups = hd_new_array(arena, group, job->until_count);
    uint64_t *rounds = rounds_of(arena, job, groups);
    bool *ran = hd_new_array(arena, bool, job->launch_count);
    bool known = run && hd_evidence_try(arena, job, options, ran);
    hd_str text = {.arena = arena};
    for (uint32_t l = 0; l < job->launch_count; l++)
        if (rounds[l] && ran[l])
            groups[job->launches[l].until->number].had = rounds[l];
    for (uint32_t g = 0; g < job->until_count; g++) {
        uint64_t few = groups[g].most < ADVISE_ROUNDS ? groups[g].most : ADVISE_ROUNDS;
        if (!known && groups[g].had < few)
            groups[g].had = few;
        if (groups[g].had < groups[g].most)
            hd_str_printf(&text, "%s%s", text.length ? ", " : "", say(arena, &groups[g], known));
    }
    *said = text.length ? hd_str_text(&text) : NULL;
    return cut(arena, job, rounds, groups);
}
