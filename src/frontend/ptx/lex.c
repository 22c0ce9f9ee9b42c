/*
 * PTX into tokens. Identifiers are [A-Za-z][A-Za-z0-9_$]* or [_$%][A-Za-z0-9_$]*; a dot or "::"
 * with a name behind it goes on with the word, so that opcodes and "%tid.x" are one token each.
 */
#include <errno.h>
#include <stdlib.h>

#include "frontend/ptx/ptx_reader.h"

enum { DEPTH_MOST = 64, SPELL_MOST = 60 };

/* ---- messages -------------------------------------------------------------------- */

static void report(ptx_reader *r, hd_status status, const ptx_token *where, const char *format,
                   va_list args) {
    if (r->status)
        return;
    const char *start = where->at, *end = where->at;
    while (start > r->text && start[-1] != '\n')
        start--;
    while (end < r->end && *end != '\n')
        end++;
    const hd_place place = {r->path, where->place.line, where->place.column,
                            hd_strndup(r->arena, start, (size_t)(end - start))};
    r->status = hd_fail(r->diag, status, &place, "%s", hd_vformat(r->scratch, format, args));
    r->at = r->end;
    r->now.kind = PTX_TOKEN_END;
    r->now.length = 0;
}

void ptx_misread(ptx_reader *r, const ptx_token *where, const char *format, ...) {
    va_list args;
    va_start(args, format);
    report(r, HD_EINPUT, where, format, args);
    va_end(args);
}

void ptx_not_taken(ptx_reader *r, const ptx_token *where, const char *format, ...) {
    va_list args;
    va_start(args, format);
    report(r, HD_EUNSUPPORTED, where, format, args);
    va_end(args);
}

const char *ptx_spell(const ptx_reader *r, const ptx_token *token) {
    if (token->kind == PTX_TOKEN_END)
        return "the end of the text";
    bool is_long = token->length > SPELL_MOST;
    return hd_format(r->scratch, "'%.*s%s'", is_long ? SPELL_MOST : (int)token->length, token->at,
                     is_long ? "..." : "");
}

/* ---- characters -------------------------------------------------------------------- */

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

static bool goes_on(char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '$'; }

static int hex_digit(char c) {
    if (is_digit(c))
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* The character so many behind the place of reading; 0 behind the end. */
static char peek(const ptx_reader *r, size_t ahead) {
    return ahead < (size_t)(r->end - r->at) ? r->at[ahead] : '\0';
}

/* ---- between tokens ------------------------------------------------------------------ */

static ptx_token here(const ptx_reader *r) {
    return (ptx_token){.at = r->at,
                       .length = r->at < r->end,
                       .place = {r->line, (uint32_t)(r->at - r->line_start) + 1}};
}

static void new_line(ptx_reader *r) {
    r->line++;
    r->line_start = ++r->at;
}

static void skip_line(ptx_reader *r) {
    const char *found = memchr(r->at, '\n', (size_t)(r->end - r->at));
    r->at = found ? found : r->end;
}

static void skip_comment(ptx_reader *r) {
    const ptx_token start = here(r);
    for (r->at += 2; r->at < r->end;) {
        if (*r->at == '\n')
            new_line(r);
        else if (*r->at == '*' && peek(r, 1) == '/') {
            r->at += 2;
            return;
        } else
            r->at++;
    }
    ptx_misread(r, &start, "this comment has no end; put */ behind it");
}

/* A '#' that has only blanks before it on its line: what a preprocessor left. */
static bool is_line_marker(const ptx_reader *r) {
    const char *at = r->line_start;
    while (at < r->at && (*at == ' ' || *at == '\t'))
        at++;
    return at == r->at;
}

static void skip_blanks(ptx_reader *r) {
    while (r->at < r->end) {
        char c = *r->at;
        if (c == '\n')
            new_line(r);
        else if (c == ' ' || (c >= '\t' && c <= '\r'))
            r->at++;
        else if (c == '/' && peek(r, 1) == '/')
            skip_line(r);
        else if (c == '/' && peek(r, 1) == '*')
            skip_comment(r);
        else if (c == '#' && is_line_marker(r))
            skip_line(r);
        else
            return;
    }
}

/* ---- names ------------------------------------------------------------------------------ */

static const char *const keywords[PTX_KEY_TYPE] = {
#define X(name, text) text,
    PTX_KEYS(X)
#undef X
};

static void spell(ptx_reader *r, const char *text, size_t length, const char *ending) {
    const size_t all = length + strlen(ending);
    if (all >= r->spelling_capacity) {
        r->spelling_capacity = 2 * all + 64;
        r->spelling = hd_alloc(r->scratch, r->spelling_capacity);
    }
    memcpy(r->spelling, text, length);
    strcpy(r->spelling + length, ending);
}

static uint32_t intern_spelling(ptx_reader *r) {
    uint64_t number = hd_hash_get_key(&r->numbers, r->spelling);
    if (number != HD_NO_VALUE)
        return (uint32_t)number;
    const char *kept = hd_strdup(r->arena, r->spelling);
    number = hd_hash_add_key(&r->numbers, kept, r->names.count);
    hd_push(r->scratch, &r->names, (ptx_name){.text = kept});
    return (uint32_t)number;
}

uint32_t ptx_intern_joined(ptx_reader *r, const char *text, size_t length, const char *ending) {
    spell(r, text, length, ending);
    return intern_spelling(r);
}

uint32_t ptx_intern(ptx_reader *r, const char *text, size_t length) {
    return ptx_intern_joined(r, text, length, "");
}

void ptx_lex_begin(ptx_reader *r) {
    for (size_t k = 0; k < PTX_KEY_TYPE; k++)
        ptx_intern(r, keywords[k], strlen(keywords[k]));
    for (size_t t = 0; PTX_KEY_TYPE + t < PTX_KEYWORDS; t++) {
        const char *name = hd_format(r->scratch, ".%s", ptx_type_name((ptx_type)t));
        ptx_intern(r, name, strlen(name));
    }
    r->at = r->line_start = r->text;
    r->line = 1;
    ptx_next(r);
}

/* r->at is at the first character of a name; over it and what is glued to it by "::", and where
 * `dots` also by '.'. */
static void skip_name(ptx_reader *r, bool dots) {
    for (r->at++;; r->at++) {
        char c = peek(r, 0);
        if (goes_on(c))
            continue;
        if (c == '.' && dots && (goes_on(peek(r, 1))))
            continue;
        if (c != ':' || peek(r, 1) != ':' || !goes_on(peek(r, 2)))
            return;
        r->at++;
    }
}

static void read_name(ptx_reader *r, ptx_token_kind kind) {
    r->now.kind = kind;
    skip_name(r, kind == PTX_TOKEN_WORD);
    r->now.name = ptx_intern(r, r->now.at, (size_t)(r->at - r->now.at));
}

/* ---- numbers ---------------------------------------------------------------------------- */

/* 0f or 0d with all digits of the bits. */
static bool read_hex_float(ptx_reader *r) {
    char letter = (char)(peek(r, 1) | 0x20);
    size_t digits = letter == 'f' ? 8 : 16;
    uint64_t bits = 0;
    if (peek(r, 0) != '0' || (letter != 'f' && letter != 'd'))
        return false;
    for (size_t i = 0; i < digits; i++) {
        int digit = hex_digit(peek(r, 2 + i));
        if (digit < 0)
            return false;
        bits = bits << 4 | (uint64_t)digit;
    }
    r->at += 2 + digits;
    r->now.kind = PTX_TOKEN_FLOAT;
    r->now.type = letter == 'f' ? PTX_F32 : PTX_F64;
    r->now.integer = (int64_t)bits;
    return true;
}

/* Past the digits of a decimal float; false: it is none. */
static bool skip_decimal_float(ptx_reader *r) {
    const char *start = r->at;
    while (is_digit(peek(r, 0)))
        r->at++;
    bool is_float = peek(r, 0) == '.';
    if (is_float)
        for (r->at++; is_digit(peek(r, 0));)
            r->at++;
    size_t sign = peek(r, 1) == '-' || peek(r, 1) == '+';
    if ((peek(r, 0) | 0x20) == 'e' && is_digit(peek(r, 1 + sign))) {
        is_float = true;
        for (r->at += 1 + sign; is_digit(peek(r, 0));)
            r->at++;
    }
    if (!is_float)
        r->at = start;
    return is_float;
}

static bool read_decimal_float(ptx_reader *r) {
    const char *start = r->at;
    if (!skip_decimal_float(r))
        return false;
    spell(r, start, (size_t)(r->at - start), "");
    double value = strtod(r->spelling, NULL);
    memcpy(&r->now.integer, &value, sizeof value);
    r->now.kind = PTX_TOKEN_FLOAT;
    r->now.type = PTX_F64;
    return true;
}

static void read_integer(ptx_reader *r) {
    char letter = (char)(peek(r, 1) | 0x20);
    bool leading_zero = peek(r, 0) == '0';
    unsigned base = !leading_zero                                 ? 10
                    : letter == 'x' && hex_digit(peek(r, 2)) >= 0 ? 16
                    : letter == 'b' && (peek(r, 2) | 1) == '1'    ? 2
                                                                  : 8;
    uint64_t value = 0;
    bool too_large = false;
    r->now.kind = PTX_TOKEN_INTEGER;
    for (r->at += base == 16 || base == 2 ? 2 : 0;; r->at++) {
        int digit = hex_digit(peek(r, 0));
        if (digit < 0 || digit >= (int)base)
            break;
        too_large |= __builtin_mul_overflow(value, (uint64_t)base, &value) ||
                     __builtin_add_overflow(value, (uint64_t)digit, &value);
    }
    r->now.integer = (int64_t)value;
    r->now.is_unsigned = value > INT64_MAX;
    if (peek(r, 0) == 'U') {
        r->now.is_unsigned = true;
        r->at++;
    }
    if (too_large) {
        r->now.length = (uint32_t)(r->at - r->now.at);
        ptx_misread(r, &r->now, "%s does not fit 64 bits", ptx_spell(r, &r->now));
    }
}

static void read_number(ptx_reader *r) {
    if (!read_hex_float(r) && !read_decimal_float(r))
        read_integer(r);
    if (!r->status && goes_on(peek(r, 0))) {
        while (goes_on(peek(r, 0)))
            r->at++;
        r->now.length = (uint32_t)(r->at - r->now.at);
        ptx_misread(r, &r->now,
                    "%s is no number: write 10, 0xA, 012, 0b1010, 1.5, 0f and 8 or 0d and 16 "
                    "hexadecimal digits",
                    ptx_spell(r, &r->now));
    }
}

/* ---- the rest ------------------------------------------------------------------------------ */

static void read_string(ptx_reader *r) {
    r->now.kind = PTX_TOKEN_STRING;
    const char *start = ++r->at;
    while (r->at < r->end && *r->at != '"' && *r->at != '\n')
        r->at += *r->at == '\\' && r->end - r->at > 1 && r->at[1] != '\n' ? 2 : 1;
    if (peek(r, 0) != '"') {
        ptx_misread(r, &r->now, "the string has no end; add a \" to this line");
        return;
    }
    r->now.at = start;
    r->now.length = (uint32_t)(r->at++ - start);
}

static void read_mark(ptx_reader *r) {
    static const char doubles[][2] = {"<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "@@"};
    char first = peek(r, 0), second = peek(r, 1);
    r->now.kind = PTX_TOKEN_MARK;
    r->now.mark = (unsigned char)first;
    if (!strchr("{}()[]<>,;:|!@=+-*/%&^~?", first)) {
        unsigned char byte = (unsigned char)first;
        ptx_misread(r, &r->now,
                    byte > ' ' && byte < 0x7f ? "'%c' is no character of PTX"
                                              : "the byte 0x%02x is no character of PTX",
                    byte);
        return;
    }
    for (size_t i = 0; i < sizeof doubles / sizeof *doubles; i++)
        if (doubles[i][0] == first && doubles[i][1] == second)
            r->now.mark = PTX_MARK2(first, second);
    r->at += r->now.mark > 0xff ? 2 : 1;
}

void ptx_next(ptx_reader *r) {
    if (!r->status)
        skip_blanks(r);
    r->now = here(r);
    if (r->status || r->at == r->end)
        return;
    char first = *r->at;
    if (is_letter(first) || first == '_' || first == '$' || (first == '%' && goes_on(peek(r, 1))))
        read_name(r, PTX_TOKEN_WORD);
    else if (is_digit(first) || (first == '.' && is_digit(peek(r, 1))))
        read_number(r);
    else if (first == '.' && goes_on(peek(r, 1)))
        read_name(r, PTX_TOKEN_DOT);
    else if (first == '"')
        read_string(r);
    else
        read_mark(r);
    if (!r->status && r->now.kind != PTX_TOKEN_STRING)
        r->now.length = (uint32_t)(r->at - r->now.at);
}

bool ptx_accept_mark(ptx_reader *r, uint32_t mark) {
    bool found = ptx_is_mark(r, mark);
    if (found)
        ptx_next(r);
    return found;
}

void ptx_expect_mark(ptx_reader *r, uint32_t mark) {
    if (!ptx_accept_mark(r, mark))
        ptx_misread(r, &r->now, "expected '%c' before %s", (char)mark, ptx_spell(r, &r->now));
}

bool ptx_accept_key(ptx_reader *r, ptx_keyword key) {
    bool found = ptx_is_key(r, key);
    if (found)
        ptx_next(r);
    return found;
}

ptx_token ptx_expect_name(ptx_reader *r, const char *what) {
    const ptx_token name = r->now;
    if (name.kind != PTX_TOKEN_WORD || memchr(name.at, '.', name.length) ||
        memchr(name.at, ':', name.length))
        ptx_misread(r, &name, "expected %s before %s", what, ptx_spell(r, &name));
    else
        ptx_next(r);
    return name;
}

bool ptx_enter(ptx_reader *r) {
    if (++r->depth > DEPTH_MOST)
        ptx_misread(r, &r->now, "this stands in more than %d brackets or operators; take some away",
                    DEPTH_MOST);
    return !r->status;
}

void *ptx_keep(ptx_reader *r, const void *data, size_t count, size_t item_bytes) {
    if (!count)
        return NULL;
    void *kept = hd_alloc_items(r->arena, count, item_bytes);
    return memcpy(kept, data, count * item_bytes);
}
