/*
 * Names in a body. Blocks { } may declare names anew, so what a nested block declares, also a
 * label, gets a name that no text can write: "x~7". Names at the body's own level stay.
 *
 * A range of registers is declared by its name with a '<' behind it, "r<" for r<5>.
 */
#include <stdlib.h>

#include "frontend/ptx/ptx_reader.h"

enum { SCOPES_MOST = 200 };

void ptx_open_scope(ptx_reader *r) {
    if (r->scopes.count >= SCOPES_MOST)
        ptx_misread(r, &r->now, "more than %d blocks stand in each other here", SCOPES_MOST);
    hd_push(r->scratch, &r->scopes, (ptx_scope){r->declarations.count, r->uses.count});
}

static uint32_t innermost(const ptx_reader *r) { return (uint32_t)r->scopes.count - 1; }

static ptx_declaration *declaration_of(const ptx_reader *r, uint32_t name) {
    uint32_t at = r->names.data[name].declared;
    return at ? &r->declarations.data[at - 1] : NULL;
}

/* Labels may be used before they stand there: such uses are settled where their scope ends, and
 * those that remain are the outer scope's. */
static void settle_uses(ptx_reader *r, size_t first) {
    size_t kept = first;
    for (size_t i = first; i < r->uses.count; i++) {
        const ptx_use use = r->uses.data[i];
        const ptx_declaration *d = declaration_of(r, use.name);
        if (d && d->is_label && d->scope == innermost(r)) {
            if (d->renamed)
                *use.where = d->renamed;
        } else
            r->uses.data[kept++] = use;
    }
    r->uses.count = kept;
}

void ptx_close_scope(ptx_reader *r) {
    const ptx_scope scope = r->scopes.data[innermost(r)];
    settle_uses(r, scope.first_use);
    while (r->declarations.count > scope.first_declaration) {
        const ptx_declaration *d = &r->declarations.data[--r->declarations.count];
        r->names.data[d->name].declared = d->outer;
    }
    r->scopes.count--;
    if (!r->scopes.count) {
        r->uses.count = 0;
        r->renames_at_top = false;
    }
}

static const char *declare(ptx_reader *r, const ptx_token *where, ptx_declaration d, bool rename) {
    const char *text = ptx_text(r, where);
    const ptx_declaration *old = declaration_of(r, d.name);
    d.scope = innermost(r);
    if (old && old->scope == d.scope) {
        ptx_misread(r, where, "%s is declared twice; give one of them another name",
                    ptx_spell(r, where));
        return text;
    }
    r->renames_at_top |= rename;
    if (rename) /* a variable of the module: other functions may have one of this name */
        d.renamed = hd_format(r->arena, "%s~%u~%zu", text, ++r->renamed, r->variables.count);
    else if (d.scope > 0) /* behind a range stand digits */
        d.renamed = hd_format(r->arena, "%s~%u%s", text, ++r->renamed, d.range ? "~" : "");
    d.outer = r->names.data[d.name].declared;
    hd_push(r->scratch, &r->declarations, d);
    r->names.data[d.name].declared = (uint32_t)r->declarations.count;
    return d.renamed ? d.renamed : text;
}

const char *ptx_declare_variable(ptx_reader *r, const ptx_token *name, const ptx_variable *v,
                                 bool rename) {
    const uint32_t number =
        v->range ? ptx_intern_joined(r, name->at, name->length, "<") : name->name;
    return declare(r, name,
                   (ptx_declaration){.name = number,
                                     .range = v->range,
                                     .element_bytes = ptx_type_bits(v->type) / 8 * v->vector},
                   rename);
}

const char *ptx_declare_label(ptx_reader *r, const ptx_token *name) {
    return declare(r, name, (ptx_declaration){.name = name->name, .is_label = true}, false);
}

uint32_t ptx_element_bytes(const ptx_reader *r, uint32_t name) {
    const ptx_declaration *d = declaration_of(r, name);
    if (d)
        return d->element_bytes;
    const uint32_t at = r->names.data[name].variable;
    const ptx_variable *v = at ? &r->variables.data[at - 1] : NULL;
    return v ? ptx_type_bits(v->type) / 8 * v->vector : 0;
}

/* ---- uses ------------------------------------------------------------------------------- */

/* The register of a range that a name of this length stands for, by its digits; NULL: none. */
static const ptx_declaration *range_of(ptx_reader *r, const char *name, size_t length,
                                       size_t *digits) {
    size_t start = length;
    while (start && name[start - 1] >= '0' && name[start - 1] <= '9')
        start--;
    *digits = length - start;
    if (!*digits || *digits > 10 || (*digits > 1 && name[start] == '0'))
        return NULL;
    const ptx_declaration *d = declaration_of(r, ptx_intern_joined(r, name, start, "<"));
    return d && strtoull(name + start, NULL, 10) < d->range ? d : NULL;
}

/* The name that `*where` has here, and whether some variable here has it. */
static bool rename_variable(ptx_reader *r, const char **where) {
    const char *text = *where, *dot = strchr(text, '.');
    const size_t length = dot ? (size_t)(dot - text) : strlen(text);
    const ptx_declaration *plain = declaration_of(r, ptx_intern(r, text, length));
    size_t digits;
    const ptx_declaration *range = range_of(r, text, length, &digits);
    if (plain && plain->is_label)
        plain = NULL;
    const ptx_declaration *inner = range && (!plain || range > plain) ? range : plain;
    if (inner && inner->renamed) {
        const char *rest = inner == range ? text + length - digits : text + length;
        const uint32_t number = ptx_intern_joined(r, inner->renamed, strlen(inner->renamed), rest);
        *where = r->names.data[number].text;
    }
    return inner != NULL;
}

static void rename_label(ptx_reader *r, const char **where) {
    hd_push(r->scratch, &r->uses, (ptx_use){where, ptx_intern(r, *where, strlen(*where))});
}

static void rename_operand(ptx_reader *r, ptx_operand *o) {
    if (o->name && !rename_variable(r, &o->name) && r->scopes.count > 1)
        rename_label(r, &o->name);
    for (uint32_t i = 0; i < o->count; i++)
        rename_operand(r, &o->list[i]);
}

void ptx_rename_inst(ptx_reader *r, ptx_inst *inst) {
    /* Outside of nested blocks names are mostly what they are. */
    if (r->status || (r->scopes.count < 2 && !r->renames_at_top))
        return;
    if (inst->predicate)
        rename_variable(r, &inst->predicate);
    for (uint32_t i = 0; i < inst->operand_count; i++)
        rename_operand(r, &inst->operands[i]);
}

void ptx_rename_labels(ptx_reader *r, const char **names, uint32_t count) {
    for (uint32_t i = 0; i < count && r->scopes.count > 1; i++)
        rename_label(r, &names[i]);
}
