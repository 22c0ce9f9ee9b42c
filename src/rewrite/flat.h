/*
 * The text that is parsed and edited: the kernel file with the user's headers put in
 * where they are included, and with the macros that hide accesses expanded, one level at a
 * time. Every byte knows where it was written, so an edit of this flat text lands in the
 * header, in the macro's body or in the argument that it came from.
 *
 *     k.cl:    #include "r.h"            flat:   struct R { float x; };
 *              #define X(i) p[i].x               #define X(i) p[i].x
 *              ... X(n + 1) ...                  ...  p[ n + 1 ].x  ...
 *
 * A node is a stretch of the flat text that was written elsewhere than what is around it:
 * a file, the body of a macro, an argument of one. Its items are runs of its own text and
 * nodes, each of which stands for a part of its text (the directive, the use, the name of
 * the parameter). Private to this folder.
 */
#ifndef HD_REWRITE_FLAT_H
#define HD_REWRITE_FLAT_H

#include <clang-c/Index.h>

#include "base/base.h"

typedef struct range {
    unsigned begin, end; /* bytes; end is one past the last */
} range;

typedef hd_vec(range) range_list;
/* Whether one of them holds all of `at`. */
static inline bool rw_is_within(const range_list *list, range at) {
    for (size_t i = 0; i < list->count; i++)
        if (list->data[i].begin <= at.begin && at.end <= list->data[i].end)
            return true;
    return false;
}

typedef struct flat_node flat_node;

typedef struct flat_item {
    const char *text; /* a run; NULL: a node */
    flat_node *node;
    range origin;  /* in the file of the node that holds the item */
    bool is_added; /* a blank that no file has */
    unsigned at;   /* in the flat text */
} flat_item;

typedef enum flat_kind { FLAT_FILE, FLAT_MACRO, FLAT_ARGUMENT } flat_kind;

struct flat_node {
    flat_kind kind;
    unsigned file; /* where its runs were written */
    flat_node *up;
    range at; /* in the flat text */
    hd_vec(flat_item) items;
    const char *spelling; /* of a header: how it is included; NULL: not by "..." */
};

typedef struct flat_file {
    const char *path, *text;
} flat_file;

typedef struct flat {
    hd_arena *arena;
    hd_vec(flat_file) files; /* the kernel file first */
    flat_node *root;
    const char *text;
    unsigned length;
} flat;

void rw_flat_open(flat *f, hd_arena *arena, const char *path, const char *text);
/* Puts in the headers of the user that `unit`, the flat text as it is, includes. False when
 * there is none. */
bool rw_flat_include(flat *f, CXTranslationUnit unit);

/* Where a range of the flat text was written: the innermost node that holds it. False when an
 * end of it falls inside of a node that only partly belongs to it. */
typedef struct flat_spot {
    const flat_node *node;
    range at; /* in the node's file */
} flat_spot;
bool rw_flat_spot(const flat *f, range at, flat_spot *spot);
/* The same as a part of the text of `node`. */
bool rw_flat_spot_in(const flat *f, const flat_node *node, range at, range *result);
/* The offset in the flat text of a place in the file of `node`; false: not in its own text. */
bool rw_flat_offset(const flat_node *node, unsigned origin, unsigned *offset);
hd_place rw_flat_place(const flat *f, unsigned offset);
/* The directive, or the use of a macro, that a node stands for. */
hd_place rw_flat_use(const flat *f, const flat_node *node);

/* Puts `body` in the place of the macro's use at `use`. Uses must be put in from the last to the
 * first, and rw_flat_render() called after that. */
void rw_flat_put(flat *f, range use, flat_node *body);
/* Parts of the flat text as it is, for such a body. */
flat_node *rw_flat_node(flat *f, flat_kind kind, unsigned file);
void rw_flat_add_run(flat *f, flat_node *to, range at, const flat_node *from);
void rw_flat_add_argument(flat *f, flat_node *to, range parameter, range argument);
void rw_flat_render(flat *f);

#endif
