/*
 * Source edits for a chosen layout; generated headers and converters.
 *
 * A kernel parameter `__global R *p` of a laid-out record R becomes, in order,
 * one `__global uchar *p` (shared allocation) or one `__global uchar *p_0`,
 * `p_1` … for each cluster (discrete), followed by `ulong p_count`, the number
 * of elements. The generated prelude at the head of the kernel file holds the
 * address map for this layout as inline functions; every `p[i].f` becomes a
 * call of them.
 */
#ifndef HD_REWRITE_H
#define HD_REWRITE_H

#include "kernel/kir.h"
#include "layout/layout.h"

typedef struct hd_rewritten {
    const char *kernel_source; /* the whole kernel file in the new layout */
    const char *host_header;   /* C header: types, sizes, converters to and from the layout */
    uint32_t edit_count;       /* places changed in the user's text */
} hd_rewritten;

/* Rewrites every kernel of `path` that reaches `record` through its parameters.
 * What cannot be rewritten safely is a located HD_EUNSUPPORTED error, one for
 * every such place, and *result stays NULL. Comments and formatting of
 * untouched code stay. */
hd_status hd_rewrite_opencl(hd_arena *arena, const hd_diag *diag, const char *path,
                            const char *options, const hd_record *record,
                            const hd_layout *layout, hd_rewritten **result);

/* header.c: the host's header alone. `stem` names the types (a C identifier). */
const char *hd_rewrite_host_header(hd_arena *arena, const hd_record *record,
                                   const hd_layout *layout, const char *stem);

#endif
