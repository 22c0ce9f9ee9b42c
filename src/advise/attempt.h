/*
 * Whether the sources of a job can be put in a layout: it is tried, in memory, before anybody is
 * told to. What the rewriter refuses mostly has to do with the source, seldom with the layout,
 * so that few layouts are tried: the cheapest ones, and SoA.
 */
#ifndef HD_ADVISE_ATTEMPT_H
#define HD_ADVISE_ATTEMPT_H

#include "rewrite/rewrite.h"
#include "model/search.h"

typedef struct hd_refusal {
    const hd_layout *layout;
    double ratio;    /* of its cost to the original's */
    const char *why; /* "k.cl:3:5: the address of a field is stored" */
} hd_refusal;

enum { HD_MOST_ATTEMPTS = 4 };
typedef struct hd_attempt {
    bool tried;              /* false: there is nothing to gain, or no source (kir) */
    const hd_layout *layout; /* the cheapest that was accepted; NULL: none */
    double ratio;
    hd_rewritten *rewritten; /* in that layout; NULL: none */
    hd_rewritten *program;   /* with the host code that is in the same file; NULL: none is there */
    hd_refusal refused[HD_MOST_ATTEMPTS];
    bool is_refused_by_host; /* the kernels would do: no other layout helps */
    uint32_t refused_count;
} hd_attempt;

/* Tries the layouts of a search of the resolved job that gain anything, the cheapest first. */
void advise_attempt(hd_arena *arena, const hd_job *job, const hd_search_result *search,
                    hd_attempt *attempt);

#endif
