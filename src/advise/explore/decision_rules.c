/* Decision rules (decision_rules.h). */
#include "advise/explore/decision_rules.h"

#include "advise/explore/explore.h"

enum { MOST_HEARD = 4 << 20 }; /* accesses of lanes */

static const char *const names[HD_RULES] = {
    [HD_RULE_THUMB] = "rule of thumb", [HD_RULE_NEAREST] = "nearest micro-kernels"};
const char *hd_decision_rule_name(hd_decision_rule rule) { return names[rule]; }

/* ---- the rule of thumb ------------------------------------------------------------------------ */

static hd_rule_answer ask_thumb(hd_arena *arena, const hd_rules_answer *a) {
    static const char *const placements[] = {"device", "host"};
    const double low = hd_study_low_intensity();
    /* Of a job that does not run: not low. */
    const double intensity = a->is_counted ? a->features.value[HD_FEATURE_INTENSITY] : low;
    const hd_placed_layout says =
        hd_study_rule_of_thumb(placements, 2, a->objective, intensity, a->integrated);
    const char *why =
        a->integrated ? "device and host share their memory, so data stay where they are"
        : a->objective == HD_QUANTITY_TIME ? "the device has memory of its own"
        : !a->is_counted
            ? "the device has memory of its own, and how much is computed is not known"
            : hd_format(arena,
                        "the device has memory of its own, and %.3g operations for a byte are %s "
                        "(below %.3g)",
                        intensity, intensity < low ? "few" : "not few", low);
    return (hd_rule_answer){says, why};
}

/* ---- the nearest micro-kernels ------------------------------------------------------------------ */

static hd_rule_answer ask_nearest(hd_arena *arena, const hd_rules_answer *a,
                                  const hd_placed_layout *thumb) {
    const hd_nearest *n = &a->nearest;
    const char *what = hd_quantities[a->objective].name;
    if (!a->is_counted)
        return (hd_rule_answer){.why = "the job does not run on the machine, so nobody knows what "
                                       "it is like"};
    if (!n->count)
        return (hd_rule_answer){
            .why = hd_format(arena, "nothing was explored: heddle device explore --model %s",
                             a->device->name)};
    if (n->far)
        return (hd_rule_answer){
            .why = hd_format(arena, "none is near: the nearest is %.3g away", n->all[0].distance)};
    if (!hd_nearest_rank(arena, n, a->objective).count)
        return (hd_rule_answer){
            .why = hd_format(arena, "nothing is known of the %s of those that are near", what)};
    const hd_placed_layout says =
        hd_nearest_choose(arena, n, a->objective, thumb, &(hd_counted_all){0});
    const bool agrees =
        !strcmp(says.layout, thumb->layout) && !strcmp(says.placement, thumb->placement);
    return (hd_rule_answer){says, hd_format(arena, "%u are near, the nearest %.3g away, and %s",
                                            n->count, n->all[0].distance,
                                            agrees ? "tell of nothing that is surely better"
                                                   : hd_format(arena, "take less %s so", what))};
}

/* ---- both ----------------------------------------------------------------------------------------- */

hd_status hd_rules_ask_with(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                            const hd_device *device, const hd_nearest_point *points, uint32_t count,
                            hd_objective objective, hd_rules_answer *a) {
    static const hd_diag silent = {0};
    *a = (hd_rules_answer){
        .device = device, .objective = objective, .integrated = !(device->speed.link > 0)};
    a->is_counted = hd_features_count(&silent, job, device, MOST_HEARD, &a->features) == HD_OK;
    if (a->is_counted && count)
        hd_nearest_find(points, count, &a->features, &a->nearest);
    hd_rule_answer *thumb = &a->rules[HD_RULE_THUMB], *nearest = &a->rules[HD_RULE_NEAREST];
    *thumb = ask_thumb(arena, a);
    *nearest = ask_nearest(arena, a, &thumb->says);
    const bool overrules =
        nearest->says.layout && (strcmp(nearest->says.layout, thumb->says.layout) != 0 ||
                                 strcmp(nearest->says.placement, thumb->says.placement) != 0);
    a->by = overrules ? HD_RULE_NEAREST : HD_RULE_THUMB;
    a->chosen = a->rules[a->by].says;
    return hd_layout_parse(arena, diag, job->record, a->chosen.layout, &a->layout);
}

/* What was explored of the profile, by which device ever. */
static hd_study *find_study(hd_arena *arena, const hd_device *device, hd_database *database,
                            const char **backend) {
    const char *profile = hd_device_print(arena, device);
    size_t devices = 0, count = 0, kept;
    const hd_profiled_device *all =
        database ? hd_explored_devices(database, arena, &devices) : NULL;
    for (size_t d = 0; d < devices; d++) {
        const hd_explored *variants = hd_explored_known(database, arena, &all[d], profile, &count);
        if (!count)
            continue;
        hd_explored_kernels(arena, variants, count, &kept);
        *backend = all[d].backend;
        return hd_study_new(arena,
                            kept < count ? hd_explored_runs(arena, variants, count) : variants,
                            (uint32_t)count);
    }
    return NULL;
}

hd_status hd_rules_ask(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                       const hd_device *device, hd_database *database, hd_objective objective,
                       hd_rules_answer *answer) {
    hd_nearest_device of = {.profile = device, .integrated = !(device->speed.link > 0)};
    const hd_study *study = find_study(arena, device, database, &of.backend);
    hd_nearest_point *points = NULL;
    hd_status status = study ? hd_nearest_points(arena, diag, study, &of, &points) : HD_OK;
    return status ? status
                  : hd_rules_ask_with(arena, diag, job, device, points,
                                      study ? study->point_count : 0, objective, answer);
}
