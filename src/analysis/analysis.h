/*
 * The table of analyses that count something of each launch and of each of its accesses. `heddle
 * run`, also of a program, `show`, `diff`, SARIF, `report` and all JSON loop over it.
 *
 * A new one is a file and a row of HD_ANALYSES: the row `hd_thing` stands for
 *
 *     const hd_analysis hd_thing_analysis;
 *     const hd_member hd_thing_members[];
 *
 * which its file defines, and tally.h has all but the counting itself.
 */
#ifndef HD_ANALYSIS_H
#define HD_ANALYSIS_H

#include "analysis/coalesce.h"

/* The first one is what all else is shown beside: how often accesses were executed, and what they
 * moved. */
#define HD_ANALYSES(ROW) ROW(hd_coalesce) ROW(hd_banks)

enum {
#define HD_ANALYSIS_NUMBER(name) NUMBER_OF_##name,
    HD_ANALYSES(HD_ANALYSIS_NUMBER)
#undef HD_ANALYSIS_NUMBER
        HD_ANALYSIS_COUNT,
    HD_MOST_COUNTS = 8 /* of one analysis */
};

/* What all of them counted of some launches, or of an access in these. */
typedef struct hd_launch_counts {
    union {
        hd_coalesce_counts moved; /* the first's */
        uint64_t of[HD_ANALYSIS_COUNT][HD_MOST_COUNTS];
    };
} hd_launch_counts;

/* Where a column of an analysis is seen, besides in the tables of `run`. */
enum {
    HD_IN_SHOW = 1 << 0,    /* the margin of `show`, and of the page's source */
    HD_IN_DIFF = 1 << 1,    /* both sides of `diff` */
    HD_IN_PROGRAM = 1 << 2, /* where there is room for few: `run -- PROGRAM`, the page's source */
    HD_IN_ALL = 1 << 3      /* every column; not for rows of `columns` */
};

/* What one of its members is shown as. */
typedef struct hd_analysis_column {
    const char *title; /* of the member; NULL: the end */
    uint32_t seen;     /* HD_IN_... */
    uint32_t leaves;   /* a narrow terminal: the columns with small numbers go first; 0: stays */
} hd_analysis_column;

/* What is wrong with an access. */
typedef struct hd_access_finding {
    uint64_t own, wasted; /* as `weight`: of the access, and in vain */
    uint64_t bytes;       /* moved in vain; 0: it is not about bytes */
    const char *text;     /* a sentence or two, with the mend; NULL where nothing is wasted */
} hd_access_finding;

/* A kind of finding, as SARIF has it. */
typedef struct hd_rule {
    const char *id, *name, *summary, *help;
    const char *unit; /* "transactions": what a finding counts */
} hd_rule;

struct hd_access_row;

typedef struct hd_analysis {
    /* Of the first member: how often it looked at something; 0: it has nothing to say. */
    const hd_member *members;
    hd_tally_work (*work)(hd_arena *arena, const hd_device *device);
    hd_analysis_column columns[HD_MOST_COUNTS];
    /* "Local memory on h200, in 32 banks of 4 bytes": above its table in `run`. */
    const char *(*title)(hd_arena *arena, const hd_device *device);
    /* All that was counted, on a line; NULL: there is none. */
    const char *(*sum)(hd_arena *arena, const hd_launch_counts *counts);
    /* What lines are ordered by, in transactions; NULL: it weighs nothing. */
    uint64_t (*weight)(const hd_launch_counts *counts);
    /* What SARIF says; NULL: nothing. `advise` is what mends the layout of the row's record. */
    const hd_rule *rule;
    hd_access_finding (*find)(hd_arena *arena, const hd_device *device,
                              const struct hd_access_row *row, const char *advise);
} hd_analysis;

extern const hd_analysis *const hd_analyses[HD_ANALYSIS_COUNT];
#define HD_ANALYSIS_DECLARE(name)             \
    extern const hd_analysis name##_analysis; \
    extern const hd_member name##_members[];
HD_ANALYSES(HD_ANALYSIS_DECLARE)
#undef HD_ANALYSIS_DECLARE

/* All members of all, those of an analysis in a group: of hd_launch_counts. */
extern const hd_member hd_launch_count_members[];
/* The columns that are `seen` there: of the first analysis, and of those that have something to say
 * of `counts` (NULL: of all). */
const hd_member *hd_launch_count_columns(hd_arena *arena, uint32_t seen,
                                         const hd_launch_counts *counts);
/* Where a member is seen; all zero where nobody says. */
hd_analysis_column hd_analysis_column_of(const hd_analysis *analysis, const hd_member *member);
/* Whether an analysis has something to say of what was counted. */
bool hd_analysis_counted(uint32_t number, const hd_launch_counts *counts);

/* All of them, as for a device. */
hd_tally *hd_counters_new(hd_arena *arena, const hd_device *device);
/* Adds what was counted of a launch; nothing if it was not heard. */
void hd_counters_add(const hd_tally *counters, uint32_t launch, hd_launch_counts *sum);
/* The same of one access of it. */
void hd_counters_add_access(const hd_tally *counters, uint32_t launch, uint32_t access,
                            hd_launch_counts *sum);
void hd_launch_counts_add(hd_launch_counts *sum, const hd_launch_counts *more);

/* Bytes asked for as a share of those that were moved; 1 where none were. */
double hd_efficiency(const hd_launch_counts *counts);
/* The sum of all weights, and of those from analysis `first` on. */
uint64_t hd_weight(const hd_launch_counts *counts, uint32_t first);

#endif
