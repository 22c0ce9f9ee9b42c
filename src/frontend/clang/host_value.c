/* Values of expressions in host code, as far as they follow from the text. */
#include <ctype.h>
#include <math.h>

#include "frontend/clang/host.h"

/* ---- questions to libclang --------------------------------------------------------------------- */

const char *front_host_spelling(const front_host *h, CXCursor cursor) {
    return hd_clang_text(h->arena, clang_getCursorSpelling(cursor));
}

hd_place front_host_place(const front_host *h, CXCursor cursor) {
    CXFile file;
    hd_place place = {0};
    clang_getExpansionLocation(clang_getCursorLocation(cursor), &file, &place.line, &place.column,
                               NULL);
    if (!file)
        return place;
    place.file = hd_clang_text(h->arena, clang_getFileName(file));
    const char *text = clang_getFileContents(h->unit, file, NULL);
    place.text = text ? hd_line_of(h->arena, text, place.line) : NULL;
    return place;
}

const char *front_host_source(const front_host *h, CXCursor cursor) {
    CXSourceRange range = clang_getCursorExtent(cursor);
    CXFile file, other;
    unsigned begin, end;
    size_t size;
    clang_getFileLocation(clang_getRangeStart(range), &file, NULL, NULL, &begin);
    clang_getFileLocation(clang_getRangeEnd(range), &other, NULL, NULL, &end);
    const char *text = file ? clang_getFileContents(h->unit, file, &size) : NULL;
    hd_str line = {.arena = h->arena};
    if (!text || !clang_File_isEqual(file, other) || end > size)
        return "";
    for (unsigned i = begin; i < end; i++) {
        bool blank = isspace((unsigned char)text[i]);
        if (blank && line.length && line.data[line.length - 1] == ' ')
            continue;
        hd_str_addn(&line, blank ? " " : text + i, 1);
    }
    return hd_str_text(&line);
}

static bool is_cast(enum CXCursorKind kind) {
    return kind == CXCursor_CStyleCastExpr || kind == CXCursor_CXXStaticCastExpr ||
           kind == CXCursor_CXXReinterpretCastExpr || kind == CXCursor_CXXConstCastExpr ||
           kind == CXCursor_CXXFunctionalCastExpr;
}

CXCursor front_host_bare(const front_host *h, CXCursor cursor) {
    for (;;) {
        enum CXCursorKind kind = clang_getCursorKind(cursor);
        if (kind != CXCursor_ParenExpr && kind != CXCursor_UnexposedExpr && !is_cast(kind))
            return cursor;
        hd_cursors inside = front_host_children(h, cursor);
        if (!inside.count || (!is_cast(kind) && inside.count != 1))
            return cursor;
        cursor = inside.data[inside.count - 1];
    }
}

/* ---- variables ----------------------------------------------------------------------------------- */

/* What a global variable or a member has from the start. */
static void initialise(front_host *h, size_t number) {
    CXCursor declaration = h->variables.data[number].declaration;
    hd_cursors inside = front_host_children(h, declaration);
    if (h->variables.data[number].frame || !inside.count)
        return;
    CXCursor last = inside.data[inside.count - 1];
    if (clang_isExpression(clang_getCursorKind(last))) {
        hd_host_value value = front_host_value(h, last);
        h->variables.data[number].value = value;
    }
}

static size_t declared(front_host *h, CXCursor declaration, int64_t element) {
    /* Members, and what no function declares, are there once. */
    enum CXCursorKind parent = clang_getCursorKind(clang_getCursorSemanticParent(declaration));
    bool is_local = parent == CXCursor_FunctionDecl || parent == CXCursor_CXXMethod ||
                    parent == CXCursor_Constructor || parent == CXCursor_Destructor ||
                    parent == CXCursor_FunctionTemplate;
    const front_frame *frame = is_local ? h->frame : NULL;
    for (size_t v = h->variables.count; v-- > 0;)
        if (h->variables.data[v].frame == frame && h->variables.data[v].element == element &&
            clang_equalCursors(h->variables.data[v].declaration, declaration))
            return v;
    size_t number = h->variables.count;
    hd_push(h->arena, &h->variables,
            (front_variable){.declaration = declaration,
                             .frame = frame,
                             .element = element,
                             .kernel = clang_getNullCursor()});
    if (!element)
        initialise(h, number);
    return number;
}

size_t front_host_declared(front_host *h, CXCursor declaration) {
    return declared(h, declaration, 0);
}

/* What an element has from the start. */
static void initialise_element(front_host *h, size_t number, CXCursor declaration, int64_t index) {
    hd_cursors inside = front_host_children(h, declaration);
    for (size_t i = 0; i < inside.count; i++)
        if (clang_getCursorKind(inside.data[i]) == CXCursor_InitListExpr) {
            hd_cursors values = front_host_children(h, inside.data[i]);
            if ((size_t)index < values.count) {
                hd_host_value value = front_host_value(h, values.data[index]);
                h->variables.data[number].value = value;
            }
        }
}

/* d[2] of an array of pointers or whole numbers is a variable of its own. */
int64_t front_host_element(front_host *h, CXCursor expression, int64_t index) {
    CXCursor array = front_host_bare(h, expression);
    enum CXCursorKind kind = clang_getCursorKind(array);
    if (kind != CXCursor_DeclRefExpr && kind != CXCursor_MemberRefExpr)
        return -1;
    CXCursor declaration = clang_getCanonicalCursor(clang_getCursorReferenced(array));
    CXType type = clang_getCanonicalType(clang_getCursorType(declaration));
    CXType element = clang_getCanonicalType(clang_getArrayElementType(type));
    bool is_whole = element.kind >= CXType_Char_U && element.kind <= CXType_LongLong;
    if (type.kind != CXType_ConstantArray || (element.kind != CXType_Pointer && !is_whole) ||
        index < 0)
        return -1;
    size_t known = h->variables.count, number = declared(h, declaration, index + 1);
    if (h->variables.count > known && is_whole)
        initialise_element(h, number, declaration, index);
    return (int64_t)number;
}

static int64_t element_variable(front_host *h, CXCursor subscript) {
    hd_cursors inside = front_host_children(h, subscript);
    hd_host_value index =
        inside.count == 2 ? front_host_value(h, inside.data[1]) : (hd_host_value){0};
    return index.kind == HD_HOST_WHOLE ? front_host_element(h, inside.data[0], index.parts[0]) : -1;
}

int64_t front_host_variable(front_host *h, CXCursor expression) {
    CXCursor bare = front_host_bare(h, expression);
    enum CXCursorKind kind = clang_getCursorKind(bare);
    if (kind == CXCursor_UnaryOperator &&
        clang_getCursorUnaryOperatorKind(bare) == CXUnaryOperator_Deref) {
        hd_cursors inside = front_host_children(h, bare); /* *p, where p is &x */
        bare = inside.count ? front_host_bare(h, inside.data[0]) : bare;
        int64_t pointer = clang_getCursorKind(bare) == CXCursor_DeclRefExpr
                              ? (int64_t)front_host_declared(
                                    h, clang_getCanonicalCursor(clang_getCursorReferenced(bare)))
                              : -1;
        return pointer >= 0 ? (int64_t)h->variables.data[pointer].stands_for - 1 : -1;
    }
    if (kind == CXCursor_ArraySubscriptExpr)
        return element_variable(h, bare);
    if (kind != CXCursor_DeclRefExpr && kind != CXCursor_MemberRefExpr)
        return -1;
    CXCursor declaration = clang_getCanonicalCursor(clang_getCursorReferenced(bare));
    kind = clang_getCursorKind(declaration);
    if (kind != CXCursor_VarDecl && kind != CXCursor_ParmDecl && kind != CXCursor_FieldDecl)
        return -1;
    size_t number = front_host_declared(h, declaration);
    uint32_t stands_for = h->variables.data[number].stands_for;
    return stands_for ? stands_for - 1 : (int64_t)number;
}

/* ---- arithmetic ------------------------------------------------------------------------------------ */

static hd_host_value real_value(double value) {
    return (hd_host_value){.kind = HD_HOST_REAL, .real = value};
}

static bool is_number(hd_host_value v) { return v.kind == HD_HOST_WHOLE || v.kind == HD_HOST_REAL; }

static double as_real(hd_host_value v) {
    return v.kind == HD_HOST_REAL ? v.real : (double)v.parts[0];
}

static bool is_scalar(CXType type) {
    enum CXTypeKind kind = clang_getCanonicalType(type).kind;
    return (kind >= CXType_Bool && kind <= CXType_LongDouble) || kind == CXType_Enum;
}

/* The number as a value of this type. */
static hd_host_value converted(CXType type, hd_host_value v) {
    enum CXTypeKind kind = clang_getCanonicalType(type).kind;
    bool to_real = kind == CXType_Float || kind == CXType_Double || kind == CXType_LongDouble;
    bool to_whole = kind >= CXType_Bool && kind <= CXType_Int128;
    if (v.kind == HD_HOST_WHOLE && to_real)
        return real_value((double)v.parts[0]);
    if (v.kind == HD_HOST_REAL && to_whole && fabs(v.real) < 0x1p62)
        return front_host_whole((int64_t)v.real);
    return v;
}

static hd_host_value real_result(enum CXBinaryOperatorKind op, double a, double b) {
    switch (op) {
    case CXBinaryOperator_Add: return real_value(a + b);
    case CXBinaryOperator_Sub: return real_value(a - b);
    case CXBinaryOperator_Mul: return real_value(a * b);
    case CXBinaryOperator_Div: return real_value(a / b);
    default: return (hd_host_value){0};
    }
}

static hd_host_value whole_result(enum CXBinaryOperatorKind op, int64_t a, int64_t b) {
    int64_t result;
    bool overflow = false;
    switch (op) {
    case CXBinaryOperator_Add: overflow = __builtin_add_overflow(a, b, &result); break;
    case CXBinaryOperator_Sub: overflow = __builtin_sub_overflow(a, b, &result); break;
    case CXBinaryOperator_Mul: overflow = __builtin_mul_overflow(a, b, &result); break;
    case CXBinaryOperator_Div:
    case CXBinaryOperator_Rem:
        if (!b || (b == -1 && a == INT64_MIN))
            return (hd_host_value){0};
        result = op == CXBinaryOperator_Div ? a / b : a % b;
        break;
    case CXBinaryOperator_Shl:
        overflow = a < 0 || b < 0 || b > 62 || a > INT64_MAX >> b;
        result = overflow ? 0 : a << b;
        break;
    case CXBinaryOperator_Shr:
        overflow = b < 0 || b > 63;
        result = overflow ? 0 : a >> b;
        break;
    case CXBinaryOperator_And: result = a & b; break;
    case CXBinaryOperator_Or: result = a | b; break;
    case CXBinaryOperator_Xor: result = a ^ b; break;
    case CXBinaryOperator_LT: result = a < b; break;
    case CXBinaryOperator_GT: result = a > b; break;
    case CXBinaryOperator_LE: result = a <= b; break;
    case CXBinaryOperator_GE: result = a >= b; break;
    case CXBinaryOperator_EQ: result = a == b; break;
    case CXBinaryOperator_NE: result = a != b; break;
    case CXBinaryOperator_LAnd: result = a && b; break;
    case CXBinaryOperator_LOr: result = a || b; break;
    default: return (hd_host_value){0};
    }
    return overflow ? (hd_host_value){0} : front_host_whole(result);
}

/* What a loop counts stays counted: i + 1, 2 * i. */
static hd_host_value counted(enum CXBinaryOperatorKind op, hd_host_value a, hd_host_value b,
                             hd_host_value result) {
    const hd_host_value *of = a.counts ? &a : &b;
    int64_t by = a.counts ? b.parts[0] : a.parts[0];
    bool is_sum = op == CXBinaryOperator_Add || (op == CXBinaryOperator_Sub && a.counts);
    bool is_one = !a.counts != !b.counts && of->factor == 1 && result.kind == HD_HOST_WHOLE;
    int64_t step = of->step;
    if (!is_one || (op == CXBinaryOperator_Mul ? __builtin_mul_overflow(step, by, &step) : !is_sum))
        return result;
    result.counts = of->counts;
    result.factor = 1;
    result.step = step;
    return result;
}

static hd_host_value binary(front_host *h, CXCursor expression) {
    hd_cursors sides = front_host_children(h, expression);
    enum CXBinaryOperatorKind op = clang_getCursorBinaryOperatorKind(expression);
    if (sides.count != 2)
        return (hd_host_value){0};
    hd_host_value a = front_host_value(h, sides.data[0]), b = front_host_value(h, sides.data[1]);
    if (!is_number(a) || !is_number(b))
        return (hd_host_value){0};
    if (a.kind == HD_HOST_REAL || b.kind == HD_HOST_REAL)
        return real_result(op, as_real(a), as_real(b));
    return counted(op, a, b, whole_result(op, a.parts[0], b.parts[0]));
}

hd_host_value front_host_changed(CXCursor expression, hd_host_value number, hd_host_value by) {
    enum CXUnaryOperatorKind step = clang_getCursorUnaryOperatorKind(expression);
    bool goes_down = step == CXUnaryOperator_PreDec || step == CXUnaryOperator_PostDec;
    enum CXBinaryOperatorKind op = goes_down ? CXBinaryOperator_Sub : CXBinaryOperator_Add;
    if (clang_getCursorKind(expression) == CXCursor_CompoundAssignOperator)
        switch (clang_getCursorBinaryOperatorKind(expression)) {
        case CXBinaryOperator_AddAssign: break;
        case CXBinaryOperator_SubAssign: op = CXBinaryOperator_Sub; break;
        case CXBinaryOperator_MulAssign: op = CXBinaryOperator_Mul; break;
        case CXBinaryOperator_DivAssign: op = CXBinaryOperator_Div; break;
        case CXBinaryOperator_ShlAssign: op = CXBinaryOperator_Shl; break;
        case CXBinaryOperator_ShrAssign: op = CXBinaryOperator_Shr; break;
        default: return (hd_host_value){0};
        }
    if (number.kind == HD_HOST_MEMORY) /* a pointer that moves */
        return number;
    if (number.kind == HD_HOST_WHOLE && by.kind == HD_HOST_WHOLE)
        return whole_result(op, number.parts[0], by.parts[0]);
    return is_number(number) && is_number(by) ? real_result(op, as_real(number), as_real(by))
                                              : (hd_host_value){0};
}

static hd_host_value unary(front_host *h, CXCursor expression) {
    hd_cursors inside = front_host_children(h, expression);
    hd_host_value v = inside.count ? front_host_value(h, inside.data[0]) : (hd_host_value){0};
    if (!is_number(v))
        return (hd_host_value){0};
    switch (clang_getCursorUnaryOperatorKind(expression)) {
    case CXUnaryOperator_Plus: return v;
    case CXUnaryOperator_Minus:
        return v.kind == HD_HOST_REAL ? real_value(-v.real)
                                      : whole_result(CXBinaryOperator_Sub, 0, v.parts[0]);
    case CXUnaryOperator_Not:
        return v.kind == HD_HOST_WHOLE ? front_host_whole(~v.parts[0]) : (hd_host_value){0};
    case CXUnaryOperator_LNot:
        return v.kind == HD_HOST_WHOLE ? front_host_whole(!v.parts[0]) : (hd_host_value){0};
    default: return (hd_host_value){0};
    }
}

/* Where the condition is not known, the side that is: `argc > 1 ? atoi(argv[1]) : 1024`. */
static hd_host_value conditional(front_host *h, CXCursor expression) {
    hd_cursors parts = front_host_children(h, expression);
    if (parts.count != 3)
        return (hd_host_value){0};
    hd_host_value condition = front_host_value(h, parts.data[0]);
    if (condition.kind == HD_HOST_WHOLE)
        return front_host_value(h, parts.data[condition.parts[0] ? 1 : 2]);
    hd_host_value a = front_host_value(h, parts.data[1]), b = front_host_value(h, parts.data[2]);
    return a.kind == HD_HOST_UNKNOWN ? b : b.kind == HD_HOST_UNKNOWN ? a : (hd_host_value){0};
}

/* Functions of the library that sizes are computed with. */
static bool library_call(front_host *h, CXCursor call, hd_host_value *result) {
    static const char names[] = "min max ceil ceilf floor floorf sqrt sqrtf";
    const char *name = front_host_spelling(h, call);
    int count = clang_Cursor_getNumArguments(call);
    hd_host_value args[2] = {{0}};
    if (!hd_has_word(names, name))
        return false;
    for (int i = 0; i < count && i < 2; i++)
        args[i] = front_host_value(h, clang_Cursor_getArgument(call, (unsigned)i));
    bool wants_two = !strcmp(name, "min") || !strcmp(name, "max");
    if (!is_number(args[0]) || (wants_two && (count < 2 || args[1].kind != args[0].kind)))
        return false;
    if (wants_two) {
        bool first = as_real(args[0]) < as_real(args[1]);
        *result = args[first == !strcmp(name, "min") ? 0 : 1];
    } else if (!strcmp(name, "ceil") || !strcmp(name, "ceilf")) {
        *result = real_value(ceil(as_real(args[0])));
    } else if (!strcmp(name, "floor") || !strcmp(name, "floorf")) {
        *result = real_value(floor(as_real(args[0])));
    } else if (!strcmp(name, "sqrt") || !strcmp(name, "sqrtf")) {
        *result = real_value(sqrt(as_real(args[0])));
    } else {
        return false;
    }
    return true;
}

/* ---- structs and vectors ---------------------------------------------------------------------------- */

typedef struct member_list {
    front_host *h;
    hd_vec(hd_host_value) values;
} member_list;

static enum CXVisitorResult add_member(CXCursor field, CXClientData data) {
    member_list *list = data;
    CXType type = clang_getCanonicalType(clang_getCursorType(field));
    if (type.kind == CXType_Record) {
        clang_Type_visitFields(type, add_member, data);
        return CXVisit_Continue;
    }
    long long count = 1;
    bool is_array = type.kind == CXType_ConstantArray;
    if (is_array) {
        count = clang_getArraySize(type);
        type = clang_getCanonicalType(clang_getArrayElementType(type));
    }
    if (!is_scalar(type)) /* pointers take no value */
        return CXVisit_Continue;
    size_t number = front_host_declared(list->h, clang_getCanonicalCursor(field));
    for (long long i = 0; i < count && i < 4096; i++)
        hd_push(list->h->arena, &list->values,
                is_array ? (hd_host_value){0} : list->h->variables.data[number].value);
    return CXVisit_Continue;
}

hd_host_value front_host_members(front_host *h, CXType type) {
    member_list list = {.h = h};
    clang_Type_visitFields(clang_getCanonicalType(type), add_member, &list);
    return (hd_host_value){.kind = HD_HOST_MEMBERS,
                           .members = list.values.data,
                           .member_count = (uint32_t)list.values.count};
}

/* Whose name is that of a template of the library. */
static bool is_vector(const front_host *h, CXType type, bool *on_device) {
    const char *name = hd_clang_text(h->arena, clang_getTypeSpelling(clang_getCanonicalType(type)));
    const char *at = strstr(name, "vector<");
    *on_device = strstr(name, "device_vector<") != NULL;
    return at && (!strncmp(name, "std::", 5) || strstr(name, "thrust::"));
}

bool front_host_vector(front_host *h, CXCursor declaration, int64_t *count, int64_t *each,
                       bool *on_device) {
    CXType type = clang_getCanonicalType(clang_getCursorType(declaration));
    if (!is_vector(h, type, on_device))
        return false;
    CXType element = clang_Type_getTemplateArgumentAsType(type, 0);
    hd_cursors inside = front_host_children(h, declaration);
    hd_host_value value = {0};
    *each = clang_Type_getSizeOf(element);
    for (size_t i = 0; i < inside.count; i++) {
        CXCursor made = front_host_bare(h, inside.data[i]);
        if (clang_getCursorKind(made) == CXCursor_CallExpr &&
            clang_Cursor_getNumArguments(made) > 0)
            value = front_host_value(h, clang_Cursor_getArgument(made, 0));
    }
    if (value.kind == HD_HOST_LIST)
        value.kind = HD_HOST_WHOLE;
    *count = value.parts[0];
    return value.kind == HD_HOST_WHOLE && *each > 0;
}

/* v.size(), v.data() and their like: what `v` is. */
static bool member_call(front_host *h, CXCursor call, hd_host_value *result) {
    const char *name = front_host_spelling(h, call);
    if (!hd_has_word("size data begin get raw_pointer_cast operator[] operator&", name))
        return false;
    hd_cursors inside = front_host_children(h, call);
    CXCursor of = clang_getNullCursor();
    if (!strcmp(name, "raw_pointer_cast") || !strncmp(name, "operator", 8))
        of = clang_Cursor_getArgument(call, 0);
    else if (inside.count && clang_getCursorKind(inside.data[0]) == CXCursor_MemberRefExpr) {
        hd_cursors object = front_host_children(h, inside.data[0]);
        of = object.count ? object.data[0] : of;
    }
    if (clang_Cursor_isNull(of))
        return false;
    hd_host_value v = front_host_value(h, of);
    if (!strcmp(name, "size")) {
        if (v.kind == HD_HOST_MEMORY)
            v = h->memories.data[v.memory].count;
        if (v.kind != HD_HOST_LIST && v.kind != HD_HOST_WHOLE)
            return false;
        v.kind = HD_HOST_WHOLE;
    }
    *result = v;
    return v.kind != HD_HOST_UNKNOWN;
}

/* ---- sizes ------------------------------------------------------------------------------------------ */

static bool is_dim3(const front_host *h, CXType type) {
    return type.kind != CXType_Invalid && /* of what does not compile */
           !strcmp(hd_clang_text(h->arena, clang_getTypeSpelling(clang_getUnqualifiedType(
                                               clang_getCanonicalType(type)))),
                   "dim3");
}

/* A dim3 from what it is made of: numbers, or another one. */
static hd_host_value size_of(front_host *h, CXCursor expression) {
    hd_host_value size = {.kind = HD_HOST_SIZE, .parts = {1, 1, 1}};
    hd_cursors parts = {0};
    int count = clang_Cursor_getNumArguments(expression);
    for (int i = 0; i < count; i++)
        hd_push(h->arena, &parts, clang_Cursor_getArgument(expression, (unsigned)i));
    if (count < 0)
        parts = front_host_children(h, expression);
    uint32_t at = 0;
    for (size_t i = 0; i < parts.count && at < 3; i++) {
        if (clang_getCursorKind(parts.data[i]) == CXCursor_TypeRef)
            continue;
        bool is_default = i && clang_Cursor_isNull(parts.data[i]);
        hd_host_value v = is_default ? front_host_whole(1) : front_host_value(h, parts.data[i]);
        if (v.kind == HD_HOST_SIZE)
            return v;
        v = converted(clang_getCursorType(expression), v);
        bool is_left_out = i && v.kind == HD_HOST_UNKNOWN && !*front_host_source(h, parts.data[i]);
        size.parts[at++] = v.kind == HD_HOST_WHOLE && v.parts[0] > 0 ? v.parts[0]
                           : v.kind == HD_HOST_REAL && v.real >= 1   ? (int64_t)v.real
                           : is_left_out                             ? 1
                                                                     : 0;
    }
    return size;
}

/* ---- expressions ------------------------------------------------------------------------------------ */

/* What the compiler itself takes for a constant. */
static bool constant(CXCursor expression, hd_host_value *value) {
    if (!is_scalar(clang_getCursorType(expression)))
        return false;
    CXEvalResult result = clang_Cursor_Evaluate(expression);
    CXEvalResultKind kind = result ? clang_EvalResult_getKind(result) : CXEval_UnExposed;
    if (kind == CXEval_Int)
        *value = front_host_whole(clang_EvalResult_getAsLongLong(result));
    else if (kind == CXEval_Float)
        *value = real_value(clang_EvalResult_getAsDouble(result));
    if (result)
        clang_EvalResult_dispose(result);
    return kind == CXEval_Int || kind == CXEval_Float;
}

/* x, y or z of a dim3. */
static bool component(front_host *h, CXCursor member, hd_host_value *value) {
    hd_cursors inside = front_host_children(h, member);
    if (clang_getCursorKind(member) != CXCursor_MemberRefExpr || !inside.count ||
        !is_dim3(h, clang_getCursorType(inside.data[0])))
        return false;
    hd_host_value size = front_host_value(h, inside.data[0]);
    int which = front_host_spelling(h, member)[0] - 'x';
    if (size.kind == HD_HOST_SIZE && which >= 0 && which < 3 && size.parts[which])
        *value = front_host_whole(size.parts[which]);
    return true;
}

/* A place in memory that begins elsewhere is still of that memory. */
static hd_host_value within(front_host *h, CXCursor expression) {
    hd_cursors inside = front_host_children(h, expression);
    for (size_t i = 0; i < inside.count; i++) {
        hd_host_value v = front_host_value(h, inside.data[i]);
        if (v.kind == HD_HOST_MEMORY)
            return v;
    }
    return (hd_host_value){0};
}

static hd_host_value value_of(front_host *h, CXCursor expression) {
    hd_host_value value = {0};
    enum CXCursorKind kind = clang_getCursorKind(expression);
    if (constant(expression, &value))
        return value;
    bool is_pointer =
        clang_getCanonicalType(clang_getCursorType(expression)).kind == CXType_Pointer;
    if (is_pointer && front_host_variable(h, expression) < 0 &&
        (kind == CXCursor_BinaryOperator || kind == CXCursor_UnaryOperator ||
         kind == CXCursor_ArraySubscriptExpr))
        return within(h, expression);
    if (kind == CXCursor_BinaryOperator)
        return binary(h, expression);
    if (kind == CXCursor_UnaryOperator)
        return unary(h, expression);
    if (kind == CXCursor_ConditionalOperator)
        return conditional(h, expression);
    if (kind == CXCursor_CXXNullPtrLiteralExpr || kind == CXCursor_GNUNullExpr)
        return front_host_whole(0);
    if (component(h, expression, &value))
        return value;
    int64_t variable = front_host_variable(h, expression);
    if (variable >= 0)
        return h->variables.data[variable].value;
    bool is_size = is_dim3(h, clang_getCursorType(expression));
    if (is_size && (kind == CXCursor_CallExpr || kind == CXCursor_InitListExpr))
        return size_of(h, expression);
    if (kind == CXCursor_InitListExpr) {
        hd_cursors inside = front_host_children(h, expression);
        return inside.count == 1 ? front_host_value(h, inside.data[0]) : value;
    }
    if (kind == CXCursor_CallExpr && member_call(h, expression, &value))
        return value;
    if (kind == CXCursor_CallExpr)
        return library_call(h, expression, &value) ? value : front_host_call(h, expression);
    return value;
}

hd_host_value front_host_value(front_host *h, CXCursor expression) {
    hd_host_value none = {0};
    if (!h->steps)
        return none;
    h->steps--;
    enum CXCursorKind kind = clang_getCursorKind(expression);
    CXType type = clang_getCursorType(expression);
    if (kind != CXCursor_ParenExpr && kind != CXCursor_UnexposedExpr && !is_cast(kind))
        return value_of(h, expression);
    hd_host_value value = none;
    if (constant(expression, &value))
        return value;
    hd_cursors inside = front_host_children(h, expression);
    if (!inside.count)
        return none;
    value = converted(type, front_host_value(h, inside.data[inside.count - 1]));
    if (is_dim3(h, type) && value.kind == HD_HOST_WHOLE)
        value = (hd_host_value){.kind = HD_HOST_SIZE, .parts = {value.parts[0], 1, 1}};
    return value;
}
