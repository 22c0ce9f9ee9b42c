/*
 * The texts of generated code: what text/ has behind a line "@@ name", as rows that the build makes.
 * A value stands in them as @name@.
 */
#include <stdarg.h>

#include "map_text.h"

static const struct {
    const char *name, *text;
} texts[] = {
#include <rewrite_texts.inc>
};

typedef struct value {
    const char *name, *text;
} value;

void rw_add_text(hd_str *out, const char *name, ...) {
    enum { MOST = 12 };
    value values[MOST];
    size_t count = 0, row = 0;
    va_list args;
    va_start(args, name);
    for (const char *of; count < MOST && (of = va_arg(args, const char *)) != NULL; count++)
        values[count] = (value){of, va_arg(args, const char *)};
    va_end(args);
    while (strcmp(texts[row].name, name) != 0)
        row++;
    for (const char *at = texts[row].text, *mark; *at; at = strchr(mark + 1, '@') + 1) {
        mark = strchrnul(at, '@');
        hd_str_addn(out, at, (size_t)(mark - at));
        if (!*mark)
            return;
        for (size_t v = 0; v < count; v++)
            if (!strncmp(mark + 1, values[v].name, strlen(values[v].name)) &&
                mark[1 + strlen(values[v].name)] == '@')
                hd_str_add(out, values[v].text);
    }
}
