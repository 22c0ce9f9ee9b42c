/*
 * Templates whose parameters are laid-out records.
 *
 *     template <class S> __global__ void k(S *p, int n);       k<<<blocks, threads>>>(d, n);
 *     template <class S = R> __global__ void k(R_ref p, int n);
 *
 * Where all instances that a program has make `S` the record, the template is one of that record: a
 * parameter `S *` is a reference, from which no compiler could tell `S`, so the template says it. What
 * instances there are is seen in calls and launches, in names such as k<R>, in explicit
 * instantiations, and in what was compiled. A template that is given other types, too, is a refusal.
 */
#include <ctype.h>

#include "map_text.h"
#include "pointer_flow.h"

/* What instances make of one parameter of a template. */
typedef struct instance_param {
    CXCursor parameter;
    pointee what;
    hd_place laid, other; /* where it is a laid-out record, and where something else */
} instance_param;

typedef struct instances {
    rewriter *rw;
    hd_vec(instance_param) all;
} instances;

static instance_param *param_of(instances *in, CXCursor parameter) {
    for (size_t i = 0; i < in->all.count; i++)
        if (clang_equalCursors(in->all.data[i].parameter, parameter))
            return &in->all.data[i];
    hd_push(in->rw->arena, &in->all,
            (instance_param){.parameter = parameter, .what = {.field = -1}});
    return &in->all.data[in->all.count - 1];
}

/* ---- "body<T>" beside "body<float>" -------------------------------------------------------------- */

/* The type that a parameter points to, as it is written. */
static const char *written_type(const rewriter *rw, CXCursor declared) {
    const char *text = rw_type_text(rw->arena, clang_getCursorType(declared));
    return rw_trimmed(rw->arena,
                      rw_plain_type(rw->arena, hd_strndup(rw->arena, text, strcspn(text, "*&["))));
}

/* Argument `number` of "body<a, b>"; NULL: there is none. */
static const char *argument_of(hd_arena *arena, const char *text, unsigned number) {
    const char *at = strchr(text, '<'), *begin = at + 1;
    int depth = 0;
    for (; at && *at; at++) {
        depth += (*at == '<') - (*at == '>');
        if (depth > 1 || (*at != ',' && depth))
            continue;
        if (!number--)
            return rw_trimmed(arena, hd_strndup(arena, begin, (size_t)(at - begin)));
        begin = at + 1 + strspn(at + 1, " ");
    }
    return NULL;
}

/* What a template's parameter `name` is where `written` is the record; NULL: that does not say it. */
static const char *argument_for(hd_arena *arena, const char *written, const char *record,
                                const char *name) {
    const char *own;
    if (!strcmp(written, name))
        return record;
    written = rw_unscoped(written), record = rw_unscoped(record);
    size_t stem = strcspn(written, "<");
    if (!written[stem] || strncmp(written, record, stem + 1) != 0)
        return NULL;
    for (unsigned i = 0; (own = argument_of(arena, written, i)) != NULL; i++)
        if (!strcmp(own, name))
            return argument_of(arena, record, i);
    return NULL;
}

const char *rw_argument_of_record(rewriter *rw, const laid_record *l, CXCursor parameter) {
    enum CXCursorKind kind = clang_getCursorKind(parameter);
    hd_cursors inside = {0};
    unsigned number = 0;
    if (kind == CXCursor_TemplateTypeParameter || kind == CXCursor_NonTypeTemplateParameter)
        inside = hd_cursor_children(rw->arena, rw_pattern_of(l->declaration));
    for (size_t i = 0; i < inside.count; i++) {
        if (clang_equalCursors(inside.data[i], parameter))
            return argument_of(rw->arena, rw_unscoped(l->spelling), number);
        number += clang_getCursorKind(inside.data[i]) == CXCursor_TemplateTypeParameter ||
                  clang_getCursorKind(inside.data[i]) == CXCursor_NonTypeTemplateParameter;
    }
    return NULL;
}

/* The parameters of the template that a parameter of a function is of. */
static hd_cursors parameters_of_template(const rewriter *rw, CXCursor declared) {
    CXCursor function = clang_getCursorSemanticParent(declared);
    hd_cursors inside = {0}, found = {0};
    if (clang_getCursorKind(function) == CXCursor_FunctionTemplate &&
        rw_has_pointer(clang_getCursorType(declared)))
        inside = hd_cursor_children(rw->arena, function);
    for (size_t i = 0; i < inside.count; i++)
        if (clang_getCursorKind(inside.data[i]) == CXCursor_TemplateTypeParameter ||
            clang_getCursorKind(inside.data[i]) == CXCursor_NonTypeTemplateParameter)
            hd_push(rw->arena, &found, inside.data[i]);
    return found;
}

bool rw_is_record_template(const rewriter *rw, CXCursor parameter, const laid_record *l) {
    hd_cursors all = {0};
    if (rw_is_device_function(rw->arena, clang_getCursorSemanticParent(parameter)))
        all = parameters_of_template(rw, parameter);
    for (size_t i = 0; i < all.count; i++)
        if (argument_for(rw->arena, written_type(rw, parameter), l->spelling,
                         rw_spelling(rw->arena, all.data[i])))
            return true;
    return false;
}

static bool has_word(const char *text, const char *word) {
    size_t length = strlen(word);
    for (const char *at = text; (at = strstr(at, word)) != NULL; at += length) {
        bool is_begin = at == text || !(isalnum((unsigned char)at[-1]) || at[-1] == '_');
        bool is_end = !(isalnum((unsigned char)at[length]) || at[length] == '_');
        if (is_begin && is_end)
            return true;
    }
    return false;
}

bool rw_is_found_out(const rewriter *rw, CXCursor parameter) {
    hd_cursors all = parameters_of_template(rw, parameter);
    hd_cursors others = rw_parameters(rw->arena, clang_getCursorSemanticParent(parameter));
    for (size_t i = 0; i < all.count; i++) {
        const char *name = rw_spelling(rw->arena, all.data[i]);
        bool is_found = !has_word(written_type(rw, parameter), name);
        for (size_t o = 0; o < others.count; o++)
            is_found |=
                !rw_pointee_of(rw, others.data[o]).of &&
                has_word(rw_type_text(rw->arena, clang_getCursorType(others.data[o])), name);
        if (!is_found)
            return false;
    }
    return true;
}

/* ---- the instances of a program --------------------------------------------------------------------- */

static void note(instances *in, CXCursor parameter, laid_record *l, const hd_place *place) {
    if (!rw_is_dependent(clang_getCursorType(parameter)))
        return;
    instance_param *p = param_of(in, parameter);
    if (!l || (p->what.of && p->what.of != l)) {
        if (!p->other.line)
            p->other = *place;
    } else if (!p->what.of) {
        p->what = (pointee){l, -1, SPACE_GLOBAL};
        p->laid = *place;
    }
}

/* k<R>, also where the compiler has found out the R. */
static void note_name(instances *in, CXCursor name) {
    rewriter *rw = in->rw;
    CXCursor instance = clang_getCursorReferenced(name);
    CXCursor pattern = clang_getSpecializedCursorTemplate(instance);
    if (clang_Cursor_isNull(pattern) || !rw_is_device_function(rw->arena, pattern) ||
        clang_Location_isInSystemHeader(clang_getCursorLocation(pattern)))
        return;
    hd_cursors parameters = rw_parameters(rw->arena, pattern);
    hd_place place = rw_place_of(&rw->src, clang_getRangeStart(clang_getCursorExtent(name)));
    for (size_t i = 0; i < parameters.count; i++) {
        CXType type = clang_getArgType(clang_getCursorType(instance), (unsigned)i);
        if (type.kind != CXType_Invalid && rw_has_pointer(type))
            note(in, parameters.data[i], rw_laid_record_of(rw, rw_innermost(type)), &place);
    }
}

static void note_names(instances *in, CXCursor at) {
    hd_cursors inside = hd_cursor_children(in->rw->arena, at);
    if (clang_getCursorKind(at) == CXCursor_DeclRefExpr)
        note_name(in, at);
    for (size_t i = 0; i < inside.count; i++)
        if (!clang_Location_isInSystemHeader(clang_getCursorLocation(inside.data[i])))
            note_names(in, inside.data[i]);
}

/* template __global__ void k<R>(R *, int); */
static void note_instantiation(instances *in, CXCursor pattern, size_t open) {
    rewriter *rw = in->rw;
    const source *src = &rw->src;
    hd_cursors parameters = rw_parameters(rw->arena, pattern);
    range *at = hd_new_array(rw->arena, range, parameters.count + 1);
    if (!rw_parameter_ranges(rw, open, parameters.count, at))
        return;
    for (size_t i = 0; i < parameters.count; i++) {
        laid_record *l = NULL;
        size_t t = rw_token_from(src, at[i].begin);
        hd_place place = rw_flat_place(rw->flat, at[i].begin);
        for (; t < src->token_count && src->tokens[t].at.begin < at[i].end; t++)
            for (uint32_t r = 0; r < rw->record_count; r++)
                if (rw_token_is(src, t, rw->records[r].spelling))
                    l = &rw->records[r];
        note(in, parameters.data[i], l, &place);
    }
}

static void note_instantiations(instances *in, CXCursor pattern) {
    const source *src = &in->rw->src;
    const char *name = rw_spelling(in->rw->arena, pattern);
    for (size_t t = 0; t + 1 < src->token_count; t++) {
        if (!rw_token_is(src, t, "template") || rw_token_is(src, t + 1, "<"))
            continue;
        size_t named = t + 1;
        while (named < src->token_count && !rw_token_is(src, named, name) &&
               !rw_token_is(src, named, ";") && !rw_token_is(src, named, "("))
            named++;
        size_t open = named;
        while (rw_token_is(src, named, name) && open < src->token_count &&
               !rw_token_is(src, open, "(") && !rw_token_is(src, open, ";"))
            open++;
        if (rw_token_is(src, open, "(") && rw_token_is(src, named, name))
            note_instantiation(in, pattern, open);
    }
}

/* The instances that compilers make: of a kernel that a template launches, no cursor has them. */
static void note_compiled(instances *in, CXCursor pattern) {
    rewriter *rw = in->rw;
    const kir_module *module = rw->request->module;
    const char *name = rw_spelling(rw->arena, pattern);
    hd_cursors parameters = rw_parameters(rw->arena, pattern);
    for (uint32_t k = 0; module && k < module->kernel_count; k++) {
        const kir_kernel *kernel = module->kernels[k];
        const char *own = rw_unscoped(kernel->name);
        size_t length = strcspn(own, "<");
        if (!own[length] || strlen(name) != length || strncmp(own, name, length) != 0 ||
            kernel->param_count != parameters.count)
            continue;
        for (uint32_t i = 0; i < kernel->param_count; i++)
            for (uint32_t r = 0; r < rw->record_count; r++)
                if (kernel->params[i].record &&
                    !strcmp(kernel->params[i].record->name, rw->records[r].record->name))
                    note(in, parameters.data[i], &rw->records[r], &kernel->place);
    }
}

void rw_seed_instances(rewriter *rw) {
    instances in = {.rw = rw};
    hd_cursors all = rw_functions(rw->arena, rw->src.unit);
    note_names(&in, clang_getTranslationUnitCursor(rw->src.unit));
    for (size_t i = 0; i < all.count; i++)
        if (clang_getCursorKind(all.data[i]) == CXCursor_FunctionTemplate &&
            rw_is_device_function(rw->arena, all.data[i]))
            note_instantiations(&in, all.data[i]);
    for (size_t i = 0; i < all.count; i++)
        if (clang_getCursorKind(all.data[i]) == CXCursor_FunctionTemplate &&
            rw_is_kernel(rw->arena, all.data[i]))
            note_compiled(&in, all.data[i]);
    for (size_t i = 0; i < in.all.count; i++) {
        const instance_param *p = &in.all.data[i];
        CXCursor function = clang_getCursorSemanticParent(p->parameter);
        if (!p->what.of || !rw_is_kernel(rw->arena, function))
            continue; /* helpers follow from the kernels */
        if (p->other.line)
            rw_refuse_at(rw, &p->other,
                         "the template '%s' points to '%s' (%s:%u:%u), and to another type here; "
                         "write a kernel of its own for '%s *'",
                         rw_spelling(rw->arena, function), p->what.of->record->name, p->laid.file,
                         p->laid.line, p->laid.column, p->what.of->spelling);
        rw_seed(rw, p->parameter, &p->what);
    }
}

/* `class S` becomes `class S = R`. */
static void edit_default(rewriter *rw, CXCursor type_parameter, const char *argument) {
    range at;
    size_t last = rw->src.token_count;
    if (rw_range_of(&rw->src, type_parameter, &at))
        last = rw_token_ending(&rw->src, at.end);
    if (last < rw->src.token_count && rw_has_token(&rw->src, at, "="))
        return;
    const char *name = rw_spelling(rw->arena, type_parameter);
    if (!rw_token_is(&rw->src, last, name)) {
        rw_refuse_macro(rw, type_parameter);
        return;
    }
    rw_edit_text(rw, rw->src.tokens[last].at, hd_format(rw->arena, "%s = %s", name, argument));
}

void rw_edit_type_parameter(rewriter *rw, CXCursor parameter, const pointee *what) {
    hd_cursors all = parameters_of_template(rw, parameter);
    const char *record = hd_format(rw->arena, "%s%s", what->of->scope, what->of->spelling);
    CXCursor function = clang_getCursorSemanticParent(parameter);
    if (!clang_equalCursors(function, clang_getCanonicalCursor(function)))
        return; /* its first declaration says it */
    for (size_t i = 0; i < all.count; i++) {
        const char *argument = argument_for(rw->arena, written_type(rw, parameter), record,
                                            rw_spelling(rw->arena, all.data[i]));
        if (argument)
            edit_default(rw, all.data[i], argument);
    }
}
