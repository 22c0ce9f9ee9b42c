/* Damage to texts: what is typed wrongly, cut off, repeated, or meant to hurt. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "files.h"

enum { MOST_BYTES = 1 << 20, MOST_COPIES = 3000, LONG_WORD = 100000 };

static uint64_t below(uint64_t *random, uint64_t limit) {
    return limit ? hd_next_random(random) % limit : 0;
}

void bytes_set(bytes *b, const void *data, size_t length) {
    bytes_replace(b, 0, b->length, data, length);
}

void bytes_replace(bytes *b, size_t at, size_t count, const void *data, size_t length) {
    size_t left = b->length - at - count, whole = at + length + left;
    if (whole + 1 > b->room) {
        b->room = 2 * (whole + 1);
        b->data = hd_checked(realloc(b->data, b->room));
    }
    memmove(b->data + at + length, b->data + at + count, left);
    if (data)
        memcpy(b->data + at, data, length);
    else
        memset(b->data + at, 0, length);
    b->length = whole;
    b->data[whole] = '\0'; /* so that it can be read as a string */
}

/* ---- places --------------------------------------------------------------------- */

typedef struct span {
    size_t at, count;
} span;

static bool is_word(uint8_t c) { return isalnum(c) || c == '_' || c == '.' || c == '-'; }

/* A word of `b`, or what stands between two words. */
static span some_word(uint64_t *random, const bytes *b) {
    span s = {below(random, b->length), 0};
    if (s.at == b->length)
        return s;
    bool word = is_word(b->data[s.at]);
    while (s.at && is_word(b->data[s.at - 1]) == word)
        s.at--;
    while (s.at + s.count < b->length && is_word(b->data[s.at + s.count]) == word)
        s.count++;
    return s;
}

/* Up to eight lines. */
static span some_lines(uint64_t *random, const bytes *b) {
    span s = {below(random, b->length), 0};
    while (s.at && b->data[s.at - 1] != '\n')
        s.at--;
    for (uint64_t lines = 1 + below(random, 8); lines && s.at + s.count < b->length; s.count++)
        lines -= b->data[s.at + s.count] == '\n';
    return s;
}

static span some_bytes(uint64_t *random, const bytes *b) {
    size_t at = below(random, b->length);
    return (span){at, below(random, b->length - at + 1) % (1 + below(random, 64))};
}

static void replace(bytes *b, span s, const void *data, size_t length) {
    if (b->length - s.count + length <= MOST_BYTES)
        bytes_replace(b, s.at, s.count, data, length);
}

static void replace_text(bytes *b, span s, const char *text) { replace(b, s, text, strlen(text)); }

/* ---- kinds of damage ------------------------------------------------------------ */

static const char *some_number(uint64_t *random) {
    static const char *const numbers[] = {"0",
                                          "1",
                                          "-1",
                                          "2",
                                          "3",
                                          "-0",
                                          "0x10",
                                          "1e3",
                                          "0.5",
                                          "255",
                                          "256",
                                          "1024",
                                          "65535",
                                          "65536",
                                          "1000000",
                                          "16777217",
                                          "268435456",
                                          "1073741824",
                                          "2147483647",
                                          "2147483648",
                                          "-2147483648",
                                          "4294967295",
                                          "4294967296",
                                          "1099511627776",
                                          "9007199254740993",
                                          "9223372036854775807",
                                          "-9223372036854775808",
                                          "9223372036854775808",
                                          "18446744073709551615",
                                          "18446744073709551616",
                                          "1e308",
                                          "1e309",
                                          "-1e400",
                                          "1e-320",
                                          "nan",
                                          "inf",
                                          "-inf",
                                          "00000000000000000001",
                                          "1_000",
                                          "0b11",
                                          "0o17",
                                          "~",
                                          "true",
                                          "''"};
    return numbers[below(random, sizeof numbers / sizeof *numbers)];
}

static void put_number(uint64_t *random, const bytes_list *seeds, bytes *b) {
    (void)seeds;
    span s = some_word(random, b);
    for (int tries = 0; tries < 20 && s.count && !isdigit(b->data[s.at]); tries++)
        s = some_word(random, b);
    replace_text(b, s, some_number(random));
}

static void put_other_word(uint64_t *random, const bytes_list *seeds, bytes *b) {
    (void)seeds;
    span from = some_word(random, b), to = some_word(random, b);
    uint8_t word[256];
    size_t length = from.count < sizeof word ? from.count : sizeof word;
    memcpy(word, b->data + from.at, length);
    replace(b, to, word, length);
}

static void drop(uint64_t *random, const bytes_list *seeds, bytes *b) {
    (void)seeds;
    span s = below(random, 3) == 0   ? some_word(random, b)
             : below(random, 2) == 0 ? some_lines(random, b)
                                     : some_bytes(random, b);
    replace(b, s, NULL, 0);
}

static void repeat(uint64_t *random, const bytes_list *seeds, bytes *b) {
    (void)seeds;
    span s = below(random, 3) ? some_lines(random, b) : some_word(random, b);
    uint64_t copies = 1 + below(random, below(random, 4) ? 3 : MOST_COPIES);
    if (!s.count || copies > (MOST_BYTES - b->length) / s.count)
        return;
    uint8_t *copy = hd_checked(malloc(s.count * copies));
    for (uint64_t c = 0; c < copies; c++)
        memcpy(copy + c * s.count, b->data + s.at, s.count);
    bytes_replace(b, s.at + s.count, 0, copy, s.count * copies);
    free(copy);
}

static void take_from_another(uint64_t *random, const bytes_list *seeds, bytes *b) {
    const bytes *other = &seeds->data[below(random, seeds->count)];
    span from = below(random, 2) ? some_lines(random, other) : some_word(random, other);
    span to = below(random, 2) ? some_lines(random, b) : some_word(random, b);
    replace(b, below(random, 2) ? to : (span){to.at, 0}, other->data + from.at, from.count);
}

static void change_byte(uint64_t *random, const bytes_list *seeds, bytes *b) {
    (void)seeds;
    if (b->length)
        b->data[below(random, b->length)] = (uint8_t)hd_next_random(random);
}

static void put_sign(uint64_t *random, const bytes_list *seeds, bytes *b) {
    (void)seeds;
    static const char *const signs[] = {
        "{",    "}",    "[",   "]",      "(",   ")",      ":",     ": ",    ",",
        "#",    "&a ",  "*a ", "!!int ", "|\n", "\"",     "'",     "\\",    "\t",
        "\n",   "\r\n", "%",   "@",      "=",   "<<: *a", "---\n", "...\n", "\xef\xbb\xbf",
        "\xff", "\xc3", "/",   "../",    "-",   "?",      ";",     "$(",    "`",
        "x",    ""};
    size_t which = below(random, sizeof signs / sizeof *signs);
    span s = {below(random, b->length + 1), 0};
    if (*signs[which])
        replace_text(b, s, signs[which]);
    else
        replace(b, s, "\0", 1);
}

/* A word of one sign, long or as deep as a stack. */
static void put_long(uint64_t *random, const bytes_list *seeds, bytes *b) {
    (void)seeds;
    static const char signs[] = "[{(a1&-. \n";
    size_t length = 1 + below(random, below(random, 3) ? 300 : LONG_WORD);
    uint8_t *word = hd_checked(malloc(length));
    memset(word, signs[below(random, sizeof signs - 1)], length);
    span s = below(random, 2) ? some_word(random, b) : (span){below(random, b->length + 1), 0};
    replace(b, s, word, length);
    free(word);
}

static void cut(uint64_t *random, const bytes_list *seeds, bytes *b) {
    (void)seeds;
    size_t at = below(random, b->length + 1);
    bytes_replace(b, at, b->length - at, NULL, 0);
}

/* ---- damage to what lines and keys say -------------------------------------------- */

static bool is_blank(uint8_t c) { return c == ' ' || c == '\t'; }

static size_t line_begin(const bytes *b, size_t at) {
    while (at && b->data[at - 1] != '\n')
        at--;
    return at;
}

/* Word `number` of the line at `at`, as blanks part words; false: there is none. */
static bool word_of_line(const bytes *b, size_t at, uint64_t number, span *word) {
    for (uint64_t i = 0;; i++) {
        while (at < b->length && is_blank(b->data[at]))
            at++;
        *word = (span){at, 0};
        while (at < b->length && !is_blank(b->data[at]) && b->data[at] != '\n')
            at++;
        word->count = at - word->at;
        if (!word->count || i == number)
            return word->count;
    }
}

static bool is_number(const bytes *b, span s) {
    for (size_t i = 0; i < s.count; i++)
        if (!isdigit(b->data[s.at + i]))
            return false;
    return true;
}

/* A word that stands elsewhere in such a place, or a number, in the place of a word. */
static void exchange_in_line(uint64_t *random, const bytes_list *seeds, bytes *b) {
    const bytes *other = below(random, 3) ? b : &seeds->data[below(random, seeds->count)];
    size_t to = line_begin(b, below(random, b->length));
    size_t from = line_begin(other, below(random, other->length));
    span old, new;
    uint64_t number = below(random, below(random, 3) ? 4 : 12);
    if (!word_of_line(b, to, number, &old) || b->data[old.at + old.count - 1] == ':')
        return;
    char value[32];
    if (is_number(b, old) && !below(random, 3)) {
        snprintf(value, sizeof value, "%llu", (unsigned long long)below(random, 70));
        replace_text(b, old, below(random, 2) ? value : some_number(random));
    } else if (word_of_line(other, from, number, &new) && new.count < 256) {
        uint8_t copy[256];
        memcpy(copy, other->data + new.at, new.count);
        replace(b, old, copy, new.count);
    }
}

/* "key: value": a key of some characters, and what stands behind it up to the end of the line, or
 * of what is in brackets. */
typedef struct pair {
    span key, value;
} pair;

static bool next_pair(const bytes *b, size_t at, pair *p) {
    for (; at + 2 < b->length; at++)
        if (b->data[at] == ':' && b->data[at + 1] == ' ' && at &&
            (is_word(b->data[at - 1]) || b->data[at - 1] == '"'))
            break;
    if (at + 2 >= b->length)
        return false;
    p->key = (span){at, 0};
    while (p->key.at && (is_word(b->data[p->key.at - 1]) || b->data[p->key.at - 1] == '"')) {
        p->key.at--;
        p->key.count++;
    }
    p->value = (span){at + 2, 0};
    int depth = 0;
    for (at += 2; at < b->length && (b->data[at] != '\n' || depth); at++) {
        uint8_t c = b->data[at];
        depth += (c == '[' || c == '{') - (c == ']' || c == '}');
        if (depth < 0 || (!depth && c == ','))
            break;
    }
    p->value.count = at - p->value.at;
    return true;
}

static bool some_pair(uint64_t *random, const bytes *b, pair *p) {
    return next_pair(b, below(random, b->length), p) || next_pair(b, 0, p);
}

static bool same_key(const bytes *a, const pair *p, const bytes *b, const pair *q) {
    return p->key.count == q->key.count &&
           !memcmp(a->data + p->key.at, b->data + q->key.at, p->key.count);
}

/* The value that another pair has, most often one with the same key. */
static void exchange_values(uint64_t *random, const bytes_list *seeds, bytes *b) {
    const bytes *other = below(random, 2) ? b : &seeds->data[below(random, seeds->count)];
    pair to, from;
    if (!some_pair(random, b, &to))
        return;
    bool found = false;
    for (int tries = 0; tries < 30 && !found; tries++)
        found = some_pair(random, other, &from) &&
                (same_key(b, &to, other, &from) || !below(random, 30));
    if (!found || from.value.count > 4096)
        return;
    uint8_t copy[4096];
    memcpy(copy, other->data + from.value.at, from.value.count);
    replace(b, to.value, copy, from.value.count);
}

/* A number, a list or nothing as the value of a key. */
static void put_value(uint64_t *random, const bytes_list *seeds, bytes *b) {
    (void)seeds;
    pair p;
    if (!some_pair(random, b, &p))
        return;
    char value[200] = "";
    const char *number = some_number(random);
    switch (below(random, 6)) {
    case 0: snprintf(value, sizeof value, "[%s, %s]", number, some_number(random)); break;
    case 1:
        snprintf(value, sizeof value, "[%.*s]", (int)(p.value.count % 190),
                 (const char *)b->data + p.value.at);
        break;
    case 2: snprintf(value, sizeof value, "%llu", (unsigned long long)below(random, 300)); break;
    case 3: break;
    default: snprintf(value, sizeof value, "%s", number);
    }
    replace_text(b, p.value, value);
}

/* Lines again and again, each time with another name or number: so that names stay unlike, and
 * numbers ascend. */
static void repeat_numbered(uint64_t *random, const bytes_list *seeds, bytes *b) {
    (void)seeds;
    bytes copies = {0};
    span s = {line_begin(b, below(random, b->length)), 0};
    while (s.at + s.count < b->length && b->data[s.at + s.count] != '\n')
        s.count++;
    uint64_t count = 1 + below(random, below(random, 4) ? 40 : MOST_COPIES);
    if (s.at + s.count == b->length || count * (s.count + 12) > MOST_BYTES - b->length)
        return;
    pair p;
    size_t at = s.at; /* where the number goes */
    char *end = NULL;
    unsigned long long number = 0;
    if (isdigit(b->data[s.at])) {
        number = strtoull((char *)b->data + s.at, &end, 10);
    } else if (next_pair(b, s.at, &p) && p.value.at + p.value.count <= s.at + s.count) {
        at = p.value.at + p.value.count;
        number = below(random, 100);
    }
    for (uint64_t c = 1; c <= count; c++) {
        char text[32];
        snprintf(text, sizeof text, "%llu", number + c);
        size_t rest = end ? (size_t)((uint8_t *)end - b->data) : at;
        bytes_replace(&copies, copies.length, 0, "\n", 1);
        bytes_replace(&copies, copies.length, 0, b->data + s.at, at - s.at);
        bytes_replace(&copies, copies.length, 0, text, strlen(text));
        bytes_replace(&copies, copies.length, 0, b->data + rest, s.at + s.count - rest);
    }
    bytes_replace(b, s.at + s.count, 0, copies.data, copies.length);
    free(copies.data);
}

static void damage_with(damage_fn *const *ways, size_t count, uint64_t times, uint64_t *random,
                        const bytes_list *seeds, bytes *input) {
    for (; times; times--)
        ways[below(random, count)](random, seeds, input);
}

void damage_text(uint64_t *random, const bytes_list *seeds, bytes *input) {
    static damage_fn *const any[] = {put_number, put_number,        put_number, put_other_word,
                                     drop,       take_from_another, repeat,     change_byte,
                                     put_sign,   put_long,          put_long,   put_other_word};
    static damage_fn *const in_form[] = {exchange_values, exchange_values, exchange_values,
                                         put_value,       put_value,       put_value,
                                         put_number,      repeat_numbered};
    static damage_fn *const in_lines[] = {exchange_in_line, exchange_in_line, exchange_in_line,
                                          put_number, repeat_numbered};
    pair p;
    uint64_t few = 1 + below(random, 3), many = 1 + below(random, below(random, 3) ? 3 : 12);
    if (!below(random, 4))
        damage_with(any, sizeof any / sizeof *any, many, random, seeds, input);
    else if (next_pair(input, 0, &p))
        damage_with(in_form, sizeof in_form / sizeof *in_form, few, random, seeds, input);
    else
        damage_with(in_lines, sizeof in_lines / sizeof *in_lines, few, random, seeds, input);
    if (!below(random, 20))
        cut(random, seeds, input);
}
