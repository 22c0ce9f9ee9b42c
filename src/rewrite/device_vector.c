/*
 * thrust's device_vectors of laid-out records.
 *
 *     thrust::device_vector<R> d(n);              heddle::device_vector<R> d(n);
 *     k<<<b, t>>>(thrust::raw_pointer_cast(d.data()));
 *                                                 k<<<b, t>>>(heddle::raw_pointer_cast(d.data()));
 *     d = host; host = d; d[3] = r;               the same
 *
 * What stands in heddle:: has the names and members of thrust's (text/device_vectors.text), so a
 * program changes where it says thrust, and nowhere else. The memory of all device_vectors of R is one
 * node of the flow (pointer_flow.c), R itself; what makes raw pointers of it leads there. Where these
 * come to kernels, all of them are laid out, and only then.
 *
 * In a template the parameter says which of the two it is; a function's is deduced from either.
 *
 *     template <class T> struct pool { thrust::device_vector<T> all; };
 *         ... heddle::vector<thrust::device_vector<T>> all; ...
 *     template <class T> T *raw(thrust::device_vector<T> &v);
 *         template <class T, template <class...> class Vector0, class... More0,
 *                   class = heddle::on_device<Vector0<T, More0...>>>
 *         heddle::pointer<T> raw(Vector0<T, More0...> &v);
 *
 * An expression's type says whether it leads to such memory. What is done with it must be known here:
 * a member that heddle's class has, too, one of a few functions, or the program's own, whose parameters
 * follow. All else is refused, since thrust's algorithms know no layout.
 */
#include "internal.h"

/* ---- types -------------------------------------------------------------------------------------- */

typedef enum lead {
    NO_LEAD,
    VECTOR, /* a device_vector, or a base of it */
    PLACE,  /* where an element lies: thrust's pointers, references and plain iterators */
    HOLDER  /* made of these in another way */
} lead;

static bool is_of_thrust(const rewriter *rw, CXCursor declared) {
    return !strcmp(rw_outermost_namespace(rw->arena, declared), "thrust");
}

/* How a type leads to a record's elements on the device, and the record. */
static lead lead_of(const rewriter *rw, CXType type, laid_record **record) {
    static const char vectors[] = "device_vector vector_base contiguous_storage";
    static const char places[] = "device_ptr device_reference pointer reference normal_iterator "
                                 "iterator_facade iterator_adaptor";
    CXType t = clang_getCanonicalType(rw_value_type(type));
    while (t.kind == CXType_Pointer)
        t = clang_getCanonicalType(clang_getPointeeType(t));
    CXCursor declared = clang_getTypeDeclaration(t);
    int count = t.kind == CXType_Record ? clang_Type_getNumTemplateArguments(t) : 0;
    const char *name = count > 0 ? rw_spelling(rw->arena, declared) : "";
    bool leads = false, is_thrusts = count > 0 && is_of_thrust(rw, declared);
    if (is_thrusts && !strncmp(name, "device_", 7)) {
        *record = rw_laid_record_of(rw, clang_Type_getTemplateArgumentAsType(t, 0));
        leads = *record != NULL;
    }
    for (int i = 0; i < count && !leads; i++)
        leads =
            lead_of(rw, clang_Type_getTemplateArgumentAsType(t, (unsigned)i), record) != NO_LEAD;
    return !leads                                     ? NO_LEAD
           : is_thrusts && hd_has_word(vectors, name) ? VECTOR
           : is_thrusts && hd_has_word(places, name)  ? PLACE
                                                      : HOLDER;
}

static bool is_laid_out(const rewriter *rw, const laid_record *l) {
    return rw_pointee_of(rw, l->declaration).of != NULL;
}

/* In its namespace there is what templates need. */
static const laid_record *first_laid_out(const rewriter *rw) {
    const laid_record *l = rw->records;
    while (clang_Cursor_isNull(l->declaration) || !is_laid_out(rw, l))
        l++;
    return l;
}

/* The same of an expression, where the record's vectors are laid out. */
static lead lead_of_value(const rewriter *rw, CXCursor e, laid_record **record) {
    lead found = lead_of(rw, clang_getCursorType(e), record);
    return found != NO_LEAD && is_laid_out(rw, *record) ? found : NO_LEAD;
}

/* A variable or member below `at` is a device_vector of a template's parameter, or leads into one. */
static bool names_vector_of_parameter(const rewriter *rw, CXCursor at) {
    CXType type = clang_getCursorType(at);
    const char *text = rw_type_text(rw->arena, type);
    hd_cursors inside = hd_cursor_children(rw->arena, at);
    bool names =
        rw_is_dependent(type) && (strstr(text, "device_vector<") || strstr(text, "device_ptr<"));
    for (size_t i = 0; i < inside.count && !names; i++)
        names = names_vector_of_parameter(rw, inside.data[i]);
    return names;
}

/* thrust's functions of the name that a template calls, where an instance says which; else null. */
static CXCursor open_function(const rewriter *rw, CXCursor call) {
    hd_cursors inside = hd_cursor_children(rw->arena, call);
    CXCursor named = clang_getNullCursor();
    if (inside.count && clang_getCursorKind(inside.data[0]) == CXCursor_DeclRefExpr)
        named = rw_last_child(rw->arena, inside.data[0]);
    return clang_getCursorKind(named) == CXCursor_OverloadedDeclRef &&
                   is_of_thrust(rw, clang_getOverloadedDecl(named, 0))
               ? named
               : clang_getNullCursor();
}

bool rw_unwraps_in_template(const rewriter *rw, CXCursor call) {
    CXCursor named = open_function(rw, call);
    hd_cursors inside = hd_cursor_children(rw->arena, call);
    if (!clang_Cursor_isNull(named))
        return !strcmp(rw_spelling(rw->arena, named), "raw_pointer_cast");
    return inside.count && clang_getCursorKind(inside.data[0]) == CXCursor_MemberRefExpr &&
           !strcmp(rw_member_name((rewriter *)rw, inside.data[0]), "get");
}

laid_record *rw_unwrapped_record(const rewriter *rw, CXCursor call) {
    if (!rw->with_host || clang_getCursorKind(call) != CXCursor_CallExpr)
        return NULL;
    CXType type = clang_getCanonicalType(clang_getCursorType(call));
    if (type.kind == CXType_Dependent) /* in a template: of several records none is known */
        return rw->record_count == 1 && rw_unwraps_in_template(rw, call) &&
                       names_vector_of_parameter(rw, call)
                   ? rw->records
                   : NULL;
    laid_record *record = NULL, *given = NULL;
    if (type.kind == CXType_Pointer)
        given = rw_laid_record_of(rw, clang_getPointeeType(type));
    if (!given)
        return NULL;
    const char *name = rw_spelling(rw->arena, call);
    CXCursor from = clang_getNullCursor();
    if (!strcmp(name, "raw_pointer_cast") && clang_Cursor_getNumArguments(call) == 1)
        from = clang_Cursor_getArgument(call, 0);
    else if (!strcmp(name, "get") && clang_Cursor_getNumArguments(call) == 0)
        from = rw_last_child(rw->arena, hd_cursor_children(rw->arena, call).data[0]);
    bool leads = !clang_Cursor_isNull(from) &&
                 lead_of(rw, clang_getCursorType(from), &record) == PLACE && record == given;
    return leads ? record : NULL;
}

/* ---- names --------------------------------------------------------------------------------------- */

/* A name with the namespaces before it, which are the last of `scopes`; false, with a refusal: a
 * macro makes it. */
static bool range_of_name(rewriter *rw, CXCursor name, const char *word, const hd_cursors *scopes,
                          size_t scope_count, range *at) {
    unsigned end, begin;
    if (!rw_offset_of(&rw->src, clang_getCursorLocation(name), &end) ||
        !rw_token_is(&rw->src, rw_token_at(&rw->src, end), word)) {
        rw_refuse_macro(rw, name);
        return false;
    }
    *at = (range){end, rw->src.tokens[rw_token_at(&rw->src, end)].at.end};
    while (scope_count &&
           clang_getCursorKind(scopes->data[scope_count - 1]) == CXCursor_NamespaceRef &&
           rw_offset_of(&rw->src, clang_getCursorLocation(scopes->data[--scope_count]), &begin))
        at->begin = begin;
    size_t first = rw_token_at(&rw->src, at->begin);
    if (first && rw_token_is(&rw->src, first - 1, "::"))
        at->begin = rw->src.tokens[first - 1].at.begin;
    return true;
}

/* A name stands in the body of a macro, which may have other uses: all of them are to ask for the same
 * edit, so all are expanded. */
static bool is_in_macro(rewriter *rw, CXCursor name, const char *word) {
    unsigned begin;
    flat_spot spot;
    const char *why;
    hd_place defined;
    if (!rw_offset_of(&rw->src, clang_getCursorLocation(name), &begin))
        return false;
    size_t t = rw_token_at(&rw->src, begin);
    if (rw_token_is(&rw->src, t, word))
        return rw_flat_spot(rw->flat, rw->src.tokens[t].at, &spot) && spot.node->kind == FLAT_MACRO;
    rw_macro_request(rw, (range){begin, begin + 1}, &why, &defined);
    return false;
}

/* Behind the functions in heddle::. */
static bool stands_behind(const rewriter *rw, CXCursor at, const laid_record *l) {
    unsigned begin;
    return rw_offset_of(&rw->src, clang_getCursorLocation(at), &begin) && begin >= l->declared;
}

/* thrust::name becomes heddle::name. */
static void edit_name(rewriter *rw, CXCursor name, const char *word, const hd_cursors *scopes,
                      size_t scope_count, const laid_record *l) {
    range at;
    if (range_of_name(rw, name, word, scopes, scope_count, &at))
        rw_edit_text(rw, at, hd_format(rw->arena, "%sheddle::%s", l->scope, word));
}

/* The text of a template's arguments, and its first token; false: a macro makes it. */
static bool arguments_of(rewriter *rw, CXCursor name, range *text, size_t *first) {
    unsigned offset;
    int depth = 0;
    const source *src = &rw->src;
    if (!rw_offset_of(src, clang_getCursorLocation(name), &offset) ||
        !rw_token_is(src, rw_token_at(src, offset), rw_spelling(rw->arena, name)) ||
        !rw_token_is(src, rw_token_at(src, offset) + 1, "<"))
        return false;
    *first = rw_token_at(src, offset) + 2;
    size_t close = rw_angle_matching(src, *first - 1, src->token_count);
    for (size_t t = *first; t < close; t++)
        depth += rw_token_is(src, t, "<") - rw_token_is(src, t, ">");
    *text = (range){src->tokens[*first].at.begin, src->tokens[close].at.begin + (depth > 0)};
    return close >= *first; /* ">>" may close two */
}

/* The type behind the `number`th of these names, and the namespaces before it; null: something else is. */
static CXCursor type_behind(const hd_cursors *all, size_t number) {
    size_t next = number + 1;
    while (next < all->count && clang_getCursorKind(all->data[next]) == CXCursor_NamespaceRef)
        next++;
    return next < all->count && clang_getCursorKind(all->data[next]) == CXCursor_TypeRef
               ? all->data[next]
               : clang_getNullCursor();
}

/* The type that is the one argument of the template whose name is the `number`th of these, as far as
 * a name says it; null: it has others. */
static CXCursor argument_of(rewriter *rw, const hd_cursors *all, size_t number) {
    size_t first;
    unsigned at;
    range text;
    bool is_written = arguments_of(rw, all->data[number], &text, &first);
    CXCursor type = type_behind(all, number);
    if (clang_Cursor_isNull(type))
        return type;
    bool is_alone = is_written && rw_offset_of(&rw->src, clang_getCursorLocation(type), &at) &&
                    rw_token_from(&rw->src, text.end) == rw_token_at(&rw->src, at) + 1;
    return is_alone || !is_written ? type : clang_getNullCursor();
}

/* The record that an argument "body<float>" names, or, with `is_open`, that a template's "body<T>" may
 * name; NULL: none. */
static laid_record *instance_of(rewriter *rw, CXCursor name, bool *is_open) {
    size_t first;
    range text;
    hd_str argument = {.arena = rw->arena};
    if (!arguments_of(rw, name, &text, &first))
        return NULL;
    for (unsigned i = text.begin; i < text.end; i++)
        hd_str_addn(&argument, &rw->src.text[i], !strchr(" \t\r\n", rw->src.text[i]));
    for (uint32_t r = 0; r < rw->record_count; r++) {
        const char *record = rw_unscoped(rw->records[r].record->name);
        const char *given = rw_unscoped(hd_str_text(&argument));
        size_t stem = strcspn(record, "<");
        if (!record[stem] || strncmp(given, record, stem + 1) != 0)
            continue;
        *is_open = strcmp(given, record) != 0;
        return &rw->records[r];
    }
    return NULL;
}

/* What a template calls that is not in heddle:: for every type: a function of thrust's, a member; NULL:
 * nothing. */
static const char *open_call(rewriter *rw, CXCursor at, CXCursor *call) {
    static const char offered[] = "raw_pointer_cast swap";
    static const char missing[] = "insert erase rbegin rend crbegin crend get_allocator max_size";
    hd_cursors all = hd_cursor_children(rw->arena, at);
    enum CXCursorKind kind = clang_getCursorKind(at);
    CXCursor function = kind == CXCursor_CallExpr ? open_function(rw, at) : clang_getNullCursor();
    const char *name = NULL;
    *call = at;
    if (!clang_Cursor_isNull(function) && !hd_has_word(offered, rw_spelling(rw->arena, function)))
        return rw_spelling(rw->arena, function);
    if (kind == CXCursor_MemberRefExpr && clang_getCursorType(at).kind == CXType_Dependent &&
        hd_has_word(missing, rw_member_name(rw, at)))
        return rw_member_name(rw, at);
    for (size_t i = 0; i < all.count && !name; i++)
        name = open_call(rw, all.data[i], call);
    return name;
}

/* A template, for laid-out records. */
static void check_template(rewriter *rw, CXCursor pattern, const laid_record *l) {
    CXCursor call;
    const char *name = open_call(rw, pattern, &call);
    if (!stands_behind(rw, pattern, l) && names_vector_of_parameter(rw, pattern))
        rw_refuse(rw, pattern,
                  "the template '%s' has device_vectors of '%s' before that is defined; move the "
                  "struct above it",
                  rw_spelling(rw->arena, pattern), l->spelling);
    else if (name)
        rw_refuse(rw, call,
                  "'%s' is called here for every type of a template, of which the device_vectors "
                  "of '%s' are laid out; write a function or class of its own for '%s'",
                  name, l->spelling, l->spelling);
}

/* template <class T> void f(thrust::device_vector<T> &v) */
static void edit_deduced(rewriter *rw, CXCursor parameter, range name, range argument) {
    const source *src = &rw->src;
    CXCursor function = clang_getCursorSemanticParent(parameter);
    hd_cursors parameters = rw_parameters(rw->arena, function);
    range whole;
    size_t number = 0, open = src->token_count, close = open;
    while (number < parameters.count && !clang_equalCursors(parameters.data[number], parameter))
        number++;
    if (rw_range_of(src, function, &whole))
        open = rw_token_at(src, whole.begin) + 1;
    if (rw_token_is(src, open, "<"))
        close = rw_angle_matching(src, open, src->token_count);
    if (!rw_token_is(src, close, ">")) {
        rw_refuse_macro(rw, parameter);
        return;
    }
    const char *vector = rw_free_name(rw, hd_format(rw->arena, "Vector%zu", number));
    const char *more = rw_free_name(rw, hd_format(rw->arena, "More%zu", number));
    rw_edit_text(rw, name, vector);
    rw_edit_text(rw, (range){argument.end, argument.end}, hd_format(rw->arena, ", %s...", more));
    const char *only = "";
    if (clang_equalCursors(clang_getCanonicalCursor(function), function))
        only = hd_format(rw->arena, " = %sheddle::on_device<%s<%.*s, %s...>>",
                         first_laid_out(rw)->scope, vector, (int)(argument.end - argument.begin),
                         src->text + argument.begin, more);
    rw_edit_insert(rw, src->tokens[close].at.begin,
                   hd_format(rw->arena, ", template <class...> class %s, class... %s, class%s",
                             vector, more, only));
}

/* thrust::device_vector<T> in a template, below `at`. */
static void edit_vector_of_parameter(rewriter *rw, CXCursor at, range name, range argument) {
    const source *src = &rw->src;
    if (clang_getCursorKind(at) == CXCursor_ParmDecl &&
        clang_getCursorKind(clang_getCursorSemanticParent(at)) == CXCursor_FunctionTemplate &&
        !rw_token_is(src, rw_token_from(src, argument.end) + 1, "::")) {
        edit_deduced(rw, at, name, argument);
        return;
    }
    rw_edit_text(rw, name,
                 hd_format(rw->arena, "%sheddle::vector<%.*s", first_laid_out(rw)->scope,
                           (int)(name.end - name.begin), src->text + name.begin));
    rw_edit_text(rw, (range){argument.end, argument.end + 1}, ">>");
}

/* thrust::device_vector<R, allocator> */
static bool refuse_allocator(rewriter *rw, const hd_cursors *all, size_t number) {
    size_t first;
    range text;
    CXCursor type = type_behind(all, number);
    laid_record *l = NULL;
    if (!arguments_of(rw, all->data[number], &text, &first) || !rw_has_token(&rw->src, text, ","))
        return false;
    if (!clang_Cursor_isNull(type))
        l = rw_laid_record_of(rw, clang_getCursorType(type));
    return l && is_laid_out(rw, l) &&
           rw_refuse(rw, all->data[number],
                     "this device_vector of '%s' has an allocator of its own, which knows nothing "
                     "of the layout; leave it out",
                     l->spelling);
}

/* A template's name, the `number`th of what is below `at`. */
static void edit_template_name(rewriter *rw, CXCursor at, const hd_cursors *all, size_t number) {
    CXCursor name = all->data[number], declared = clang_getCursorReferenced(name);
    CXCursor argument = argument_of(rw, all, number);
    const char *word = rw_spelling(rw->arena, declared);
    size_t first;
    range whole, arguments;
    bool is_open = !clang_Cursor_isNull(argument) && rw_is_dependent(clang_getCursorType(argument));
    laid_record *l = clang_Cursor_isNull(argument)
                         ? instance_of(rw, name, &is_open)
                         : rw_laid_record_of(rw, clang_getCursorType(argument));
    bool is_laid = l && !is_open && is_laid_out(rw, l);
    if (!is_of_thrust(rw, declared)) {
        if (is_laid && !clang_Location_isInSystemHeader(clang_getCursorLocation(declared)))
            check_template(rw, declared, l);
        return;
    }
    if (refuse_allocator(rw, all, number))
        return;
    is_open |= !strcmp(word, "device_vector") && is_in_macro(rw, name, word);
    if (is_laid && !is_open && hd_has_word("device_vector device_ptr device_reference", word)) {
        edit_name(rw, name, word, all, number, l);
    } else if (is_open && !strcmp(word, "device_vector") &&
               stands_behind(rw, name, first_laid_out(rw)) &&
               range_of_name(rw, name, word, all, number, &whole) &&
               arguments_of(rw, name, &arguments, &first)) {
        edit_vector_of_parameter(rw, at, whole, arguments);
    }
}

/* ---- calls ---------------------------------------------------------------------------------------- */

/* In heddle::, with other iterators of the host. */
static const char functions[] = "raw_pointer_cast copy copy_n fill";
/* Of the libraries, right for every type. */
static const char general[] =
    "swap move forward exchange begin end operator+ operator- operator== operator!= "
    "operator< operator> operator<= operator>=";
static const char vector_members[] = "operator= operator[] assign back begin capacity cbegin cend "
                                     "clear data empty end front pop_back "
                                     "push_back reserve resize shrink_to_fit size swap";
static const char place_members[] =
    "get operator= operator* operator& operator[] operator+ operator- operator+= operator-= "
    "operator++ "
    "operator-- operator== operator!= operator< operator> operator<= operator>=";

static const char mend[] =
    "do its work in a kernel or in a functor that is given the raw pointer and an index, as over "
    "thrust::counting_iterator, or on a thrust::host_vector, from and to which thrust::copy() goes";

/* What the host can read elements of one after the other, or write to. */
static bool is_of_host(const rewriter *rw, CXType type) {
    laid_record *l;
    CXType t = clang_getCanonicalType(rw_value_type(type));
    lead leads = lead_of(rw, t, &l);
    if (t.kind != CXType_Record || leads == PLACE || leads == VECTOR)
        return true;
    CXCursor declared = clang_getTypeDeclaration(t);
    return !is_of_thrust(rw, declared) ||
           (!strcmp(rw_spelling(rw->arena, declared), "normal_iterator") &&
            clang_getCanonicalType(clang_Type_getTemplateArgumentAsType(t, 0)).kind ==
                CXType_Pointer) ||
           !strcmp(rw_spelling(rw->arena, declared), "host_vector") ||
           !strcmp(rw_spelling(rw->arena, declared), "vector_base");
}

static bool all_are_of_host(const rewriter *rw, CXCursor call) {
    bool are = true;
    for (int i = 0; i < clang_Cursor_getNumArguments(call); i++)
        are &= is_of_host(rw, clang_getCursorType(clang_Cursor_getArgument(call, (unsigned)i)));
    return are;
}

/* How the first argument that leads to a record does. */
static lead lead_of_arguments(const rewriter *rw, CXCursor call, laid_record **record) {
    lead found = NO_LEAD;
    for (int i = 0; i < clang_Cursor_getNumArguments(call) && found == NO_LEAD; i++)
        found = lead_of_value(rw, clang_Cursor_getArgument(call, (unsigned)i), record);
    return found;
}

/* (n), (n, value), (first, last), of another container, and what compilers write. */
static bool is_known_constructor(const rewriter *rw, CXCursor call, CXCursor callee, lead class) {
    laid_record *l;
    int count = clang_Cursor_getNumArguments(call);
    if (!count || clang_CXXConstructor_isCopyConstructor(callee) ||
        clang_CXXConstructor_isMoveConstructor(callee))
        return true;
    if (class != VECTOR)
        return lead_of_arguments(rw, call, &l) == PLACE;
    for (int i = 0; i < count; i++) {
        CXType type = clang_getCursorType(clang_Cursor_getArgument(call, (unsigned)i));
        CXCursor declared = clang_getTypeDeclaration(clang_getCanonicalType(rw_value_type(type)));
        if (strstr(rw_spelling(rw->arena, declared), "allocator"))
            return false;
    }
    return count <= 2 && all_are_of_host(rw, call);
}

static bool is_known_member(const rewriter *rw, CXCursor call, CXCursor callee, lead class) {
    if (clang_getCursorKind(callee) == CXCursor_Constructor)
        return is_known_constructor(rw, call, callee, class);
    if (clang_getCursorKind(callee) == CXCursor_ConversionFunction ||
        clang_getCursorKind(callee) == CXCursor_Destructor)
        return true;
    return hd_has_word(class == VECTOR ? vector_members : place_members,
                       rw_spelling(rw->arena, callee)) &&
           all_are_of_host(rw, call);
}

static void edit_function_name(rewriter *rw, CXCursor call, const char *word,
                               const laid_record *l) {
    CXCursor named = rw_bare(rw->arena, hd_cursor_children(rw->arena, call).data[0]);
    hd_cursors scopes = hd_cursor_children(rw->arena, named);
    edit_name(rw, named, word, &scopes, scopes.count, l);
}

/* A function of a library that is given such a vector, or places in it. */
static void check_library_call(rewriter *rw, CXCursor call, CXCursor callee, lead given,
                               laid_record *l) {
    const char *name = rw_spelling(rw->arena, callee);
    bool is_method = clang_getCursorKind(callee) == CXCursor_CXXMethod ||
                     clang_getCursorKind(callee) == CXCursor_Constructor;
    if (!is_method && given == PLACE && hd_has_word(functions, name) &&
        clang_Cursor_getNumArguments(call) <= 3 && all_are_of_host(rw, call))
        edit_function_name(rw, call, name, l);
    else if ((given != PLACE && !strncmp(name, "operator", 8) && !is_method) ||
             (!hd_has_word(general, name) && !(is_method && given != PLACE)))
        rw_refuse(rw, call,
                  "the device_vector of '%s' goes to '%s' here, which knows nothing of its layout; "
                  "%s",
                  l->spelling, name,
                  hd_has_word(functions, name)
                      ? "call it without a policy, for iterators of vectors and C's arrays"
                      : mend);
}

/* A template of the program's. */
static void check_own_call(rewriter *rw, CXCursor callee, const laid_record *l) {
    CXCursor pattern = clang_getSpecializedCursorTemplate(callee);
    if (!clang_Cursor_isNull(pattern))
        check_template(rw, pattern, l);
}

/* raw_pointer_cast() in a template. */
static void edit_open_call(rewriter *rw, CXCursor call) {
    CXCursor named = open_function(rw, call);
    if (clang_Cursor_isNull(named) || !stands_behind(rw, named, first_laid_out(rw)) ||
        strcmp(rw_spelling(rw->arena, named), "raw_pointer_cast") != 0)
        return;
    hd_cursors scopes = hd_cursor_children(rw->arena, hd_cursor_children(rw->arena, call).data[0]);
    edit_name(rw, named, "raw_pointer_cast", &scopes, scopes.count - 1, first_laid_out(rw));
}

/* thrust::raw_pointer_cast(v) of a macro's, for numbers. */
static bool is_raw_cast_in_macro(rewriter *rw, CXCursor call, CXCursor callee) {
    static const char word[] = "raw_pointer_cast";
    return !strcmp(rw_spelling(rw->arena, callee), word) && is_of_thrust(rw, callee) &&
           is_in_macro(rw, rw_bare(rw->arena, hd_cursor_children(rw->arena, call).data[0]), word);
}

static void check_call(rewriter *rw, CXCursor call) {
    CXCursor callee = clang_getCursorReferenced(call);
    laid_record *l = NULL;
    edit_open_call(rw, call);
    if (clang_Cursor_isNull(callee) || !rw_is_function(callee))
        return;
    CXCursor class = clang_getCursorSemanticParent(callee);
    bool is_system = clang_Location_isInSystemHeader(clang_getCursorLocation(callee));
    lead of = is_system ? lead_of_value(rw, class, &l) : NO_LEAD;
    if ((of == VECTOR || of == PLACE) && is_of_thrust(rw, class)) {
        if (!is_known_member(rw, call, callee, of))
            rw_refuse(rw, call,
                      "'%s' of thrust's, as it is called here, is not there for laid-out records "
                      "'%s'; %s",
                      rw_spelling(rw->arena, callee), l->spelling, mend);
        return;
    }
    lead given = lead_of_arguments(rw, call, &l);
    if (given != NO_LEAD && is_system)
        check_library_call(rw, call, callee, given, l);
    else if (given != NO_LEAD)
        check_own_call(rw, callee, l);
    else if (is_raw_cast_in_macro(rw, call, callee))
        edit_function_name(rw, call, "raw_pointer_cast", first_laid_out(rw));
    else if (is_system && clang_getCursorKind(callee) == CXCursor_FunctionDecl &&
             lead_of_value(rw, call, &l) == PLACE)
        rw_refuse(rw, call,
                  "'%s' gives memory for '%s' that is not laid out, as that of device_vectors here "
                  "is; allocate it as thrust::device_vector<%s>, or with cudaMalloc()",
                  rw_spelling(rw->arena, callee), l->spelling, l->spelling);
}

/* ---- all of a file -------------------------------------------------------------------------------- */

/* What thrust has for the host brings elements to the device, or is used there. */
static void check_on_device(rewriter *rw, CXCursor at) {
    laid_record *l;
    enum CXCursorKind kind = clang_getCursorKind(at);
    if ((kind == CXCursor_ParmDecl || kind == CXCursor_MemberRefExpr) &&
        lead_of_value(rw, at, &l) != NO_LEAD)
        rw_refuse(rw, at,
                  "'%s' brings places in a device_vector of '%s' to the device; give it the raw "
                  "pointer, '%s *'",
                  rw_spelling(rw->arena, at), l->spelling, l->spelling);
}

static void see(rewriter *rw, CXCursor at, bool on_device) {
    hd_cursors all = hd_cursor_children(rw->arena, at);
    if (rw_is_function(at))
        on_device = rw_is_device_function(rw->arena, at);
    for (size_t i = 0; i < all.count; i++) {
        enum CXCursorKind kind = clang_getCursorKind(all.data[i]);
        if (clang_isPreprocessing(kind) ||
            (clang_isDeclaration(kind) &&
             clang_Location_isInSystemHeader(clang_getCursorLocation(all.data[i]))))
            continue;
        if (kind == CXCursor_TemplateRef)
            edit_template_name(rw, at, &all, i);
        else if (kind == CXCursor_CallExpr)
            check_call(rw, all.data[i]);
        if (on_device)
            check_on_device(rw, all.data[i]);
        see(rw, all.data[i], on_device);
    }
}

/* What heddle:: in a namespace needs of the library stands before that: thrust's headers may come later,
 * or in other files alone. */
static void edit_headers(rewriter *rw, const laid_record *l) {
    CXCursor outermost = clang_getNullCursor();
    range whole;
    hd_str text = {.arena = rw->arena};
    for (CXCursor in = clang_getCursorLexicalParent(l->declaration);
         clang_getCursorKind(in) == CXCursor_Namespace; in = clang_getCursorLexicalParent(in))
        outermost = in;
    rw_add_text(&text, "cuda.vector_headers", NULL);
    if (!clang_Cursor_isNull(outermost) && rw_range_of(&rw->src, outermost, &whole))
        rw_edit_text(rw, (range){whole.begin, whole.begin}, hd_str_text(&text));
}

void rw_edit_device_vectors(rewriter *rw) {
    for (uint32_t r = 0; r < rw->record_count && rw->with_host; r++) {
        laid_record *l = &rw->records[r];
        if (clang_Cursor_isNull(l->declaration) || !is_laid_out(rw, l))
            continue;
        rw->has_vectors = rw->has_templates = l->has_host_memory = true;
        l->accessors[SPACE_GLOBAL].is_used = true;
        edit_headers(rw, l);
    }
    if (rw->has_vectors)
        see(rw, clang_getTranslationUnitCursor(rw->src.unit), false);
}
