/* Declarations in functions: local pointers to laid-out records, and references of C++. */
#include "internal.h"

/* ---- the words before a name ------------------------------------------------------- */

static bool is_kept(const source *src, size_t t) {
    return hd_has_word("static inline __inline__ __inline extern constexpr __kernel kernel "
                       "__global__ __device__ __host__ __noinline__ __forceinline__ __shared__ "
                       "__attribute__ __launch_bounds__ __private private register",
                       rw_token_text(src, t));
}

bool rw_specifiers(const rewriter *rw, unsigned begin, unsigned name, range *result) {
    const source *src = &rw->src;
    size_t first = rw_token_at(src, begin), last = rw_token_at(src, name);
    if (first >= src->token_count || last >= src->token_count)
        return false;
    if (rw_token_is(src, first, "template")) {
        int depth = 0;
        for (first++; first < last; first++) {
            depth += rw_token_is(src, first, "<") - rw_token_is(src, first, ">");
            if (!depth)
                break;
        }
        first++;
    }
    for (; first < last && is_kept(src, first); first++)
        if (rw_token_is(src, first + 1, "("))
            first = rw_token_matching(src, first + 1);
    for (size_t t = first; t < last; t++)
        if (is_kept(src, t) || strchr("([{;,=", src->text[src->tokens[t].at.begin]))
            return false;
    *result = (range){first < last ? src->tokens[first].at.begin : name, name};
    return first <= last;
}

const char *rw_stars(rewriter *rw, CXType type) {
    int pointers = 0;
    for (CXType t = rw_value_type(type); t.kind == CXType_Pointer || rw_is_array(t);
         t = clang_getCanonicalType(rw_target_of(t)))
        pointers += t.kind == CXType_Pointer;
    hd_str stars = {.arena = rw->arena};
    for (int i = 1; i < pointers; i++)
        hd_str_add(&stars, "*");
    if (rw_is_reference(type) && pointers)
        hd_str_add(&stars, "&");
    return hd_str_text(&stars);
}

bool rw_refuse_volatile(rewriter *rw, CXCursor declared, CXType type) {
    if (!rw_target_is(rw, type, "volatile"))
        return false;
    rw_refuse(rw, declared,
              "'%s' points to volatile records; drop the volatile, and write "
              "*(volatile int *)&p[i].field where it matters",
              rw_spelling(rw->arena, declared));
    return true;
}

/* ---- initialisers --------------------------------------------------------------------- */

static void edit_value(rewriter *rw, const frame *at, CXCursor value, const char *name) {
    frame child = {value, at};
    if (clang_getCursorKind(value) == CXCursor_InitListExpr) {
        cursors inside = rw_children(rw->arena, value);
        for (size_t i = 0; i < inside.count; i++)
            edit_value(rw, &child, inside.data[i], name);
    } else if (rw_record_value_of(rw, value).depth >= 0) {
        rw_edit_reference(rw, &child);
    } else if (!rw->has_conflicts) { /* else that was said where they met */
        rw_refuse(rw, at->cursor,
                  "'%s' is not initialised with a place in an array that came as "
                  "a parameter; write '= &p[i]', or keep an index",
                  name);
    }
}

/* ---- declarations ------------------------------------------------------------------------ */

/* Where the type of a declarator begins: at the statement's begin, or behind the comma. */
static bool begin_of(const rewriter *rw, range statement, unsigned name, bool is_first,
                     unsigned *begin) {
    const source *src = &rw->src;
    size_t t = rw_token_at(src, name);
    *begin = statement.begin;
    if (is_first)
        return t < src->token_count;
    if (t >= src->token_count)
        return false;
    while (t && !rw_token_is(src, t - 1, ",") && src->tokens[t].at.begin > statement.begin)
        t--;
    *begin = src->tokens[t].at.begin;
    return *begin > statement.begin;
}

static void edit_type(rewriter *rw, CXCursor declared, range statement, bool is_first,
                      const pointee *what) {
    CXType type = clang_getCursorType(declared);
    const char *name = rw_spelling(rw->arena, declared);
    accessors *f = &what->of->accessors[what->in];
    unsigned name_at, begin;
    range words;
    if (!rw_offset_of(&rw->src, clang_getCursorLocation(declared), &name_at) ||
        !rw_token_is(&rw->src, rw_token_at(&rw->src, name_at), name) ||
        !begin_of(rw, statement, name_at, is_first, &begin) ||
        (begin < name_at && !rw_specifiers(rw, begin, name_at, &words))) {
        rw_refuse_macro(rw, declared);
        return;
    }
    f->is_used = true;
    hd_push(rw->arena, &rw->seen, name_at);
    if (is_first)
        rw_edit_text(rw, words,
                     hd_format(rw->arena, "%s%s %s", what->of->scope, f->ref, rw_stars(rw, type)));
    else if (begin < name_at)
        rw_edit_text(rw, (range){begin, name_at}, rw_stars(rw, type));
}

static void edit_variable(rewriter *rw, const frame *at, CXCursor declared, range statement,
                          bool is_first, const pointee *what) {
    CXType type = clang_getCursorType(declared);
    const char *name = rw_spelling(rw->arena, declared);
    CXCursor value = clang_Cursor_getVarDeclInitializer(declared);
    frame child = {declared, at};
    if (strstr(rw_type_text(rw->arena, type), "*__local")) {
        rw_refuse(rw, declared, "'%s' keeps pointers in local memory; keep indices there", name);
        return;
    }
    rw_refuse_volatile(rw, declared, type);
    edit_type(rw, declared, statement, is_first, what);
    if (!clang_Cursor_isNull(value))
        edit_value(rw, &child, value, name);
    range body = {0, 0};
    for (const frame *f = at; f->up; f = f->up)
        if (rw_is_function(f->up->cursor))
            rw_range_of(&rw->src, f->cursor, &body);
    hd_push(rw->arena, &rw->variables, (variable){name, body});
}

/* One pointee for all that one statement declares. */
static bool read_declared(rewriter *rw, const cursors *all, pointee *what, CXCursor *odd) {
    *what = (pointee){.field = -1};
    for (size_t i = 0; i < all->count; i++) {
        pointee h = clang_getCursorKind(all->data[i]) == CXCursor_VarDecl
                        ? rw_pointee_of(rw, all->data[i])
                        : (pointee){.field = -1};
        if (i && (h.of != what->of || h.in != what->in)) {
            *odd = h.of ? all->data[i] : all->data[0];
            return false;
        }
        *what = h;
    }
    return true;
}

bool rw_edit_declarations(rewriter *rw, const frame *at) {
    cursors all = rw_children(rw->arena, at->cursor);
    pointee what;
    CXCursor odd;
    range statement;
    if (!read_declared(rw, &all, &what, &odd)) {
        rw_refuse(rw, odd,
                  "'%s' is declared together with others of another type; give each a declaration "
                  "of its own",
                  rw_spelling(rw->arena, odd));
        return true;
    }
    if (!what.of)
        return false;
    if (!rw_range_of(&rw->src, at->cursor, &statement)) {
        rw_refuse_macro(rw, at->cursor);
        return true;
    }
    for (size_t i = 0; i < all.count; i++)
        edit_variable(rw, at, all.data[i], statement, i == 0, &what);
    return true;
}
