/*
 * A layout as text: what the generated OpenCL C and the generated host header
 * share. Private to this folder.
 *
 *     stream   a base pointer that values are reached from: a cluster's, or, in
 *              a `soa` cluster, that of one field's run
 */
#ifndef HD_REWRITE_PLAN_H
#define HD_REWRITE_PLAN_H

#include "layout/layout.h"

typedef struct rw_map_text {
    hd_arena *arena;
    const hd_record *record;
    const hd_layout *layout;
    const hd_map *map;    /* of one element: the constants of the layout */
    const char **streams; /* [field]: name of its stream */
    const char **names;   /* [field]: its name as part of a generated one: "pos_x" of "pos.x" */
} rw_map_text;

/* A name without "ns::" before it; borrowed from it. */
const char *rw_unscoped(const char *name);
/* Letters, digits and _ of a name, in which every other sign is a _. */
const char *rw_identifier(hd_arena *arena, const char *name);

/* How one language writes the types that the text needs. */
typedef struct rw_dialect {
    const char *bytes;        /* pointer to bytes, with its blank: "__global uchar *" */
    const char *size;         /* unsigned type of sizes: "ulong" */
    const char *byte, *index; /* "uchar", "long" */
    const char *function;     /* before a generated function: "static inline " */
    const char *restricted;   /* "restrict " */
} rw_dialect;

hd_status rw_map_text_make(hd_arena *arena, const hd_diag *diag, const hd_record *record,
                           const hd_layout *layout, rw_map_text **text);
/* Members of the reference struct: one base pointer for each stream. */
void rw_map_text_members(hd_str *out, const rw_map_text *text, const rw_dialect *dialect);
/* Statements that set ref.<stream> for every stream, from `count` and from the
 * pointers bases[allocation]. */
void rw_map_text_bases(hd_str *out, const rw_map_text *text, const rw_dialect *dialect,
                       const char *const *bases);
/* The body of a function that returns the bytes of `allocation` for `count` elements. */
void rw_map_text_bytes(hd_str *out, const rw_map_text *text, const rw_dialect *dialect);
/* Bytes from one element to the next; 0: its address needs tile and place of an element apart. */
uint64_t rw_map_text_stride(const rw_map_text *text, uint32_t field);
/* Statements that leave in `base` where the stream of `field` starts in its allocation. */
void rw_map_text_base(hd_str *out, const rw_map_text *text, const rw_dialect *dialect,
                      uint32_t field);
/* Expression for the bytes from there to `field` of `element`. */
const char *rw_map_text_step(const rw_map_text *text, uint32_t field, const char *element);
/* Expression for the address of `field` of element `element` (an expression
 * that binds as tightly as a name, unsigned when the field is tiled). */
const char *rw_map_text_address(const rw_map_text *text, uint32_t field, const char *element);

/* text.c: the text of this name, with values as pairs of a name and a text, and a NULL behind them. */
void rw_add_text(hd_str *out, const char *name, ...) __attribute__((sentinel));

/* header.c: the accessor of a field in the host's header, "body_x". */
const char *rw_header_accessor(const rw_map_text *text, const char *stem, uint32_t field);
/* The host's header for several records. */
const char *rw_host_header(hd_arena *arena, const hd_record_layout *layouts, uint32_t count);

#endif
