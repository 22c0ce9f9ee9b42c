/* JSON values that jansson would refuse, made acceptable; and the final text. */
#include <math.h>
#include <stdlib.h>

#include "cli/report/report_result.h"

/* Length of the well-formed UTF-8 sequence at `s`, 0 when there is none. */
static size_t sequence(const unsigned char *s) {
    if (s[0] < 0x80)
        return 1;
    size_t length = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
    if (s[0] < 0xc2 || s[0] > 0xf4)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    bool overlong = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xf0 && s[1] < 0x90);
    bool surrogate = s[0] == 0xed && s[1] >= 0xa0;
    bool beyond = s[0] == 0xf4 && s[1] >= 0x90;
    return overlong || surrogate || beyond ? 0 : length;
}

json_t *hd_json_text(const char *text) {
    if (!text)
        return json_null();
    json_t *plain = json_string(text);
    if (plain)
        return plain;
    hd_arena *arena = hd_arena_new();
    hd_str mended = {.arena = arena};
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        size_t length = sequence(s);
        if (length)
            hd_str_addn(&mended, (const char *)s, length);
        else
            hd_str_add(&mended, "\xef\xbf\xbd");
        s += length ? length : 1;
    }
    plain = json_string(hd_str_text(&mended));
    hd_arena_free(arena);
    return plain ? plain : json_null();
}

json_t *hd_json_number(double value) { return isfinite(value) ? json_real(value) : json_null(); }

json_t *hd_json_integer(uint64_t value) { return json_integer((json_int_t)value); }

const char *hd_json_dump(hd_arena *arena, json_t *value) {
    char *text = json_dumps(value, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
    json_decref(value);
    if (!text)
        hd_no_memory(0); /* every value we make can be written */
    const char *result = hd_format(arena, "%s\n", text);
    free(text);
    return result;
}
