/*
 * Functions: parameter lists, results, and the references that a kernel makes of what it is given.
 *
 *     kernel void k(global R *p)   kernel void k(__global uchar *p, ulong p_count)
 *     {                            {
 *                                      R_ref p_ref = R_make((__global uchar *)p, p_count);
 *     float f(global R *r)         float f(R_ref r)
 *     global R *g(global R *r)     R_ref g(R_ref r)
 *
 * The parameters of a kernel that are fields of one record of arrays become one set of
 * allocations, where the first of them stood. Where host code is rewritten, too, a kernel's
 * parameter becomes an R_ref like that of any other function, and launches stay as they are.
 */
#include "internal.h"

/* ---- the text of a parameter list ------------------------------------------------------- */

typedef struct list {
    range *at;    /* of each parameter, without attributes behind it */
    range *whole; /* with them */
    size_t count;
} list;

/* False when the list does not stand in the text as the compiler sees it. */
static bool read_list(rewriter *rw, size_t open, size_t count, list *result) {
    const source *src = &rw->src;
    size_t close = rw_token_is(src, open, "(") ? rw_token_matching(src, open) : src->token_count;
    *result = (list){hd_new_array(rw->arena, range, count + 1),
                     hd_new_array(rw->arena, range, count + 1), 0};
    if (close >= src->token_count)
        return false;
    size_t attributes = 0;
    for (size_t t = open + 1, first = t; t <= close; t++) {
        if (t == close || rw_token_is(src, t, ",")) {
            if (result->count == count || t == first)
                return false;
            range *at = &result->at[result->count], *whole = &result->whole[result->count];
            *whole = (range){src->tokens[first].at.begin, src->tokens[t - 1].at.end};
            *at = *whole;
            if (attributes)
                at->end = src->tokens[attributes - 1].at.end;
            result->count++;
            first = t + 1;
            attributes = 0;
        } else if (t > first && !attributes && rw_token_is(src, t, "__attribute__")) {
            attributes = t;
        } else if (strchr("([{", src->text[src->tokens[t].at.begin])) {
            t = rw_token_matching(src, t);
        } else if (rw_token_is(src, t, "<")) {
            t = rw_angle_matching(src, t, close);
        }
    }
    return result->count == count;
}

bool rw_parameter_ranges(rewriter *rw, size_t open, size_t count, range *at) {
    list parameters;
    if (!read_list(rw, open, count, &parameters))
        return false;
    memcpy(at, parameters.whole, count * sizeof *at);
    return true;
}

/* The bracket that opens the parameters of a declared function. */
static size_t find_list(rewriter *rw, CXCursor function) {
    const source *src = &rw->src;
    unsigned offset;
    if (!rw_offset_of(src, clang_getCursorLocation(function), &offset))
        return src->token_count;
    size_t name = rw_token_from(src, offset), open = name + 1;
    if (rw_token_is(src, name, "operator") || rw_token_is(src, open, "<"))
        while (open < src->token_count && !rw_token_is(src, open, "("))
            open++;
    if (rw_token_is(src, open, "(") && !rw_token_is(src, name, rw_spelling(rw->arena, function)))
        if (rw_token_is(src, rw_token_matching(src, open) + 1, "("))
            open = rw_token_matching(src, open) + 1; /* NAME(x)(...) */
    return open;
}

bool rw_parameter_list(rewriter *rw, CXCursor function, size_t count, size_t *open, size_t *close) {
    list parameters;
    *open = find_list(rw, function);
    *close = rw_token_matching(&rw->src, *open);
    bool is_void = rw_token_is(&rw->src, *open + 1, "void") && *close == *open + 2;
    return (is_void && !count) ||
           (rw_token_is(&rw->src, *open, "(") && *close == *open + 1 && !count) ||
           read_list(rw, *open, count, &parameters);
}

/* ---- what a kernel is given ------------------------------------------------------------------ */

typedef struct kernel_names {
    const char *count, *ref;
    const char **bases; /* [allocations] */
} kernel_names;

static kernel_names names_of(rewriter *rw, const pointee *what, const char *parameter) {
    uint32_t allocations = what->of->text->map->allocation_count;
    const char *name = rw_is_array_field(what) ? rw_identifier(rw->arena, what->of->record->name)
                       : *parameter            ? parameter
                                               : "records";
    kernel_names n = {.bases = hd_new_array(rw->arena, const char *, allocations)};
    n.count = rw_free_name(rw, hd_format(rw->arena, "%s_count", name));
    n.ref = rw_free_name(rw, hd_format(rw->arena, "%s_ref", name));
    for (uint32_t a = 0; a < allocations; a++)
        n.bases[a] = allocations > 1 ? rw_free_name(rw, hd_format(rw->arena, "%s_%u", name, a))
                     : rw_is_array_field(what) ? rw_free_name(rw, name)
                                               : name;
    return n;
}

static bool is_kernel_parameter(rewriter *rw, CXCursor declaration) {
    return !rw->with_host && clang_getCursorKind(declaration) == CXCursor_ParmDecl &&
           rw_is_kernel(rw->arena, clang_getCursorSemanticParent(declaration));
}

const char *rw_reference_name(rewriter *rw, CXCursor declaration, const pointee *what) {
    const char *name = rw_spelling(rw->arena, declaration);
    return is_kernel_parameter(rw, declaration) ? names_of(rw, what, name).ref : name;
}

bool rw_refuse_shared(rewriter *rw, CXCursor pointer) {
    CXCursor declared = clang_getCursorReferenced(rw_bare(rw->arena, pointer));
    if (!is_kernel_parameter(rw, declared))
        return false;
    hd_cursors all = rw_parameters(rw->arena, clang_getCursorSemanticParent(declared));
    pointee what = rw_pointee_of(rw, declared);
    for (size_t i = 0; i < all.count && rw_is_array_field(&what); i++) {
        pointee other = rw_pointee_of(rw, all.data[i]);
        if (other.of != what.of || clang_equalCursors(all.data[i], declared))
            continue;
        return rw_refuse(
            rw, pointer,
            "'%s' is moved here, but has one reference together with '%s', another array of "
            "'%s'; move a pointer of its own that begins as '%s'",
            rw_spelling(rw->arena, declared), rw_spelling(rw->arena, all.data[i]),
            what.of->record->name, rw_spelling(rw->arena, declared));
    }
    return false;
}

/* A function that is being edited. */
typedef struct target {
    CXCursor function;
    hd_cursors parameters;
    list list;
    bool is_kernel;
} target;

/* True when an earlier parameter stands for the same record of arrays. */
static bool is_given(rewriter *rw, const target *f, size_t number, const pointee *what) {
    for (size_t i = 0; i < number && rw_is_array_field(what); i++) {
        pointee other = rw_pointee_of(rw, f->parameters.data[i]);
        if (other.of == what->of && other.field >= 0)
            return true;
    }
    return false;
}

/* "__global const uchar *restrict p, ulong p_count" */
static const char *kernel_parameter_text(rewriter *rw, const target *f, size_t number,
                                         const pointee *what) {
    CXType type = clang_getCursorType(f->parameters.data[number]);
    bool is_const_pointer =
        clang_getCanonicalType(type).kind == CXType_Pointer && clang_isConstQualifiedType(type);
    bool is_const = what->in == SPACE_GLOBAL; /* if all are that share the allocations */
    for (size_t i = 0; i < f->parameters.count; i++) {
        pointee other = rw_pointee_of(rw, f->parameters.data[i]);
        if (i == number || (rw_is_array_field(what) && other.of == what->of))
            is_const &= rw_target_is(rw, clang_getCursorType(f->parameters.data[i]), "const");
    }
    kernel_names names = names_of(rw, what, rw_spelling(rw->arena, f->parameters.data[number]));
    const rw_dialect *dialect = rw_dialect_of(rw, what->in);
    hd_str text = {.arena = rw->arena};
    for (uint32_t a = 0; a < what->of->text->map->allocation_count; a++)
        hd_str_printf(&text, "%s%s%s*%s%s%s, ", what->of->accessors[what->in].qualifier,
                      is_const ? "const " : "", dialect->byte,
                      clang_isRestrictQualifiedType(type) ? dialect->restricted : "",
                      is_const_pointer ? "const " : "", names.bases[a]);
    hd_str_printf(&text, "%s %s", dialect->size, names.count);
    return hd_str_text(&text);
}

/* The line that makes the reference, just behind the kernel's opening brace. */
static void edit_prologue(rewriter *rw, const target *f, const pointee *what, const char *name) {
    CXCursor body = rw_body(rw->arena, f->function);
    range at;
    if (clang_Cursor_isNull(body))
        return;
    if (!rw_range_of(&rw->src, body, &at) || rw->src.text[at.begin] != '{') {
        rw_refuse_macro(rw, body);
        return;
    }
    const laid_record *l = what->of;
    const accessors *names = &l->accessors[what->in];
    kernel_names given = names_of(rw, what, name);
    hd_str text = {.arena = rw->arena};
    hd_str_printf(&text, "\n    %s%s %s = %s%s(", l->scope, names->ref, given.ref, l->scope,
                  names->make);
    for (uint32_t a = 0; a < l->text->map->allocation_count; a++)
        hd_str_printf(&text, "(%s)%s, ", rw_trimmed(rw->arena, rw_dialect_of(rw, what->in)->bytes),
                      given.bases[a]);
    hd_str_printf(&text, "%s);", given.count);
    rw_edit_insert(rw, at.begin + 1, hd_str_text(&text));
}

static void edit_declared(rewriter *rw, const target *f, size_t number, const pointee *what) {
    const range *whole = f->list.whole;
    if (f->is_kernel && is_given(rw, f, number, what)) { /* goes, with the comma before it */
        rw_edit_text(rw, (range){whole[number - 1].end, whole[number].end}, "");
        return;
    }
    CXCursor parameter = f->parameters.data[number];
    const char *name = rw_spelling(rw->arena, parameter);
    const char *stars = rw_stars(rw, clang_getCursorType(parameter));
    rw_edit_type_parameter(rw, parameter, what);
    rw_edit_text(rw, f->list.at[number],
                 f->is_kernel
                     ? kernel_parameter_text(rw, f, number, what)
                     : hd_format(rw->arena, "%s%s%s%s",
                                 rw_is_record_template(rw, parameter, what->of)
                                     ? rw_reference_text(rw, what)
                                     : rw_reference_type(rw, clang_getCursorType(parameter), what),
                                 *name || *stars ? " " : "", stars, name));
}

/* A parameter that cannot become what it must. */
static bool refuse_parameter(rewriter *rw, CXCursor parameter, const pointee *what,
                             bool is_kernel) {
    CXType type = clang_getCursorType(parameter);
    const char *name = rw_spelling(rw->arena, parameter);
    bool is_array = rw_is_array(type);
    CXType inner = is_array ? rw_value_type(clang_getArrayElementType(rw_value_type(type)))
                            : rw_value_type(type);
    bool is_host = rw->with_host && rw_is_host(rw, clang_getCursorSemanticParent(parameter));
    if (what->field < 0 && rw_is_dependent(type) && !is_host &&
        !rw_is_record_template(rw, parameter, what->of))
        rw_refuse(rw, parameter,
                  "the record that '%s' points to depends on a template's parameter; write '%s *'",
                  name, what->of->spelling);
    else if (rw_value_type(type).kind == CXType_ConstantArray)
        rw_refuse(rw, parameter, "'%s' is declared as an array of fixed size; write '*%s'", name,
                  name);
    else if (rw_refuse_volatile(rw, parameter, type))
        return true;
    else if ((is_kernel || is_array) && rw_pointer_depth(type) > 1)
        rw_refuse(rw, parameter,
                  "'%s' is a pointer to pointers to '%s'; pass one pointer for each array", name,
                  what->of->record->name);
    else if (rw_pointer_depth(type) > 1 && inner.kind == CXType_Pointer && !rw->is_cuda &&
             rw_target_is(rw, type, "__local"))
        rw_refuse(rw, parameter, "'%s' points to pointers in local memory; keep indices there",
                  name);
    else
        return false;
    return true;
}

/* ---- functions ----------------------------------------------------------------------- */

static bool stands_behind(rewriter *rw, CXCursor function, const pointee *what) {
    unsigned offset;
    if (!rw_offset_of(&rw->src, clang_getCursorLocation(function), &offset) ||
        offset >= what->of->declared)
        return true;
    const char *name = what->of->record->name;
    if (clang_getCursorKind(function) == CXCursor_Constructor)
        rw_refuse(rw, function,
                  "this constructor takes an element of '%s' from its place; leave copying to the "
                  "compiler, or copy field by field in a function",
                  name);
    else
        rw_refuse(rw, function,
                  "'%s' takes a pointer to '%s' before that is defined; move the struct above it",
                  rw_spelling(rw->arena, function), name);
    return false;
}

static void edit_parameter(rewriter *rw, const target *f, size_t number) {
    CXCursor parameter = f->parameters.data[number];
    pointee what = rw_pointee_of(rw, parameter);
    const char *name = rw_spelling(rw->arena, parameter);
    CXCursor body = rw_body(rw->arena, f->function);
    if (!what.of || refuse_parameter(rw, parameter, &what, f->is_kernel) ||
        !stands_behind(rw, f->function, &what))
        return;
    size_t last =
        rw_token_ending(&rw->src, f->list.at[number].end); /* its name, or its name and [] */
    if (rw_token_is(&rw->src, last, "]")) {
        while (last && !rw_token_is(&rw->src, last, "["))
            last--;
        last--;
    }
    if (*name && !rw_token_is(&rw->src, last, name)) {
        rw_refuse_macro(rw, parameter);
        return;
    }
    what.of->accessors[what.in].is_used = true;
    edit_declared(rw, f, number, &what);
    if (rw_is_kernel(rw->arena, f->function) && clang_isCursorDefinition(f->function)) {
        what.of->kernels++;
        hd_push(rw->arena, &rw->laid_params,
                (hd_laid_param){rw_spelling(rw->arena, f->function), (uint32_t)number,
                                (uint32_t)(what.of - rw->records)});
    }
    if (f->is_kernel && *name && !is_given(rw, f, number, &what))
        edit_prologue(rw, f, &what, name);
    range scope;
    if (*name && !clang_Cursor_isNull(body) && rw_range_of(&rw->src, body, &scope))
        hd_push(rw->arena, &rw->variables, (variable){name, scope});
}

bool rw_takes_records(rewriter *rw, CXCursor function) {
    hd_cursors parameters = rw_parameters(rw->arena, function);
    for (size_t i = 0; i < parameters.count; i++)
        if (rw_pointee_of(rw, parameters.data[i]).of)
            return true;
    return false;
}

/* A specialization follows its template, which is rewritten only where it takes the record by
 * name. */
static bool refuse_specialization(rewriter *rw, CXCursor function, const hd_cursors *parameters) {
    CXCursor pattern = clang_getSpecializedCursorTemplate(function);
    hd_cursors general = {0};
    if (!clang_Cursor_isNull(pattern))
        general = rw_parameters(rw->arena, pattern);
    for (size_t i = 0; i < parameters->count && i < general.count; i++)
        if (rw_pointee_of(rw, parameters->data[i]).of && !rw_pointee_of(rw, general.data[i]).of)
            return rw_refuse(
                rw, function,
                "'%s' specializes a template, which says nothing of '%s', and would be no "
                "specialization any more; make it a function with a name of its own",
                rw_spelling(rw->arena, function),
                rw_pointee_of(rw, parameters->data[i]).of->record->name);
    return false;
}

static void edit_parameters(rewriter *rw, CXCursor function) {
    target f = {.function = function, .parameters = rw_parameters(rw->arena, function)};
    if (!rw_takes_records(rw, function) || refuse_specialization(rw, function, &f.parameters))
        return;
    f.is_kernel = !rw->with_host && rw_is_kernel(rw->arena, function);
    if (rw->with_host && clang_Cursor_isNull(clang_getCursorDefinition(function))) {
        rw_refuse(rw, function,
                  "'%s' gets laid-out records, but is defined in another file, where it takes C "
                  "structs; define it here, or give it a copy, an array of its own with "
                  "cudaMemcpy() before and behind",
                  rw_spelling(rw->arena, function));
        return;
    }
    if (!read_list(rw, find_list(rw, function), f.parameters.count, &f.list)) {
        rw_refuse_macro(rw, f.parameters.count ? f.parameters.data[0] : function);
        return;
    }
    for (size_t i = 0; i < f.parameters.count; i++)
        edit_parameter(rw, &f, i);
}

/* operator R *() */
static void edit_conversion(rewriter *rw, CXCursor function, const pointee *what) {
    const source *src = &rw->src;
    unsigned offset;
    if (!rw_offset_of(src, clang_getCursorLocation(function), &offset)) {
        rw_refuse_macro(rw, function);
        return;
    }
    size_t t = rw_token_from(src, offset), open = t;
    while (open < src->token_count && !rw_token_is(src, open, "("))
        open++;
    if (!rw_token_is(src, t, "operator") || open >= src->token_count || open < t + 2) {
        rw_refuse_macro(rw, function);
        return;
    }
    CXType type = clang_getCursorResultType(function);
    what->of->accessors[what->in].is_used = true;
    rw_edit_text(
        rw, (range){src->tokens[t + 1].at.begin, src->tokens[open - 1].at.end},
        hd_format(rw->arena, "%s%s", rw_reference_type(rw, type, what), rw_stars(rw, type)));
}

static void edit_result(rewriter *rw, CXCursor function) {
    pointee what = rw_pointee_of(rw, clang_getCanonicalCursor(function));
    unsigned name;
    range whole, words;
    if (!what.of || !stands_behind(rw, function, &what) ||
        rw_refuse_volatile(rw, function, clang_getCursorResultType(function)))
        return;
    if (clang_getCursorKind(function) == CXCursor_ConversionFunction) {
        edit_conversion(rw, function, &what);
        return;
    }
    const char *spelling = rw_spelling(rw->arena, function);
    const source *src = &rw->src;
    bool is_behind = false; /* auto f(...) -> R * */
    for (size_t t = rw_token_matching(src, find_list(rw, function));
         t < src->token_count && !rw_token_is(src, t, "{") && !rw_token_is(src, t, ";"); t++)
        is_behind |= rw_token_is(src, t, "->");
    if (!rw_offset_of(&rw->src, clang_getCursorLocation(function), &name) ||
        !rw_range_of(&rw->src, function, &whole) || is_behind ||
        !rw_specifiers(rw, whole.begin, name, &words)) {
        rw_refuse(rw, function,
                  "the type that '%s' returns is not written before its name as '%s *'; write it "
                  "there, or return an index",
                  spelling, what.of->spelling);
        return;
    }
    what.of->accessors[what.in].is_used = true;
    CXType type = clang_getCursorResultType(function);
    rw_edit_text(
        rw, words,
        hd_format(rw->arena, "%s %s", rw_reference_type(rw, type, &what), rw_stars(rw, type)));
}

void rw_edit_function(rewriter *rw, const frame *at) {
    CXCursor body = rw_body(rw->arena, at->cursor);
    if (!rw->with_host && rw_is_host(rw, at->cursor)) {
        if (!clang_Cursor_isNull(body))
            rw_edit_host_calls(rw, body);
        return;
    }
    edit_parameters(rw, at->cursor);
    edit_result(rw, at->cursor);
    if (rw->with_host && clang_getCursorKind(at->cursor) == CXCursor_Constructor)
        rw_edit_members(rw, at);
    if (!clang_Cursor_isNull(body))
        rw_walk_child(rw, at, body);
}

/* ---- instances that are asked for ---------------------------------------------------- */

/* template <class T> __global__ void k(T *); template __global__ void k<body>(body *); */
static void refuse_instance(rewriter *rw, const target *f, size_t number) {
    const source *src = &rw->src;
    range at = f->list.whole[number];
    for (size_t t = rw_token_from(src, at.begin);
         t < src->token_count && src->tokens[t].at.begin < at.end; t++)
        for (uint32_t l = 0; l < rw->record_count; l++) {
            if (!rw_token_is(src, t, rw->records[l].spelling))
                continue;
            hd_place place = rw_flat_place(rw->flat, src->tokens[t].at.begin);
            rw_refuse_at(rw, &place,
                         "here '%s' of the template '%s' points to '%s' through a template's "
                         "parameter; write '%s *' in the template",
                         rw_spelling(rw->arena, f->parameters.data[number]),
                         rw_spelling(rw->arena, f->function), rw->records[l].record->name,
                         rw->records[l].spelling);
        }
}

/* The type at the begin of a range, "const body<float> *p", without const and blanks. */
static const char *type_at(const rewriter *rw, range at) {
    hd_str text = {.arena = rw->arena};
    const source *src = &rw->src;
    for (size_t t = rw_token_from(src, at.begin);
         t < src->token_count && src->tokens[t].at.begin < at.end && !rw_token_is(src, t, "*") &&
         !rw_token_is(src, t, "&");
         t++)
        if (!rw_token_is(src, t, "const"))
            hd_str_add(&text, rw_token_text(src, t));
    return hd_str_text(&text);
}

/* An instance of a template of the host, whose parameter is a `heddle::pointer<T>`: of the record it
 * is a reference. */
static void edit_host_instance(rewriter *rw, const target *f, size_t number, const pointee *what) {
    const char *type = type_at(rw, f->list.whole[number]), *at = what->of->spelling;
    hd_str own = {.arena = rw->arena};
    CXType declared = clang_getCursorType(f->parameters.data[number]);
    for (; *at; at++)
        if (*at != ' ')
            hd_str_addn(&own, at, 1);
    if (!strcmp(rw_unscoped(type), rw_unscoped(hd_str_text(&own))))
        rw_edit_text(
            rw, f->list.at[number],
            hd_format(rw->arena, "%s%s", rw_reference_text(rw, what), rw_stars(rw, declared)));
}

/* `template __global__ void k<float>(body *, float *);` is nothing that libclang shows. */
static void edit_instance(rewriter *rw, size_t name, CXCursor function) {
    target f = {.function = function, .parameters = rw_parameters(rw->arena, function)};
    const source *src = &rw->src;
    size_t open = name + 1;
    while (open < src->token_count && !rw_token_is(src, open, "(") && !rw_token_is(src, open, ";"))
        open++;
    f.is_kernel = !rw->with_host && rw_is_kernel(rw->arena, function);
    if (!read_list(rw, open, f.parameters.count, &f.list))
        return;
    for (size_t i = 0; i < f.parameters.count; i++) {
        pointee what = rw_pointee_of(rw, f.parameters.data[i]);
        CXType type = clang_getCursorType(f.parameters.data[i]);
        if (!what.of && rw_is_kernel(rw->arena, function) && rw_is_dependent(type) &&
            rw_pointer_depth(type))
            refuse_instance(rw, &f, i);
        if (what.of && rw_is_dependent(type) && rw->with_host && rw_is_host(rw, function))
            edit_host_instance(rw, &f, i, &what);
        else if (what.of)
            edit_declared(rw, &f, i, &what);
    }
}

void rw_edit_instantiations(rewriter *rw) {
    hd_cursors all = rw->is_cuda ? rw_functions(rw->arena, rw->src.unit) : (hd_cursors){0};
    for (size_t i = 0; i < all.count; i++)
        if (clang_getCursorKind(all.data[i]) == CXCursor_FunctionTemplate &&
            clang_isCursorDefinition(all.data[i]) && rw_parameters(rw->arena, all.data[i]).count) {
            const source *src = &rw->src;
            const char *name = rw_spelling(rw->arena, all.data[i]);
            for (size_t t = 0; t + 1 < src->token_count; t++) {
                if (!rw_token_is(src, t, "template") || rw_token_is(src, t + 1, "<"))
                    continue;
                for (t++;
                     t < src->token_count && !rw_token_is(src, t, ";") && !rw_token_is(src, t, "(");
                     t++)
                    if (rw_token_is(src, t, name))
                        edit_instance(rw, t, all.data[i]);
            }
        }
}
