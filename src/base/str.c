/* A string under construction; it grows inside its arena. */
#include <stdio.h>

#include "base/base.h"

static void reserve(hd_str *s, size_t more) {
    if (s->length + more + 1 <= s->capacity)
        return;
    size_t capacity = s->capacity ? s->capacity : 128;
    while (capacity < s->length + more + 1)
        capacity *= 2;
    char *bigger = hd_alloc(s->arena, capacity);
    if (s->length)
        memcpy(bigger, s->data, s->length);
    s->data = bigger;
    s->capacity = capacity;
}

void hd_str_addn(hd_str *s, const char *text, size_t length) {
    reserve(s, length);
    memcpy(s->data + s->length, text, length);
    s->length += length;
    s->data[s->length] = '\0';
}

void hd_str_add(hd_str *s, const char *text) { hd_str_addn(s, text, strlen(text)); }

void hd_str_printf(hd_str *s, const char *format, ...) {
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length < 0) /* longer than an int can say */
        hd_no_memory(SIZE_MAX);
    reserve(s, (size_t)length);
    vsnprintf(s->data + s->length, (size_t)length + 1, format, again);
    va_end(again);
    s->length += (size_t)length;
}

const char *hd_str_text(const hd_str *s) { return s->data ? s->data : ""; }

bool hd_ends_in(const char *text, const char *ending) {
    size_t length = strlen(text), tail = strlen(ending);
    return length > tail && !strcmp(text + length - tail, ending);
}

bool hd_has_word(const char *words, const char *word) {
    size_t length = strlen(word);
    if (!length || strchr(word, ' '))
        return false;
    for (const char *at = words; (at = strstr(at, word)) != NULL; at++)
        if ((at == words || at[-1] == ' ') && (!at[length] || at[length] == ' '))
            return true;
    return false;
}
