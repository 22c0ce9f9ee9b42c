/* A text of options as words, and back. */
#include "base/base.h"

static const char blanks[] = " \t\r\n";

char **hd_split_words(hd_arena *arena, const char *text, uint32_t *count) {
    hd_vec(char *) words = {0};
    for (const char *p = text ? text : ""; *(p += strspn(p, blanks));) {
        hd_str word = {.arena = arena};
        char quote = 0;
        for (; *p && (quote || !strchr(blanks, *p)); p++) {
            if (quote ? *p == quote : *p == '"' || *p == '\'')
                quote = quote ? 0 : *p;
            else
                hd_str_addn(&word, p, 1);
        }
        hd_push(arena, &words, hd_strdup(arena, hd_str_text(&word)));
    }
    *count = (uint32_t)words.count;
    return words.data;
}

/* Inside one kind of quotes the other one stands for itself. */
static void add_quoted(hd_str *text, const char *word) {
    do {
        size_t length = strcspn(word, "\"");
        if (length || !*word)
            hd_str_printf(text, "\"%.*s\"", (int)length, word);
        word += length;
        length = strspn(word, "\"");
        if (length)
            hd_str_printf(text, "'%.*s'", (int)length, word);
        word += length;
    } while (*word);
}

const char *hd_join_words(hd_arena *arena, char *const *words, uint32_t count) {
    hd_str text = {.arena = arena};
    for (uint32_t w = 0; w < count; w++) {
        if (w)
            hd_str_add(&text, " ");
        if (*words[w] && !strpbrk(words[w], " \t\r\n\"'"))
            hd_str_add(&text, words[w]);
        else
            add_quoted(&text, words[w]);
    }
    return hd_str_text(&text);
}
