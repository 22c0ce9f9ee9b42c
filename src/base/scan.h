/*
 * The scanner: a cursor over a text that people write, be it a notation of one line or a file.
 *
 *     hd_scan s = hd_scan_text(arena, diag, "<tiles>", "64, soa");
 *     if (!hd_scan_number(&s, 10, &tile))
 *         return hd_scan_expected(&s, "a tile");          <tiles>:1:1: expected a tile, found ...
 *     while (hd_scan_take(&s, ","))
 *         ...
 *
 * A function that takes something skips blanks and comments before it, never behind it; when what
 * it wants is not there, the cursor stands at what is. Words are runs of letters, digits, '_',
 * bytes of other alphabets (UTF-8), and what `word_marks` adds. Line ends are blanks but where
 * `by_line` says that a line says something.
 *
 * The first fault ends the text: `status` keeps it, the cursor stands at the end, and later faults
 * are not reported. So a reader may go on, and look at `status` where it is convenient.
 */
#ifndef HD_BASE_SCAN_H
#define HD_BASE_SCAN_H

#include "base/base.h"

typedef struct hd_scan {
    hd_arena *arena; /* of messages, and of what the scanner returns */
    const hd_diag *diag;
    const char *file;            /* in messages */
    const char *text, *end, *at; /* bytes from `text` to before `end` */
    const char *word_marks;      /* bytes that words have, too, such as "-$"; NULL: none */
    const char *comment;         /* what begins a comment, to the end of the line; NULL: nothing */
    bool by_line;                /* '\n' is no blank */
    uint32_t line_most;          /* longer lines are not shown under messages; 0: all are */
    hd_status status;            /* of the first fault */
    const char *known_line;      /* the beginning of a line, and its number, from which places */
    unsigned known_number;       /* are counted */
} hd_scan;

/* A piece of a text. */
typedef struct hd_span {
    const char *at;
    size_t length;
} hd_span;

/* All is set but what deviates from zero. `text` ends in '\0', or has `length` bytes of any kind. */
hd_scan hd_scan_text(hd_arena *arena, const hd_diag *diag, const char *file, const char *text);
hd_scan hd_scan_bytes(hd_arena *arena, const hd_diag *diag, const char *file, const char *text,
                      size_t length);

/* ---- looking ----------------------------------------------------------------------------------- */

/* The byte so many behind the cursor; '\0' behind the end. */
static inline char hd_scan_ahead(const hd_scan *s, size_t ahead) {
    return ahead < (size_t)(s->end - s->at) ? s->at[ahead] : '\0';
}
static inline char hd_scan_peek(const hd_scan *s) { return hd_scan_ahead(s, 0); }
void hd_scan_blanks(hd_scan *s);
/* Whether nothing follows but blanks and comments; on this line, where lines count. */
bool hd_scan_ends(hd_scan *s);
/* Whether the next byte is none of a word, but a blank or the end. */
bool hd_scan_is_apart(const hd_scan *s);
bool hd_span_is(hd_span span, const char *text);
/* The same without regard to the case of ASCII's letters. */
bool hd_span_is_caseless(hd_span span, const char *text);
/* A copy of it. */
char *hd_span_text(hd_arena *arena, hd_span span);

/* ---- taking ------------------------------------------------------------------------------------ */

/* Exactly this text; where it begins as a word, that whole word. */
bool hd_scan_take(hd_scan *s, const char *token);
/* Length 0: there is none. */
hd_span hd_scan_word(hd_scan *s);
/* What is there before a blank, or before any of `stops`. */
hd_span hd_scan_until(hd_scan *s, const char *stops);
/* What is left of the line, without blanks around it; the cursor stands at its end. */
hd_span hd_scan_rest(hd_scan *s);
/* The cursor is at the beginning of the next line, or at the end. */
void hd_scan_next_line(hd_scan *s);
/* Digits of a number to base 10 or 16. Of one beyond 64 bits all digits are taken, *number is
 * UINT64_MAX and the result false; so it is with no digit, where none is taken. */
bool hd_scan_number(hd_scan *s, unsigned base, uint64_t *number);
/* What stands between two '"' on a line, both of which are taken; a byte behind '\' is of it. */
bool hd_scan_quoted(hd_scan *s, hd_span *inside);

/* ---- texts that are one number ------------------------------------------------------------------- */

/* Digits of base 10 or 16 and nothing else, at most `most`. */
bool hd_span_number(hd_span span, unsigned base, uint64_t most, uint64_t *number);
bool hd_text_number(const char *text, uint64_t most, uint64_t *number);
/* A finite number as strtod() reads it, without blanks before or anything behind it. */
bool hd_text_real(const char *text, double *number);

/* ---- faults -------------------------------------------------------------------------------------- */

/* Where `at` is. Quick where `at` is not before the place that was asked for last. */
hd_place hd_scan_place(hd_scan *s, const char *at);
/* The number of the line, and of the byte in it, from 1. */
void hd_scan_locate(hd_scan *s, const char *at, unsigned *line, unsigned *column);

/* HD_EINPUT at `at`. */
hd_status hd_scan_fail(hd_scan *s, const char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
hd_status hd_scan_vfail(hd_scan *s, hd_status status, const char *at, const char *format,
                        va_list args) __attribute__((format(printf, 4, 0)));
/* "expected WHAT, found 'word'", at what comes next. */
hd_status hd_scan_expected(hd_scan *s, const char *what);
/* What comes next, in quotes, or "the end". */
const char *hd_scan_found(hd_scan *s);

#endif
