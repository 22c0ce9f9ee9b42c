/*
 * One description of a result, for text and JSON (cli/report/report_result.h makes both from it).
 *
 * A result is a row, or rows, of a struct. A table of members says what a reader sees of it:
 * under which name in JSON, under which title in text, in which unit, and where the value is:
 *
 *     static const hd_member moved_members[] = {
 *         {"requests", "requests", HD_COUNT, HD_AT(hd_coalesce_counts, requests)},
 *         {"bytes_moved", "moved", HD_BYTES, HD_AT(hd_coalesce_counts, bytes_moved)},
 *         {NULL, "used", HD_SHARE, .get = used_of},
 *         {0}};
 *
 * A member without a title is not in the text, one without a key not in JSON; one with neither,
 * but with members of its own (`of`), has these in its place. Keys are in docs/json.md and in the
 * schema, docs/heddle.schema.json.
 */
#ifndef HD_RESULT_H
#define HD_RESULT_H

#include "base/base.h"

struct json_t;

/* How a value is shown in text; numbers on the right. */
typedef enum hd_unit {
    HD_PLAIN,      /* text on the left; whole numbers and reals with all their digits */
    HD_PLAIN_WORD, /* text on the right */
    HD_EXACT,      /* a number with all its digits */
    HD_COUNT,      /* 1.23k */
    HD_BYTES,      /* 48 KiB */
    HD_SECONDS,    /* 4.56 us */
    HD_JOULES,     /* 4.56 uJ */
    HD_WATTS,      /* 45.6 W */
    HD_SHARE,      /* 12.5% */
    HD_RATIO,      /* 1.53x */
    HD_DIGITS,     /* 0.00123: three digits */
    HD_DECIMAL,    /* 12.3 */
    HD_DECIMALS,   /* 12.345 */
    HD_ADDRESS     /* 0x7f00 */
} hd_unit;

typedef enum hd_kind {
    HD_NULL,     /* null; in text nothing, or "-" for a number */
    HD_ABSENT,   /* no member at all */
    HD_BOOL,     /* bool */
    HD_U32,      /* uint32_t */
    HD_U64,      /* uint64_t */
    HD_I32,      /* int32_t */
    HD_I64,      /* int64_t */
    HD_REAL,     /* double; null where it is not finite */
    HD_TEXT,     /* const char *; null for NULL */
    HD_LIST,     /* values of one kind */
    HD_ROW,      /* one row of another struct; null for NULL */
    HD_ROWS,     /* rows of another struct */
    HD_DOCUMENT, /* made by hand; only in JSON */
    HD_MADE      /* an hd_value that is in the struct */
} hd_kind;

typedef struct hd_value {
    hd_kind kind, item; /* `item`: of a list's values */
    union {
        bool yes;
        uint64_t whole;
        int64_t integer;
        double real;
        const char *text;
        const void *data;      /* the row, the first of the rows or of the list's values */
        struct json_t *object; /* a reference for whoever gets the value */
    };
    size_t count;
    size_t stride;       /* bytes from row to row; 0: `data` is an array of pointers to rows */
    const void *context; /* of the rows and what belongs to them; NULL: as outside */
} hd_value;

/* What getters see besides the row. */
typedef struct hd_view {
    hd_arena *arena;     /* for what they make */
    const void *context; /* what the getters of a table agree on: the record of a layout, say */
    const void *parent;  /* the row that this row belongs to; NULL: it is the outermost */
} hd_view;

typedef struct hd_member {
    const char *key, *title;
    hd_unit unit;
    /* where the value is: HD_AT() and the like */
    hd_kind kind;
    uint32_t offset, count_offset, stride;
    hd_kind item, count_kind;
    bool inside; /* what it has is in the struct, not behind a pointer */
    bool via;    /* the struct is behind a pointer at `via_offset`; NULL: no value */
    uint32_t via_offset;
    /* or a function that makes it */
    hd_value (*get)(const hd_view *view, const void *row);
    const struct hd_member *of; /* the members of its row or rows */
    bool optional;              /* in JSON absent where it is null */
    /* null where a part of the struct is all zero, or is not: HD_IF(), HD_UNLESS() */
    uint32_t flag_offset, flag_bytes;
    bool flag_not;
} hd_member;

/* ---- where a value is ------------------------------------------------------------------- */

#define HD_KIND(value)              \
    _Generic((value),               \
        bool: HD_BOOL,              \
        uint32_t: HD_U32,           \
        uint64_t: HD_U64,           \
        unsigned long long: HD_U64, \
        int32_t: HD_I32,            \
        int64_t: HD_I64,            \
        double: HD_REAL,            \
        char *: HD_TEXT,            \
        const char *: HD_TEXT,      \
        hd_value: HD_MADE)
#define HD_COUNTED(T, counter)                                                     \
    .count_offset = offsetof(T, counter), .count_kind = HD_KIND(((T *)0)->counter)

/* A number, a text, a bool or an hd_value of struct T. */
#define HD_AT(T, field) .offset = offsetof(T, field), .kind = HD_KIND(((T *)0)->field)
/* The row itself, for members in groups. */
#define HD_SELF .kind = HD_ROW, .inside = true
/* Whole members, of JSON alone, whose keys are what T calls them; up to eight. */
#define HD_SAME(T, ...)                                                                           \
    HD_SAME_OF(__VA_ARGS__, HD_SAME8, HD_SAME7, HD_SAME6, HD_SAME5, HD_SAME4, HD_SAME3, HD_SAME2, \
               HD_SAME1)                                                                          \
    (T, __VA_ARGS__)
#define HD_SAME_OF(a, b, c, d, e, f, g, h, which, ...) which
#define HD_SAME1(T, a) {#a, HD_AT(T, a)}
#define HD_SAME2(T, a, ...) HD_SAME1(T, a), HD_SAME1(T, __VA_ARGS__)
#define HD_SAME3(T, a, ...) HD_SAME1(T, a), HD_SAME2(T, __VA_ARGS__)
#define HD_SAME4(T, a, ...) HD_SAME1(T, a), HD_SAME3(T, __VA_ARGS__)
#define HD_SAME5(T, a, ...) HD_SAME1(T, a), HD_SAME4(T, __VA_ARGS__)
#define HD_SAME6(T, a, ...) HD_SAME1(T, a), HD_SAME5(T, __VA_ARGS__)
#define HD_SAME7(T, a, ...) HD_SAME1(T, a), HD_SAME6(T, __VA_ARGS__)
#define HD_SAME8(T, a, ...) HD_SAME1(T, a), HD_SAME7(T, __VA_ARGS__)
/* A struct that T has, or has a pointer to; with .of its members. */
#define HD_IN(T, field) .offset = offsetof(T, field), .kind = HD_ROW, .inside = true
#define HD_BEHIND(T, field) .offset = offsetof(T, field), .kind = HD_ROW
/* T has the array, and not a pointer to it. */
#define HD_IS_INSIDE(T, field)                                                                    \
    (!__builtin_types_compatible_p(__typeof__(((T *)0)->field), __typeof__(&((T *)0)->field[0])))
/* An array of structs, behind a pointer or in T; with .of their members. */
#define HD_MANY(T, field, counter)                                                    \
    .offset = offsetof(T, field), .kind = HD_ROWS, .stride = sizeof *((T *)0)->field, \
    .inside = HD_IS_INSIDE(T, field), HD_COUNTED(T, counter)
/* An array of numbers or texts, behind a pointer or in T. */
#define HD_NUMBERS(T, field, counter)                                                 \
    .offset = offsetof(T, field), .kind = HD_LIST, .item = HD_KIND(*((T *)0)->field), \
    .inside = HD_IS_INSIDE(T, field), HD_COUNTED(T, counter)

/* One of these in the struct that a pointer of T leads to: HD_VIA(T, job, HD_BEHIND, record). */
#define HD_VIA(T, pointer, WHERE, ...)                 \
    .via = true, .via_offset = offsetof(T, pointer),   \
    WHERE(__typeof__(*((T *)0)->pointer), __VA_ARGS__)

/* With any of these, and with a getter: null where a number, pointer or bool of struct T, which the
 * value is in, is 0, NULL or false; and where it is not. */
#define HD_IF(T, field)                                                                \
    .flag_offset = offsetof(T, field), .flag_bytes = (uint32_t)sizeof(((T *)0)->field)
#define HD_UNLESS(T, field) HD_IF(T, field), .flag_not = true

/* ---- what getters return ---------------------------------------------------------------- */

/* HD_GETTER(used_of, hd_coalesce_counts, hd_real(share(row->bytes_used, row->bytes_moved)))
 * defines used_of(); `row` is the struct, and `view` is at hand, too. */
#define HD_GETTER(name, T, value)                               \
    static hd_value name(const hd_view *view, const void *at) { \
        const T *row = at;                                      \
        (void)view, (void)row;                                  \
        return value;                                           \
    }

static inline hd_value hd_null(void) { return (hd_value){.kind = HD_NULL}; }
static inline hd_value hd_absent(void) { return (hd_value){.kind = HD_ABSENT}; }
static inline hd_value hd_bool(bool yes) { return (hd_value){.kind = HD_BOOL, .yes = yes}; }
static inline hd_value hd_real(double v) { return (hd_value){.kind = HD_REAL, .real = v}; }
static inline hd_value hd_text(const char *v) { return (hd_value){.kind = HD_TEXT, .text = v}; }
static inline hd_value hd_whole(uint64_t v) { return (hd_value){.kind = HD_U64, .whole = v}; }
static inline hd_value hd_integer(int64_t v) { return (hd_value){.kind = HD_I64, .integer = v}; }
/* null unless `there`. */
static inline hd_value hd_whole_if(bool there, uint64_t v) {
    return there ? hd_whole(v) : hd_null();
}
static inline hd_value hd_row(const void *row) {
    return (hd_value){.kind = row ? HD_ROW : HD_NULL, .data = row};
}
static inline hd_value hd_rows_of(const void *rows, size_t count, size_t stride) {
    return (hd_value){.kind = HD_ROWS, .data = rows, .count = count, .stride = stride};
}
#define hd_rows(rows, count) hd_rows_of((rows), (count), sizeof *(rows))
/* Of an array of pointers to them. */
static inline hd_value hd_pointed_rows(const void *pointers, size_t count) {
    return hd_rows_of(pointers, count, 0);
}
/* A row or rows with what the getters of their table need besides. */
static inline hd_value hd_with(hd_value rows, const void *context) {
    rows.context = context;
    return rows;
}
static inline hd_value hd_list_of(hd_kind item, const void *data, size_t count) {
    return (hd_value){.kind = HD_LIST, .item = item, .data = data, .count = count};
}
#define hd_list(values, count) hd_list_of(HD_KIND(*(values)), (values), (count))
/* The texts that rows have in their member `field`. */
#define hd_text_list(arena, rows, count, T, field)                       \
    hd_texts_of((arena), (rows), (count), sizeof(T), offsetof(T, field))
static inline hd_value hd_document(struct json_t *object) {
    return (hd_value){.kind = HD_DOCUMENT, .object = object};
}

/* ---- result.c --------------------------------------------------------------------------- */

hd_value hd_texts_of(hd_arena *arena, const void *rows, size_t count, size_t stride, size_t offset);
/* The value of a member of a row. */
hd_value hd_member_value(const hd_member *member, const hd_view *view, const void *row);
/* Row `i` of rows, and value `i` of a list. */
const void *hd_row_at(const hd_value *rows, size_t i);
hd_value hd_item_at(const hd_value *list, size_t i);

#endif
