/*
 * Declarations: local pointers to laid-out records, references of C++, and, where host code is
 * rewritten, variables outside of functions and members of structs.
 *
 *     R *p, *q;          R_ref p, q;
 *     R *host, *device;  R *host; R_ref device;
 */
#include "internal.h"

/* ---- the words before a name ------------------------------------------------------- */

static bool is_kept(const source *src, size_t t) {
    return hd_has_word("static inline __inline__ __inline extern constexpr __kernel kernel "
                       "__global__ __device__ __constant__ __managed__ __host__ __noinline__ "
                       "__forceinline__ __shared__ "
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
    for (size_t t = first; t < last; t++) {
        if (is_kept(src, t) || strchr("([{;,=", src->text[src->tokens[t].at.begin]))
            return false;
        if (rw_token_is(src, t, "<"))
            t = rw_angle_matching(src, t, last);
    }
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
    return rw_refuse(rw, declared,
                     "'%s' points to volatile records; drop the volatile, and write "
                     "*(volatile int *)&p[i].field where it matters",
                     rw_spelling(rw->arena, declared));
}

static void edit_value(rewriter *rw, const frame *at, CXCursor value, const pointee *what) {
    frame child = {value, at};
    bool has_type = clang_getCursorType(value).kind != CXType_Invalid;
    CXCursor inner = has_type ? clang_getNullCursor() : rw_only_child(rw->arena, value);
    if (!clang_Cursor_isNull(inner)) { /* in a template, (value) behind a member */
        edit_value(rw, at, inner, what);
    } else if (clang_getCursorKind(value) == CXCursor_InitListExpr) {
        hd_cursors inside = hd_cursor_children(rw->arena, value);
        for (size_t i = 0; i < inside.count; i++)
            edit_value(rw, &child, inside.data[i], what);
    } else if (rw_record_value_of(rw, value).depth >= 0) {
        rw_edit_reference(rw, &child);
    } else if (rw_edit_null(rw, value, clang_getCursorType(at->cursor), what)) {
        return;
    } else if (!rw->has_conflicts) { /* else that was said where they met */
        rw_refuse(rw, at->cursor,
                  "'%s' is not initialised with a place in an array that came as "
                  "a parameter; write '= &p[i]', or keep an index",
                  rw_spelling(rw->arena, at->cursor));
    }
}

/* ---- declarations ------------------------------------------------------------------------ */

/* What one statement declares. */
typedef struct declaration {
    const frame *at;
    hd_cursors all;
    pointee *what; /* of each */
    range whole;
} declaration;

/* What the words before a name are followed by, of all that one statement declares. */
typedef enum standing {
    ALONE, /* the words before it are its own */
    SAME,  /* behind a comma, and of the type of the one before */
    APART  /* behind a comma that becomes a semicolon */
} standing;

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

const char *rw_reference_text(rewriter *rw, const pointee *what) {
    return hd_format(rw->arena, "%s%s", what->of->scope, what->of->accessors[what->in].ref);
}

const char *rw_reference_type(rewriter *rw, CXType type, const pointee *what) {
    bool is_element = rw_is_reference(type) && !rw_pointer_depth(type); /* T &r */
    if (rw->with_host && rw_is_dependent(type) && !is_element) {
        CXType t = rw_is_reference(type) ? clang_getPointeeType(type) : type;
        while (rw_pointer_depth(t) > 1)
            t = rw_target_of(t);
        what->of->has_host_memory = true;
        rw->has_templates = true;
        return hd_format(rw->arena, "heddle::pointer<%s>",
                         rw_type_text(rw->arena, rw_target_of(t)));
    }
    return rw_reference_text(rw, what);
}

/* The words of the first declarator, without its stars: "static const R ". */
static bool common_words(const rewriter *rw, const declaration *d, const char **words) {
    unsigned name;
    if (!rw_offset_of(&rw->src, clang_getCursorLocation(d->all.data[0]), &name))
        return false;
    size_t end = rw_token_at(&rw->src, name);
    while (end && end < rw->src.token_count &&
           (rw_token_is(&rw->src, end - 1, "*") || rw_token_is(&rw->src, end - 1, "__restrict__")))
        end--;
    if (end >= rw->src.token_count || rw->src.tokens[end].at.begin <= d->whole.begin)
        return false;
    *words = hd_strndup(rw->arena, rw->src.text + d->whole.begin,
                        rw->src.tokens[end].at.begin - d->whole.begin);
    return true;
}

/* The comma before a declarator becomes the end of a statement; `type` begins the next. */
static bool edit_comma(rewriter *rw, unsigned begin, const char *type) {
    size_t t = rw_token_at(&rw->src, begin);
    if (!t || t >= rw->src.token_count || !rw_token_is(&rw->src, t - 1, ","))
        return false;
    rw_edit_text(rw, (range){rw->src.tokens[t - 1].at.begin, begin},
                 hd_format(rw->arena, "; %s", type));
    return true;
}

static bool edit_type(rewriter *rw, const declaration *d, size_t number, CXCursor declared,
                      const pointee *what) {
    CXType type = clang_getCursorType(declared);
    const char *name = rw_spelling(rw->arena, declared), *words_before;
    unsigned name_at, begin;
    range words;
    standing stands = ALONE;
    if (number)
        stands = d->what[number].of == d->what[number - 1].of ? SAME : APART;
    if (!rw_offset_of(&rw->src, clang_getCursorLocation(declared), &name_at) ||
        !rw_token_is(&rw->src, rw_token_at(&rw->src, name_at), name) ||
        !begin_of(rw, d->whole, name_at, stands == ALONE, &begin))
        return false;
    if (!what->of) /* the others of a statement that is parted */
        return stands != APART ||
               (common_words(rw, d, &words_before) && edit_comma(rw, begin, words_before));
    if (begin < name_at && !rw_specifiers(rw, begin, name_at, &words))
        return false;
    what->of->accessors[what->in].is_used = true;
    hd_push(rw->arena, &rw->seen, name_at);
    const char *reference = rw_reference_type(rw, type, what), *stars = rw_stars(rw, type);
    if (stands == APART &&
        (!common_words(rw, d, &words_before) ||
         !edit_comma(rw, begin,
                     hd_format(rw->arena, "%s%s ",
                               strstr(words_before, "static ") == words_before ? "static " : "",
                               reference))))
        return false;
    if (stands == ALONE)
        rw_edit_text(rw, words, hd_format(rw->arena, "%s %s", reference, stars));
    else if (begin < name_at)
        rw_edit_text(rw, (range){begin, name_at}, stars);
    return true;
}

CXCursor rw_initializer(const rewriter *rw, CXCursor declared) {
    if (clang_getCursorKind(declared) != CXCursor_FieldDecl)
        return clang_Cursor_getVarDeclInitializer(declared);
    CXCursor last = rw_last_child(rw->arena, declared);
    range at;
    if (!clang_isExpression(clang_getCursorKind(last)) || !rw_range_of(&rw->src, last, &at))
        return clang_getNullCursor();
    size_t t = rw_token_from(&rw->src, at.begin); /* not the size of an array */
    bool is_value = (t && rw_token_is(&rw->src, t - 1, "=")) ||
                    clang_getCursorKind(last) == CXCursor_InitListExpr;
    return is_value ? last : clang_getNullCursor();
}

/* __device__ R all[N]; becomes __device__ R_array<N> all; */
static void edit_named_array(rewriter *rw, const declaration *d, CXCursor declared,
                             const pointee *what) {
    unsigned name;
    range words, size, at;
    draft head = {0};
    size_t t = rw->src.token_count;
    if (d->all.count > 1) {
        rw_refuse(rw, declared,
                  "'%s' is declared together with others; give it a declaration of its own",
                  rw_spelling(rw->arena, declared));
        return;
    }
    if (rw_offset_of(&rw->src, clang_getCursorLocation(declared), &name))
        t = rw_token_at(&rw->src, name);
    if (!rw_token_is(&rw->src, t, rw_spelling(rw->arena, declared)) ||
        !rw_index_text(rw, rw->src.tokens[t].at, &size) ||
        !rw_specifiers(rw, d->whole.begin, name, &words)) {
        rw_refuse_macro(rw, declared);
        return;
    }
    at = (range){words.begin, rw->src.tokens[rw_token_matching(&rw->src, t + 1)].at.end};
    what->of->accessors[what->in].is_used = true;
    what->of->has_arrays = what->of->has_host_memory = true;
    rw_draft_text(rw, &head, "%s%s<", what->of->scope, what->of->accessors[what->in].array);
    rw_draft_old(rw, &head, size);
    rw_draft_text(rw, &head, "> %s", rw_spelling(rw->arena, declared));
    rw_edit(rw, at, &head);
    hd_push(rw->arena, &rw->seen, name);
}

static void edit_variable(rewriter *rw, const declaration *d, size_t number) {
    CXCursor declared = d->all.data[number];
    const pointee *what = &d->what[number];
    CXType type = clang_getCursorType(declared);
    const char *name = rw_spelling(rw->arena, declared);
    CXCursor value = rw_initializer(rw, declared);
    frame child = {declared, d->at};
    if (what->of && rw_is_named_array(rw, declared)) {
        edit_named_array(rw, d, declared, what);
        return;
    }
    if (what->of && strstr(rw_type_text(rw->arena, type), "*__local")) {
        rw_refuse(rw, declared, "'%s' keeps pointers in local memory; keep indices there", name);
        return;
    }
    if (what->of)
        rw_refuse_volatile(rw, declared, type);
    if (!edit_type(rw, d, number, declared, what))
        rw_refuse_macro(rw, declared);
    if (!what->of) {
        rw_walk_children(rw, &child);
        return;
    }
    if (!clang_Cursor_isNull(value))
        edit_value(rw, &child, value, what);
    range body = {0, 0};
    for (const frame *f = d->at; f && f->up; f = f->up)
        if (rw_is_function(f->up->cursor))
            rw_range_of(&rw->src, f->cursor, &body);
    if (clang_getCursorKind(declared) == CXCursor_VarDecl)
        hd_push(rw->arena, &rw->variables, (variable){name, body});
}

/* False: nothing of it leads to laid-out records. */
static bool read_declared(rewriter *rw, declaration *d) {
    bool any = false;
    d->what = hd_new_array(rw->arena, pointee, d->all.count);
    for (size_t i = 0; i < d->all.count; i++) {
        enum CXCursorKind kind = clang_getCursorKind(d->all.data[i]);
        d->what[i] = kind == CXCursor_VarDecl || kind == CXCursor_FieldDecl
                         ? rw_pointee_of(rw, d->all.data[i])
                         : (pointee){.field = -1};
        any |= d->what[i].of != NULL;
    }
    return any;
}

static void edit_declared(rewriter *rw, declaration *d) {
    /* A statement of which a part becomes another one must be no head of a loop. */
    bool can_be_parted =
        rw->with_host && (!d->at->up || clang_getCursorKind(d->at->up->cursor) != CXCursor_ForStmt);
    for (size_t i = 1; i < d->all.count; i++) {
        pointee a = d->what[i - 1], b = d->what[i];
        if ((a.of == b.of && a.in == b.in) || can_be_parted)
            continue;
        CXCursor odd = b.of ? d->all.data[i] : d->all.data[0];
        rw_refuse(rw, odd,
                  "'%s' is declared together with others of another type; give each a declaration "
                  "of its own",
                  rw_spelling(rw->arena, odd));
        return;
    }
    for (size_t i = 0; i < d->all.count; i++)
        edit_variable(rw, d, i);
}

bool rw_edit_declarations(rewriter *rw, const frame *at) {
    declaration d = {.at = at, .all = hd_cursor_children(rw->arena, at->cursor)};
    if (!read_declared(rw, &d))
        return false;
    if (!rw_range_of(&rw->src, at->cursor, &d.whole))
        return rw_refuse_macro(rw, at->cursor);
    edit_declared(rw, &d);
    return true;
}

bool rw_edit_declared_alone(rewriter *rw, const frame *at) {
    enum CXCursorKind kind = clang_getCursorKind(at->cursor);
    bool is_local = at->up && clang_getCursorKind(at->up->cursor) == CXCursor_DeclStmt;
    if (!rw->with_host || is_local || !at->up)
        return false;
    declaration d = {.at = at->up};
    range other;
    hd_cursors all = hd_cursor_children(rw->arena, at->up->cursor);
    if (!rw_range_of(&rw->src, at->cursor, &d.whole))
        return false;
    for (size_t i = 0; i < all.count; i++)
        if (clang_getCursorKind(all.data[i]) == kind &&
            rw_range_of(&rw->src, all.data[i], &other) && other.begin == d.whole.begin)
            hd_push(rw->arena, &d.all, all.data[i]);
    if (!read_declared(rw, &d))
        return false;
    if (clang_equalCursors(d.all.data[0], at->cursor)) /* all of them at the first */
        edit_declared(rw, &d);
    return true;
}

/* R(R *given) : kept(given), other(nullptr) {} */
void rw_edit_members(rewriter *rw, const frame *constructor) {
    hd_cursors inside = hd_cursor_children(rw->arena, constructor->cursor);
    for (size_t i = 1; i < inside.count; i++) {
        if (clang_getCursorKind(inside.data[i - 1]) != CXCursor_MemberRef ||
            !clang_isExpression(clang_getCursorKind(inside.data[i])))
            continue;
        CXCursor member = clang_getCursorReferenced(inside.data[i - 1]);
        pointee what = rw_pointee_of(rw, member);
        frame child = {member, constructor};
        if (what.of)
            edit_value(rw, &child, inside.data[i], &what);
        else
            rw_walk_child(rw, constructor, inside.data[i]);
    }
}
