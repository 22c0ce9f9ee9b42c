/*
 * What an array of measured variants shows about a device: which layout and placement is best where,
 * where the lead changes hands, and whether the findings of Qasem and Teich (section VIII) hold
 * there. docs/explore.md says how sure it is.
 *
 *     point      a kernel; its variants differ in layout and placement alone
 *     line       points that differ in one dimension alone, by their value in it
 *     as good    a variant that cannot be told from the best of its point: their quartile ranges
 *                touch, or its median is within HD_NOTICEABLE of the best one's
 *     beaten     a variant that was measured at a point and is not as good
 *
 * Seconds are those of the whole run, with transfers, where the study has several placements, else
 * those of the kernels alone. Joules that a meter read and joules of a model are never compared:
 * where any were metered, the modelled ones count as unknown.
 */
#ifndef HD_STUDY_H
#define HD_STUDY_H

#include "advise/explore/explored.h"
#include "model/race.h"

/* A variant among those of its point, by an objective. */
typedef struct hd_standing {
    const hd_explored *variant;
    hd_interval value; /* median and quartiles */
    double lost;       /* the share of the median that the best variant would save */
    bool as_good;      /* as the best, as far as can be told */
} hd_standing;

typedef struct hd_ranking {
    hd_standing *all; /* the least median first; those whose value is not known are not here */
    uint32_t count;   /* 0: nothing is known */
    uint32_t as_good; /* how many */
} hd_ranking;

typedef struct hd_study_point {
    hd_micro_point point;
    const hd_explored **variants;
    uint32_t count;
    hd_ranking ranking[HD_OBJECTIVES];
} hd_study_point;

/*
 * The lead is among layouts in placements that were measured at most points of a line (at one point
 * there may be more of them). It changes hands as seldom as it can: a leader keeps it as long as
 * nobody of these beats it. A point where it was not measured says nothing about it.
 *
 * In between, the logarithm of the ratio of the two is taken to be straight in the logarithm of the
 * dimension's value (in the value itself from or to 0), and the lead passes where it is 0. `low` and
 * `high` are where it would pass if the next leader did as well, and as badly, as the quartile
 * ranges allow; an end of the line where they allow all of it.
 */
typedef struct hd_handover {
    hd_objective objective;
    const hd_explored *from; /* at the last point that it leads */
    const hd_explored *to;   /* at the first one */
    double at, low, high;    /* NAN: the two were not measured together on both sides */
} hd_handover;

typedef struct hd_line {
    int dimension;
    hd_micro_point base; /* what all points of the line are, at the dimension's usual value */
    const hd_study_point **stops; /* at least two, by value */
    uint32_t count;
    hd_handover *handovers; /* by objective, then along the line; none where values have names,
                             * because these have no order */
    uint32_t handover_count;
} hd_line;

typedef enum hd_finding_verdict {
    HD_FINDING_HOLDS,
    HD_FINDING_FAILS,     /* it does not hold here */
    HD_FINDING_UNDECIDED, /* not told apart: the spread allows both */
    HD_FINDING_UNKNOWN    /* nothing to decide it by: `why` */
} hd_finding_verdict;

/*
 * A finding rests on a ratio at each point where there is something to compare:
 *
 *     power       of the layouts of a point and a placement the greatest power by the least
 *     energy      the same for energy
 *     together    the energy of a layout by that of the best one, in the placement where this is
 *                 greatest; of the layouts the least: what it costs to choose one for all placements
 *     soa         in device memory, the energy of SoA by that of the best other layout
 *
 * The first two are about what is usual: medians over all comparisons decide, of the ratios' low and
 * of their high ends, below or above HD_STUDY_MATTERS. The last two are about what there is: they
 * hold where a ratio is surely more than noticeable (1 + HD_NOTICEABLE) anywhere, and fail where none
 * can be. Among many comparisons some quartile ranges lie apart by chance. So for these two they
 * are stretched about their medians, such that one of all comparisons is wrong with a probability
 * of about 5% at most: by 1.86 z / sqrt(2 repeats) where that is more than 1, with the z of a normal
 * distribution for 5% divided by the number of comparisons (the standard error of a median is 1.86
 * times half a quartile range by sqrt(repeats)). Of few repeats a range may be narrow by chance, too:
 * each is taken to be at least as wide as the ranges of the study are at the median.
 */
typedef struct hd_finding {
    const char *name;      /* "power", "energy", "together", "soa" */
    const char *statement; /* "layout hardly changes power" */
    const char *rule;      /* what decides, in a sentence */
    hd_finding_verdict verdict;
    const char *why;     /* it is unknown; else NULL */
    uint32_t compared;   /* ratios, */
    uint32_t showing;    /* of which so many surely lie on the side that the statement names */
    hd_interval median;  /* of the ratios: medians of their medians, low and high ends */
    hd_interval largest; /* the one of the greatest median, */
    const hd_explored *more, *less; /* and what it is of */
    bool modelled;                  /* the energy is of a model, not of a meter */
} hd_finding;

enum { HD_FINDINGS = 4 };
/* From this ratio on a difference in power or energy matters. */
#define HD_STUDY_MATTERS 1.1

typedef struct hd_study {
    const hd_explored *variants; /* as given */
    uint32_t count;
    bool several_placements; /* `whole` counts, not `kernels` */
    bool predicted;          /* times are a model's */
    bool modelled;           /* what energy is known is a model's */
    const char *meter;       /* of the energy; NULL: none is known */
    const char *why;         /* no energy is known; NULL: some is */
    hd_study_point *points;
    uint32_t point_count;
    hd_line *lines; /* by dimension; those through the usual point first */
    uint32_t line_count;
    hd_finding findings[HD_FINDINGS];
} hd_study;

/* Of one device. The variants must outlive the study; where a variant is there twice, the last one
 * counts. */
hd_study *hd_study_new(hd_arena *arena, const hd_explored *variants, uint32_t count);

/* Of a variant; false: not known. Power is that of runs as slow as the quartiles: joules.low by
 * seconds.low and joules.high by seconds.high are its ends. */
bool hd_study_value(const hd_study *study, const hd_explored *variant, hd_quantity quantity,
                    hd_interval *value);
/* The variant of a point in this layout and placement, or NULL. */
const hd_explored *hd_study_variant(const hd_study_point *point, const char *layout,
                                    const char *placement);
/* "soa", or "soa/host" where the study has several placements. */
const char *hd_study_print(hd_arena *arena, const hd_study *study, const hd_explored *variant);
/* "holds", "does not hold", "not told apart", "not known". */
const char *hd_finding_verdict_print(hd_finding_verdict verdict);

/* ---- rule_of_thumb.c: what the study tells to do without measuring ------------------------- */

typedef struct hd_placed_layout {
    const char *layout, *placement;
} hd_placed_layout;

/*
 * Section VIII, and section VII where that says nothing, as a fixed policy; of placements in the
 * order of explored.h:
 *
 *     discrete, in device memory    soa; da for energy at low arithmetic intensity
 *     discrete, in host memory      da
 *     integrated, in host memory    soa; preferred to device memory, with all layouts
 *     integrated, in device memory  aos
 *
 * Low: below the middle, in the logarithm, of the default plan's values, hd_study_low_intensity()
 * operations for a byte. The study has no numbers.
 */
hd_placed_layout hd_study_rule_of_thumb(const char *const *placements, uint32_t count,
                                        hd_objective objective, double intensity, bool integrated);

double hd_study_low_intensity(void);

/* ---- what the files of a study share --------------------------------------------------- */

/* Of two variants: the ratio of their values, with the ends that the ends of these allow. */
hd_interval study_ratio(hd_interval more, hd_interval less);
/* Whether `value` cannot be told from the best one, which has the least median. */
bool study_as_good(hd_interval value, hd_interval best);

/* study_lines.c, of a study that has its points; study_findings.c. */
void study_find_lines(hd_arena *arena, hd_study *study);
void study_test_findings(hd_arena *arena, hd_study *study);

#endif
