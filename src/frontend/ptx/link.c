/*
 * What the parts of a text have in common. A part's own functions and variables are known in it
 * alone; of all others there is one for each name, which the parts declare and one of them defines:
 *
 *     .extern .func f;     .weak .func f { }     .weak .func f { }     one f, the second part's
 *     .global .u32 x;      .global .u32 x;                             two, each its part's
 *
 * Without a definition a name stays declared, which is an error where something uses it.
 */
#include "frontend/ptx/ptx_reader.h"

/* The row of a name of which the part at hand declares something. What it has of its own hides what
 * other parts call so. */
static ptx_name *row_of(ptx_reader *r, uint32_t name, ptx_linkage linkage) {
    ptx_name *known = &r->names.data[name];
    const bool is_ours =
        (known->function && r->functions.data[known->function - 1].part == r->part) ||
        (known->variable && r->variables.data[known->variable - 1].part == r->part);
    if (linkage == PTX_INTERNAL && !is_ours) {
        hd_push(r->scratch, &r->hidden, (ptx_hidden){name, known->function, known->variable});
        known->function = known->variable = 0;
    }
    return known;
}

void ptx_end_part(ptx_reader *r) {
    while (r->hidden.count) {
        const ptx_hidden *h = &r->hidden.data[--r->hidden.count];
        r->names.data[h->name].function = h->function;
        r->names.data[h->name].variable = h->variable;
    }
    r->aliases.count = 0;
}

static bool may_stand_twice(ptx_linkage linkage) {
    return linkage == PTX_WEAK || linkage == PTX_COMMON;
}

static void fail_twice(ptx_reader *r, const ptx_token *name, ptx_place first) {
    ptx_misread(r, name, "%s is defined twice, first in line %u; give one of them another name",
                ptx_spell(r, name), first.line);
}

/* ---- variables ------------------------------------------------------------------------------ */

static uint64_t elements(const ptx_variable *v) { return v->is_array ? v->count : 1; }

/* Of two definitions whether the new one counts. */
static bool is_better(const ptx_variable *old, const ptx_variable *v) {
    return old->linkage == PTX_EXTERN || (old->linkage == PTX_WEAK && v->linkage != PTX_WEAK) ||
           (old->linkage == PTX_COMMON &&
            (!may_stand_twice(v->linkage) || elements(v) > elements(old)));
}

void ptx_add_variable(ptx_reader *r, const ptx_token *name, ptx_variable *v) {
    if (v->space == PTX_REG || v->space == PTX_LOCAL || v->space == PTX_PARAM) {
        ptx_misread(r, name,
                    "%s stands in no function, so its state space is .global, .const or "
                    ".shared",
                    ptx_spell(r, name));
        return;
    }
    v->part = r->part;
    ptx_name *known = row_of(r, name->name, v->linkage);
    ptx_variable *old = known->variable ? &r->variables.data[known->variable - 1] : NULL;
    if (old && !v->linkage && old->linkage)
        v->linkage = PTX_VISIBLE;
    if (known->function) {
        fail_twice(r, name, r->functions.data[known->function - 1].place);
    } else if (!old) {
        hd_push(r->scratch, &r->variables, *v);
        known->variable = (uint32_t)r->variables.count;
    } else if (old->space != v->space) {
        ptx_misread(r, name, "%s is in another state space than in line %u", ptx_spell(r, name),
                    old->place.line);
    } else if (v->linkage != PTX_EXTERN) {
        if (is_better(old, v))
            *old = *v;
        else if (!may_stand_twice(v->linkage) || old->part == r->part)
            fail_twice(r, name, old->place);
    }
}

/* ---- functions ------------------------------------------------------------------------------ */

void ptx_add_function(ptx_reader *r, const ptx_token *name, const ptx_function *f) {
    ptx_name *known = row_of(r, name->name, f->linkage);
    ptx_function *old = known->function ? &r->functions.data[known->function - 1] : NULL;
    ptx_function made = *f;
    made.part = r->part;
    made.target = r->module->target;
    if (known->variable) {
        fail_twice(r, name, r->variables.data[known->variable - 1].place);
    } else if (!old) {
        hd_push(r->scratch, &r->functions, made);
        known->function = (uint32_t)r->functions.count;
    } else if (old->is_entry != f->is_entry) {
        ptx_misread(r, name, "%s is a .entry at one place and a .func at another",
                    ptx_spell(r, name));
    } else if (f->has_body) {
        const bool is_first = !old->has_body, is_ours = old->part == r->part;
        if (!made.linkage && old->linkage)
            made.linkage = PTX_VISIBLE;
        if (is_first || (!is_ours && old->linkage == PTX_WEAK && f->linkage != PTX_WEAK))
            *old = made;
        else if (is_ours || f->linkage != PTX_WEAK)
            fail_twice(r, name, old->place);
    }
}

/* ---- symbols -------------------------------------------------------------------------------- */

void ptx_name_symbols(ptx_reader *r) {
    hd_hash_table taken = {.arena = r->scratch, .key_bytes = HD_TEXT_KEYS};
    for (size_t i = 0; i < r->variables.count; i++)
        if (r->variables.data[i].linkage != PTX_INTERNAL)
            hd_hash_add_key(&taken, r->variables.data[i].name, i);
    for (size_t i = 0; i < r->variables.count; i++) {
        ptx_variable *v = &r->variables.data[i];
        const bool is_free = hd_hash_add_key(&taken, v->name, i) == i;
        v->symbol = is_free ? v->name : hd_format(r->arena, "%s~%u", v->name, v->part + 1);
    }
}
