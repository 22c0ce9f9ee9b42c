/*
 * What weighs more than the layout of the record: conflicts of the banks of local memory, accesses to
 * other memory, or all else where the record is hardly accessed.
 */
#ifndef HD_ADVISE_DOMINATING_H
#define HD_ADVISE_DOMINATING_H

#include "advise/evidence.h"

typedef struct hd_dominating {
    const char *kind;       /* "bank conflicts", "other memory", "small share", "lanes apart" */
    const char *kernel;     /* of the worst access; NULL: it is of all */
    uint32_t line;          /* its line; 0: of all */
    double amount, against; /* of bank conflicts passes, against the transactions that the layout
                             * saves; of lanes apart the transactions of a request in the loop, and the
                             * share of the cost that these are; else shares of the cost: of these
                             * accesses, and what the layout saves */
    const char *text; /* one or two sentences without a full stop, the mend, too, if it was tried */
} hd_dominating;

enum { HD_MOST_DOMINATING = 4 };

/* What a layout would save, of the job's cost and of its transactions; zeros: it stays. */
typedef struct hd_layout_gain {
    double share, transactions;
} hd_layout_gain;

/* Where kernels use local memory the job is run, within four times the limit of work, and again with
 * the worst array padded by one column: that is said only where it leaves the same contents and at
 * least halves the passes. `lines` are those of the original layout. Returns how many there are. */
uint32_t advise_dominating(hd_arena *arena, const hd_job *job, const hd_device *device,
                           const hd_cost_line *lines, size_t line_count, const hd_layout_gain *gain,
                           const hd_evidence_options *options,
                           hd_dominating found[HD_MOST_DOMINATING]);

#endif
