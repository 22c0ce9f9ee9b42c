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

static void put_number(uint64_t *random, const bytes_list *seeds, bytes *b) {
    (void)seeds;
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
    span s = some_word(random, b);
    for (int tries = 0; tries < 20 && s.count && !isdigit(b->data[s.at]); tries++)
        s = some_word(random, b);
    replace_text(b, s, numbers[below(random, sizeof numbers / sizeof *numbers)]);
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

void damage_text(uint64_t *random, const bytes_list *seeds, bytes *input) {
    static damage_fn *const ways[] = {put_number, put_number,        put_number, put_other_word,
                                      drop,       take_from_another, repeat,     change_byte,
                                      put_sign,   put_long,          put_long,   put_other_word};
    for (uint64_t n = 1 + below(random, below(random, 3) ? 3 : 12); n; n--)
        ways[below(random, sizeof ways / sizeof *ways)](random, seeds, input);
    if (!below(random, 20))
        cut(random, seeds, input);
}
