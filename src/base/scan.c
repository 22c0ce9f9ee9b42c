/* A cursor over text that people write. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <strings.h>

#include "base/scan.h"

hd_scan hd_scan_bytes(hd_arena *arena, const hd_diag *diag, const char *file, const char *text,
                      size_t length) {
    return (hd_scan){.arena = arena,
                     .diag = diag,
                     .file = file,
                     .text = text,
                     .end = text + length,
                     .at = text,
                     .known_line = text,
                     .known_number = 1};
}

hd_scan hd_scan_text(hd_arena *arena, const hd_diag *diag, const char *file, const char *text) {
    return hd_scan_bytes(arena, diag, file, text, strlen(text));
}

/* ---- looking ----------------------------------------------------------------------------------- */

static bool is_blank(const hd_scan *s, char c) {
    return c == ' ' || (c >= '\t' && c <= '\r' && !(c == '\n' && s->by_line));
}

static bool is_of_word(const hd_scan *s, char c) {
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80 ||
           (c && s->word_marks && strchr(s->word_marks, c));
}

static const char *end_of_line(const hd_scan *s, const char *at) {
    const char *found = memchr(at, '\n', (size_t)(s->end - at));
    return found ? found : s->end;
}

void hd_scan_blanks(hd_scan *s) {
    size_t mark = s->comment ? strlen(s->comment) : 0;
    for (;;) {
        while (s->at < s->end && is_blank(s, *s->at))
            s->at++;
        if (!mark || (size_t)(s->end - s->at) < mark || memcmp(s->at, s->comment, mark) != 0)
            return;
        s->at = end_of_line(s, s->at);
    }
}

bool hd_scan_ends(hd_scan *s) {
    hd_scan_blanks(s);
    return s->at == s->end || *s->at == '\n';
}

bool hd_scan_is_apart(const hd_scan *s) {
    return s->at == s->end || isspace((unsigned char)*s->at);
}

bool hd_span_is(hd_span span, const char *text) {
    return span.length == strlen(text) && !memcmp(span.at, text, span.length);
}

bool hd_span_is_caseless(hd_span span, const char *text) {
    return span.length == strlen(text) && !strncasecmp(span.at, text, span.length);
}

char *hd_span_text(hd_arena *arena, hd_span span) {
    return hd_strndup(arena, span.at, span.length);
}

/* ---- taking ------------------------------------------------------------------------------------ */

static size_t word_length(const hd_scan *s, const char *at) {
    const char *end = at;
    while (end < s->end && is_of_word(s, *end))
        end++;
    return (size_t)(end - at);
}

bool hd_scan_take(hd_scan *s, const char *token) {
    size_t length = strlen(token);
    hd_scan_blanks(s);
    bool is_there = (size_t)(s->end - s->at) >= length && !memcmp(s->at, token, length) &&
                    (!is_of_word(s, *token) || word_length(s, s->at) == length);
    s->at += is_there ? length : 0;
    return is_there;
}

hd_span hd_scan_word(hd_scan *s) {
    hd_scan_blanks(s);
    hd_span word = {s->at, word_length(s, s->at)};
    s->at += word.length;
    return word;
}

hd_span hd_scan_until(hd_scan *s, const char *stops) {
    hd_scan_blanks(s);
    const char *at = s->at, *end = s->end;
    while (at < end && !isspace((unsigned char)*at) && !(*stops && *at && strchr(stops, *at)))
        at++;
    hd_span run = {s->at, (size_t)(at - s->at)};
    s->at = at;
    return run;
}

hd_span hd_scan_rest(hd_scan *s) {
    while (s->at < s->end && *s->at != '\n' && is_blank(s, *s->at))
        s->at++;
    hd_span rest = {.at = s->at};
    s->at = end_of_line(s, s->at);
    for (rest.length = (size_t)(s->at - rest.at);
         rest.length && is_blank(s, rest.at[rest.length - 1]);)
        rest.length--;
    return rest;
}

void hd_scan_next_line(hd_scan *s) {
    s->at = end_of_line(s, s->at);
    s->at += s->at < s->end;
}

static unsigned digit_of(char c) {
    return c >= '0' && c <= '9'   ? (unsigned)(c - '0')
           : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
           : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10
                                  : UINT32_MAX;
}

/* The digits from `at` on, up to *end; false as hd_scan_number(). */
static bool read_digits(const char *at, const char **end, unsigned base, uint64_t *number) {
    const char *start = at, *last = *end;
    uint64_t value = 0;
    bool beyond = false;
    for (unsigned digit; at < last && (digit = digit_of(*at)) < base; at++)
        beyond |= __builtin_mul_overflow(value, base, &value) ||
                  __builtin_add_overflow(value, digit, &value);
    bool fits = at > start && !beyond;
    *number = fits ? value : UINT64_MAX;
    *end = at;
    return fits;
}

bool hd_scan_number(hd_scan *s, unsigned base, uint64_t *number) {
    const char *end = s->end;
    hd_scan_blanks(s);
    bool fits = read_digits(s->at, &end, base, number);
    s->at = end;
    return fits;
}

bool hd_scan_quoted(hd_scan *s, hd_span *inside) {
    if (!hd_scan_take(s, "\""))
        return false;
    inside->at = s->at;
    while (s->at < s->end && *s->at != '"' && *s->at != '\n')
        s->at += *s->at == '\\' && s->at + 1 < s->end && s->at[1] != '\n' ? 2 : 1;
    inside->length = (size_t)(s->at - inside->at);
    bool is_closed = hd_scan_peek(s) == '"';
    s->at = is_closed ? s->at + 1 : inside->at - 1;
    return is_closed;
}

/* ---- texts that are one number ------------------------------------------------------------------- */

bool hd_span_number(hd_span span, unsigned base, uint64_t most, uint64_t *number) {
    const char *end = span.at + span.length;
    return read_digits(span.at, &end, base, number) && end == span.at + span.length &&
           *number <= most;
}

bool hd_text_number(const char *text, uint64_t most, uint64_t *number) {
    return hd_span_number((hd_span){text, strlen(text)}, 10, most, number);
}

bool hd_text_real(const char *text, double *number) {
    char *end;
    if (!*text || isspace((unsigned char)*text))
        return false;
    *number = strtod(text, &end);
    return end != text && !*end && isfinite(*number);
}

/* ---- faults -------------------------------------------------------------------------------------- */

void hd_scan_locate(hd_scan *s, const char *at, unsigned *line, unsigned *column) {
    if (at < s->known_line) {
        s->known_line = s->text;
        s->known_number = 1;
    }
    for (const char *next; (next = memchr(s->known_line, '\n', (size_t)(at - s->known_line)));) {
        s->known_line = next + 1;
        s->known_number++;
    }
    *line = s->known_number;
    *column = (unsigned)(at - s->known_line) + 1;
}

hd_place hd_scan_place(hd_scan *s, const char *at) {
    hd_place place = {.file = s->file};
    hd_scan_locate(s, at, &place.line, &place.column);
    size_t length = (size_t)(end_of_line(s, s->known_line) - s->known_line);
    if (!s->line_most || length <= s->line_most)
        place.text = hd_strndup(s->arena, s->known_line, length);
    return place;
}

hd_status hd_scan_vfail(hd_scan *s, hd_status status, const char *at, const char *format,
                        va_list args) {
    if (s->status)
        return s->status;
    hd_place place = hd_scan_place(s, at);
    s->status = hd_fail(s->diag, status, &place, "%s", hd_vformat(s->arena, format, args));
    s->at = s->end;
    return s->status;
}

hd_status hd_scan_fail(hd_scan *s, const char *at, const char *format, ...) {
    va_list args;
    va_start(args, format);
    hd_status status = hd_scan_vfail(s, HD_EINPUT, at, format, args);
    va_end(args);
    return status;
}

const char *hd_scan_found(hd_scan *s) {
    enum { SHOWN = 40 };
    hd_scan_blanks(s);
    if (s->at == s->end || !*s->at)
        return "the end";
    size_t length = word_length(s, s->at);
    if (!length)
        for (length = 1; ((unsigned char)hd_scan_ahead(s, length) & 0xc0) == 0x80;)
            length++; /* the rest of one UTF-8 character */
    return hd_format(s->arena, "'%.*s'", length > SHOWN ? SHOWN : (int)length, s->at);
}

hd_status hd_scan_expected(hd_scan *s, const char *what) {
    const char *found = hd_scan_found(s);
    return hd_scan_fail(s, s->at, "expected %s, found %s", what, found);
}
