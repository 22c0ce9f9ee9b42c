/* Objects of JSON, one on a line, as tools write them that log one event after the other. */
#include "foreign.h"

enum { NESTED_MOST = 64 };

static hd_span name_of(foreign *f) {
    hd_span name = {f->in.at, 0};
    hd_scan_blanks(&f->in);
    const char *at = f->in.at;
    if (!hd_scan_quoted(&f->in, &name) || !name.length || !foreign_take(f, ":"))
        hd_scan_fail(&f->in, at, "here must be a member of the object, as \"warp\": 3");
    return f->in.status ? (hd_span){at, 0} : name;
}

hd_span foreign_json_begin(foreign *f) {
    hd_scan_blanks(&f->in);
    const char *at = f->in.at;
    if (!foreign_take(f, "{"))
        hd_scan_fail(&f->in, at, "the line must hold an object of JSON, {...}");
    return f->in.status || foreign_take(f, "}") ? (hd_span){at, 0} : name_of(f);
}

hd_span foreign_json_next(foreign *f) {
    const char *at = f->in.at;
    if (f->in.status || foreign_take(f, "}"))
        return (hd_span){at, 0};
    if (foreign_take(f, ","))
        return name_of(f);
    hd_scan_fail(&f->in, f->in.at,
                 "the object ends here without its '}': the line was cut off or damaged");
    return (hd_span){at, 0};
}

uint64_t foreign_json_number(foreign *f, uint64_t most, const char *what) {
    hd_scan_blanks(&f->in);
    const char *at = f->in.at;
    uint64_t number = 0;
    unsigned base = foreign_take(f, "0x") ? 16 : 10;
    if (!hd_scan_number(&f->in, base, &number) || number > most)
        hd_scan_fail(&f->in, at, "here must be %s, a number up to %llu", what,
                     (unsigned long long)most);
    return number;
}

hd_span foreign_json_text(foreign *f, const char *what) {
    hd_span text = {f->in.at, 0};
    hd_scan_blanks(&f->in);
    if (!hd_scan_quoted(&f->in, &text))
        hd_scan_fail(&f->in, f->in.at, "here must be %s in quotes", what);
    return text;
}

uint32_t foreign_json_numbers(foreign *f, uint64_t *numbers, uint32_t most, const char *what) {
    uint32_t count = 0;
    const char *at = f->in.at;
    if (!foreign_take(f, "["))
        hd_scan_fail(&f->in, at, "here must be %s, a list in brackets", what);
    if (f->in.status || foreign_take(f, "]"))
        return 0;
    do {
        at = f->in.at;
        if (count == most)
            hd_scan_fail(&f->in, at, "%s are %u at most", what, most);
        else
            numbers[count++] = foreign_json_number(f, UINT64_MAX, what);
    } while (!f->in.status && foreign_take(f, ","));
    if (!f->in.status && !foreign_take(f, "]"))
        hd_scan_fail(&f->in, f->in.at, "the list ends here without its ']'");
    return count;
}

/* Texts, numbers and words; of lists and objects all that is in them. */
void foreign_json_skip(foreign *f) {
    unsigned depth = 0;
    do {
        hd_span text;
        hd_scan_blanks(&f->in);
        const char *at = f->in.at;
        if (hd_scan_ends(&f->in))
            hd_scan_fail(&f->in, at, "here must be a value: the line was cut off or damaged");
        else if (foreign_take(f, "{") || foreign_take(f, "["))
            depth++;
        else if (foreign_take(f, "}") || foreign_take(f, "]"))
            depth -= depth > 0;
        else if (*at == '"' ? !hd_scan_quoted(&f->in, &text)
                            : !foreign_take(f, ",") && !foreign_take(f, ":") &&
                                  !hd_scan_until(&f->in, ",:{}[]\"").length)
            hd_scan_fail(&f->in, at, "here must be a value of JSON");
        if (depth > NESTED_MOST)
            hd_scan_fail(&f->in, at, "values are nested in at most %d others", NESTED_MOST);
    } while (depth && !f->in.status);
}

void foreign_json_end(foreign *f) {
    if (!f->in.status && !hd_scan_ends(&f->in))
        hd_scan_fail(&f->in, f->in.at, "the line must end behind the object");
}
