/*
 * Decision rules: a layout and a placement for a job, without a price or a run of any layout.
 *
 *     hd_rules_answer answer;
 *     status = hd_rules_ask(arena, diag, job, device, database, HD_QUANTITY_ENERGY, &answer);
 *     answer.chosen.layout, answer.chosen.placement    "da", "device"
 *     answer.layout                                    the same for the job's record, to apply
 *     answer.by                                        HD_RULE_THUMB
 *
 * There are two rules. The rule of thumb is that of Qasem and Teich, "Evaluating the Impact of Data Layout
 * and Placement on the Energy Efficiency of Heterogeneous Applications", sections VII and VIII (study.h): it
 * asks whether the device shares the host's memory and, for energy, how much is computed for each byte. The
 * nearest micro-kernels are what was explored of kernels like the job's on that device, or by its profile
 * (nearest.h); they overrule the rule of thumb where at least two of them and most agree. The features of the
 * job that both read are those of one run of it as it is on the machine. How often each rule is right is in
 * docs/explore.md.
 */
#ifndef HD_DECISION_RULES_H
#define HD_DECISION_RULES_H

#include "advise/explore/nearest.h"
#include "advise/measure/database.h"

typedef enum hd_decision_rule { HD_RULE_THUMB, HD_RULE_NEAREST, HD_RULES } hd_decision_rule;
/* "rule of thumb", "nearest micro-kernels" */
const char *hd_decision_rule_name(hd_decision_rule rule);

/* What a rule says, and since when. */
typedef struct hd_rule_answer {
    hd_placed_layout says; /* in notation, "soa", and a placement, "device"; NULLs: nothing */
    const char *why;       /* it says that, or says nothing: in words */
} hd_rule_answer;

/* Texts and layouts are the arena's; points are those of the profile database. */
typedef struct hd_rules_answer {
    const hd_device *device;
    hd_objective objective;
    bool integrated;      /* the device shares the host's memory: its profile has no link */
    bool is_counted;      /* the job ran, and so has features, each without a unit (features.h) */
    hd_features features; /* of the job: what the rules read of it */
    hd_nearest nearest;   /* of the explored points; count 0: nothing is known of the device */
    hd_rule_answer rules[HD_RULES];
    hd_decision_rule by; /* whose answer it is */
    hd_placed_layout chosen;
    hd_layout *layout; /* the chosen one, of job->record */
} hd_rules_answer;

/* The job must be resolved and have a record; of each of its launches one run is made, and at most 4 M accesses of
 * lanes are heard. `database` (NULL: none) has what was explored; each explored point is run once, too, for its
 * features. HD_EINPUT: the chosen layout is none of the record; HD_ESYSTEM: no temporary files. A job that does not run
 * is no error: it has no features then. */
hd_status hd_rules_ask(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                       const hd_device *device, hd_database *database, hd_objective objective,
                       hd_rules_answer *answer);

/* The same with points that were found before by hd_nearest_points(), of this device. */
hd_status hd_rules_ask_with(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                            const hd_device *device, const hd_nearest_point *points, uint32_t count,
                            hd_objective objective, hd_rules_answer *answer);

#endif
