/*
 * Macros that hide accesses. A macro that only makes an index, or is given a whole access, is
 * none of them: the edits stay outside of its body. Where an access begins or ends inside of a
 * body, the walk asks for the macro to be expanded: all its uses are replaced, one level deep,
 * by what it stands for (flat.h), and the text is read again. Every use then leads to edits of
 * the one body, and these must agree (output.c).
 */
#include <stdlib.h>

#include "internal.h"

void rw_macros_read(rewriter *rw) {
    hd_cursors all = hd_cursor_children(rw->arena, clang_getTranslationUnitCursor(rw->src.unit));
    for (size_t i = 0; i < all.count; i++) {
        enum CXCursorKind kind = clang_getCursorKind(all.data[i]);
        unsigned offset;
        range at;
        if (kind == CXCursor_MacroDefinition && rw_range_of(&rw->src, all.data[i], &at))
            hd_push(rw->arena, &rw->inactive, at);
        if (kind != CXCursor_MacroExpansion ||
            !rw_offset_of(&rw->src, clang_getCursorLocation(all.data[i]), &offset))
            continue;
        CXCursor definition = clang_getCursorReferenced(all.data[i]);
        size_t name = rw_token_at(&rw->src, offset);
        at = (range){offset, rw_macro_use_end(&rw->src, offset)};
        if (!clang_Cursor_isMacroFunctionLike(definition) && name < rw->src.token_count)
            at.end = rw->src.tokens[name].at.end;
        hd_push(rw->arena, &rw->macro_uses, (macro_use){at, definition});
    }
    CXSourceRangeList *skipped = clang_getSkippedRanges(rw->src.unit, rw->src.file);
    for (unsigned i = 0; skipped && i < skipped->count; i++) {
        range at;
        if (rw_offset_of(&rw->src, clang_getRangeStart(skipped->ranges[i]), &at.begin) &&
            rw_offset_of(&rw->src, clang_getRangeEnd(skipped->ranges[i]), &at.end))
            hd_push(rw->arena, &rw->inactive, at);
    }
    if (skipped)
        clang_disposeSourceRangeList(skipped);
}

/* ---- a definition -------------------------------------------------------------------- */

/* Tokens of "NAME(a, b) body" in the flat text. */
typedef struct definition {
    size_t name, body, end; /* body and end: tokens */
    size_t *parameters;
    size_t parameter_count;
    bool takes_arguments;
    const flat_node *node; /* where it stands */
} definition;

static bool read_parameters(rewriter *rw, definition *d) {
    const source *src = &rw->src;
    size_t close = rw_token_matching(src, d->name + 1);
    d->parameters = hd_new_array(rw->arena, size_t, close - d->name);
    for (size_t t = d->name + 2; t < close; t++) {
        if (rw_token_is(src, t, "..."))
            return false;
        if (!rw_token_is(src, t, ","))
            d->parameters[d->parameter_count++] = t;
    }
    d->body = close + 1;
    return close < d->end;
}

static const char *why_not(const rewriter *rw, const definition *d) {
    const source *src = &rw->src;
    for (size_t t = d->body; t < d->end; t++) {
        if (rw_token_is(src, t, "##"))
            return "it joins words with ##; write the field's name out, with a macro for each "
                   "field";
        if (rw_token_is(src, t, "#"))
            return "it makes text with #; make the access without the macro";
        if (rw_token_is(src, t, rw_token_text(src, d->name)))
            return "it names itself; give it another name";
    }
    return NULL;
}

/* Reads a definition that stands in the flat text; returns why it cannot be expanded. */
static const char *read_definition(rewriter *rw, CXCursor cursor, definition *d) {
    range at;
    flat_spot spot;
    *d = (definition){0};
    if (!rw_range_of(&rw->src, cursor, &at) || !rw_flat_spot(rw->flat, at, &spot))
        return "it is not defined in the kernel's files";
    d->node = spot.node;
    d->name = rw_token_at(&rw->src, at.begin);
    d->body = d->name + 1;
    d->end = rw_token_from(&rw->src, at.end);
    d->takes_arguments = clang_Cursor_isMacroFunctionLike(cursor);
    if (d->takes_arguments && !read_parameters(rw, d))
        return "it takes any number of arguments; give it a fixed number";
    return why_not(rw, d);
}

/* ---- requests ---------------------------------------------------------------------------- */

/* What was asked for a macro, or NULL; *w names it then. False: it is in none of the files. */
static bool find_request(const rewriter *rw, CXCursor cursor, expansion *w, expansion **known) {
    unsigned offset;
    flat_spot spot;
    *known = NULL;
    if (!rw_offset_of(&rw->src, clang_getCursorLocation(cursor), &offset) ||
        !rw_flat_spot(rw->flat, (range){offset, offset + 1}, &spot))
        return false;
    *w = (expansion){.file = spot.node->file, .origin = spot.at.begin};
    w->defined = rw_flat_place(rw->flat, offset);
    for (size_t i = 0; i < rw->expansions.count && !*known; i++) {
        expansion *other = &rw->expansions.data[i];
        if (other->file == w->file && other->origin == w->origin)
            *known = other;
    }
    return true;
}

/* True when the macro's name itself stands at its use, which is not so inside of others. */
static bool is_visible(const rewriter *rw, const macro_use *use) {
    size_t t = rw_token_at(&rw->src, use->at.begin);
    return rw_token_is(&rw->src, t, rw_spelling(rw->arena, use->definition));
}

static bool want(rewriter *rw, const macro_use *use, const char **why, hd_place *defined) {
    expansion w, *known;
    if (!find_request(rw, use->definition, &w, &known)) {
        *why = "it is not defined in the kernel's files";
        return false;
    }
    if (!known) {
        definition d;
        w.why_not = read_definition(rw, use->definition, &d);
        hd_push(rw->arena, &rw->expansions, w);
        known = &rw->expansions.data[rw->expansions.count - 1];
        rw->is_expanding |= !w.why_not;
    }
    *why = known->why_not;
    *defined = known->defined;
    return !known->why_not && rw->is_expanding;
}

bool rw_macro_request(rewriter *rw, range at, const char **why, hd_place *defined) {
    bool any = false;
    for (int inner = 0; inner < 2 && !any; inner++) /* the outer ones may be all that is needed */
        for (size_t i = 0; i < rw->macro_uses.count; i++) {
            const macro_use *use = &rw->macro_uses.data[i];
            bool touches = use->at.begin < at.end && use->at.end > at.begin;
            bool is_inner = false; /* in an argument of another one */
            for (size_t k = 0; k < rw->macro_uses.count && touches; k++)
                is_inner |= rw->macro_uses.data[k].at.begin < use->at.begin &&
                            rw->macro_uses.data[k].at.end >= use->at.end;
            if (touches && is_visible(rw, use) && is_inner == inner)
                any |= want(rw, use, why, defined);
        }
    return any;
}

/* ---- expanding ----------------------------------------------------------------------------- */

typedef struct argument_list {
    range *at;
    size_t count;
} argument_list;

static flat_node *expansion_of(rewriter *rw, const definition *d, const argument_list *arguments) {
    const source *src = &rw->src;
    flat_node *body = rw_flat_node(rw->flat, FLAT_MACRO, d->node->file);
    unsigned done = d->body < d->end ? src->tokens[d->body].at.begin : 0;
    unsigned end = d->body < d->end ? src->tokens[d->end - 1].at.end : 0;
    for (size_t t = d->body; t < d->end; t++) {
        size_t p = 0;
        while (p < d->parameter_count && !rw_token_is(src, t, rw_token_text(src, d->parameters[p])))
            p++;
        if (p == d->parameter_count)
            continue;
        range name = src->tokens[t].at;
        rw_flat_add_run(rw->flat, body, (range){done, name.begin}, d->node);
        rw_flat_add_argument(rw->flat, body, name, arguments->at[p]);
        done = name.end;
    }
    rw_flat_add_run(rw->flat, body, (range){done, end}, d->node);
    return body;
}

static void expand(rewriter *rw, const macro_use *use) {
    definition d;
    argument_list arguments = {0};
    expansion w, *known;
    if (read_definition(rw, use->definition, &d) != NULL)
        return;
    if (d.takes_arguments) {
        if (!rw_token_is(&rw->src, rw_token_at(&rw->src, use->at.begin) + 1, "("))
            return;
        const source *src = &rw->src;
        size_t open = rw_token_at(src, use->at.begin) + 1, close = rw_token_matching(src, open);
        argument_list list = {hd_new_array(rw->arena, range, close - open + 1), 0};
        size_t first = open + 1;
        for (size_t t = open + 1; t <= close && close < src->token_count; t++) {
            if (t == close || rw_token_is(src, t, ",")) {
                unsigned end = src->tokens[t - 1].at.end;
                list.at[list.count++] =
                    first < t ? (range){src->tokens[first].at.begin, end} : (range){end, end};
                first = t + 1;
            } else if (strchr("([{", src->text[src->tokens[t].at.begin])) {
                t = rw_token_matching(src, t);
            }
        }
        arguments = list;
    }
    if (arguments.count < d.parameter_count) {
        if (find_request(rw, use->definition, &w, &known) && known)
            known->why_not = "a use of it has too few arguments";
        return;
    }
    rw_flat_put(rw->flat, use->at, expansion_of(rw, &d, &arguments));
}

static int from_the_last(const void *left, const void *right) {
    const macro_use *a = left, *b = right;
    return a->at.begin == b->at.begin ? 0 : a->at.begin < b->at.begin ? 1 : -1;
}

static bool is_requested(rewriter *rw, const macro_use *use) {
    expansion w, *known;
    return find_request(rw, use->definition, &w, &known) && known && !known->why_not;
}

bool rw_macros_expand(rewriter *rw) {
    hd_vec(macro_use) uses = {0};
    for (size_t i = 0; i < rw->macro_uses.count; i++) {
        const macro_use *inner = &rw->macro_uses.data[i];
        const char *why;
        hd_place defined;
        if (!is_requested(rw, inner) || is_visible(rw, inner))
            continue;
        for (size_t k = 0; k < rw->macro_uses.count; k++) { /* expanded before what is inside it */
            const macro_use *outer = &rw->macro_uses.data[k];
            if (outer->at.begin == inner->at.begin && is_visible(rw, outer))
                want(rw, outer, &why, &defined);
        }
    }
    for (size_t i = 0; i < rw->macro_uses.count; i++) {
        const macro_use *use = &rw->macro_uses.data[i];
        if (is_requested(rw, use) && is_visible(rw, use) && !rw_is_within(&rw->inactive, use->at))
            hd_push(rw->arena, &uses, *use);
    }
    rw->is_expanding = false;
    if (!uses.count)
        return false;
    qsort(uses.data, uses.count, sizeof *uses.data, from_the_last);
    for (size_t i = 0; i < uses.count; i++) {
        bool is_inner = false; /* it is expanded when the outer one is gone */
        for (size_t k = i + 1; k < uses.count; k++)
            is_inner |= uses.data[k].at.begin < uses.data[i].at.begin &&
                        uses.data[k].at.end >= uses.data[i].at.end;
        if (!is_inner)
            expand(rw, &uses.data[i]);
    }
    rw_flat_render(rw->flat);
    return true;
}
