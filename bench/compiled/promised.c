#include "compiled/promised.h"

#include <jansson.h>
#include <stdlib.h>

enum { AS_IS, ADVISED };

/* False, with what was to be done, where the command fails. */
static bool done(hd_arena *arena, whole_program *p, const char *what, const char *command) {
    if (!p->failed && system(command))
        p->failed = hd_format(arena, "%s fails", what);
    return !p->failed;
}

static const char *string_of(hd_arena *arena, const json_t *value) {
    return json_is_string(value) ? hd_strdup(arena, json_string_value(value)) : NULL;
}

/* ---- what is advised ------------------------------------------------------------------------- */

static void add_layout(whole_program *p, const char *notation, const char *options) {
    for (uint32_t i = 0; i < p->count; i++)
        if (!strcmp(p->layouts[i].notation, notation) && i != AS_IS)
            return;
    if (p->count < WHOLE_MOST_LAYOUTS)
        p->layouts[p->count++] = (whole_layout){.notation = notation, .options = options};
}

static void add_plain(hd_arena *arena, whole_program *p, const char *notation) {
    add_layout(p, notation, hd_format(arena, "--record '%s' --layout '%s'", p->record, notation));
}

/* What stands in "heddle apply OPTIONS --out DIR -- PROGRAM". */
static const char *options_of(hd_arena *arena, const char *command) {
    static const char before[] = "heddle apply ";
    const char *start = command ? strstr(command, before) : NULL;
    if (!start)
        return NULL;
    start += sizeof before - 1;
    const char *end = strstr(start, " --out");
    return hd_format(arena, "%.*s", end ? (int)(end - start) : (int)strlen(start), start);
}

/* "{x,y}{z,m}": the fields in as many clusters of like size. */
static const char *in_clusters(hd_arena *arena, const json_t *fields, size_t clusters) {
    hd_str text = {.arena = arena};
    const size_t count = json_array_size(fields);
    for (size_t f = 0; f < count; f++)
        hd_str_printf(&text, "%s%s",
                      f == 0                                              ? "{"
                      : f * clusters / count > (f - 1) * clusters / count ? "}{"
                                                                          : ",",
                      json_string_value(json_object_get(json_array_get(fields, f), "name")));
    hd_str_add(&text, "}");
    return hd_str_text(&text);
}

static double transactions(const json_t *why, const char *when) {
    return json_number_value(json_object_get(json_object_get(why, when), "transactions"));
}

static void read_advice(hd_arena *arena, whole_program *p, const json_t *advice) {
    const json_t *device = json_array_get(json_object_get(advice, "devices"), 0);
    const json_t *record = json_object_get(advice, "record"), *ranked, *row;
    const json_t *why = json_object_get(advice, "why");
    const char *options = options_of(arena, string_of(arena, json_object_get(advice, "command")));
    p->record = string_of(arena, json_object_get(record, "name"));
    add_layout(p, "aos", NULL);
    if (json_is_true(json_object_get(device, "leave")) || !options) {
        p->before = p->after = 1;
        add_layout(p, "aos", NULL);
    } else {
        const json_t *counted = json_object_get(advice, "counted");
        const json_t *best = json_array_get(json_object_get(counted, "layouts"), 0);
        bool is_counted = json_is_true(json_object_get(best, "counted"));
        const json_t *original = json_object_get(counted, "original");
        if (json_is_object(json_object_get(best, "nvcc"))) {
            original = json_object_get(original, "nvcc");
            best = json_object_get(best, "nvcc");
        }
        p->before = is_counted ? json_number_value(json_object_get(original, "transactions"))
                               : transactions(why, "before");
        p->after = is_counted ? json_number_value(json_object_get(best, "transactions"))
                              : transactions(why, "after");
        add_layout(p,
                   string_of(arena, json_object_get(json_object_get(device, "best"), "notation")),
                   hd_format(arena, "--record '%s' %s", p->record, options));
    }
    add_plain(arena, p, "soa");
    add_plain(arena, p, "aosoa:32");
    const json_t *fields = json_object_get(record, "fields");
    for (size_t clusters = 2; clusters <= 3 && clusters <= json_array_size(fields); clusters++)
        add_plain(arena, p, in_clusters(arena, fields, clusters));
    size_t i;
    ranked = json_object_get(device, "ranked");
    json_array_foreach(ranked, i, row) {
        const char *notation =
            string_of(arena, json_object_get(json_object_get(row, "layout"), "notation"));
        if (notation && notation[0] == '{')
            add_plain(arena, p, notation);
    }
}

static void advise(hd_arena *arena, const char *nvcc, const char *folder, whole_program *p) {
    done(arena, p, "nvcc",
         hd_format(arena,
                   "'%s' -w -O3 -lineinfo -std=c++17 -arch=sm_80 -cudart shared -o %s/%s '%s'",
                   nvcc, folder, p->name, p->source));
    const char *out = hd_format(arena, "%s/%s.json", folder, p->name);
    if (!done(arena, p, "advise",
              hd_format(arena,
                        "cd %s && '%s' advise --device h200 --json %s -- ./%s >%s.json 2>%s.log",
                        folder, HEDDLE_PROGRAM,
                        p->record ? hd_format(arena, "--record '%s'", p->record) : "", p->name,
                        p->name, p->name)))
        return;
    json_t *advice = json_load_file(out, 0, NULL);
    if (advice)
        read_advice(arena, p, advice);
    else
        p->failed = "advise prints no JSON";
    json_decref(advice);
}

/* ---- rewritten, and run ------------------------------------------------------------------------ */

/* Rewrites the program to each layout; those that cannot be are left out, but not the advised one. */
static void rewrite(hd_arena *arena, const char *folder, whole_program *p) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < p->count && !p->failed; i++) {
        whole_layout *l = &p->layouts[i];
        bool made = !l->options ||
                    !system(hd_format(arena,
                                      "rm -rf %s/%s-%u && '%s' apply --no-verify %s --out %s/%s-%u "
                                      "'%s' >%s/%s-%u.log 2>&1",
                                      folder, p->name, kept, HEDDLE_PROGRAM, l->options, folder,
                                      p->name, kept, p->source, folder, p->name, kept));
        if (made)
            p->layouts[kept++] = *l;
        else if (i == ADVISED)
            p->failed = "apply refuses the advised layout";
    }
    p->count = kept;
}

/* All versions as one program, each in a namespace of its own, since nvcc spends its time on
 * headers. */
static const char *together(hd_arena *arena, const whole_program *p) {
    hd_str text = {.arena = arena};
    hd_str_printf(&text, "#include \"%s.includes\"\n", p->name);
    for (uint32_t i = 0; i < p->count; i++)
        if (p->layouts[i].options)
            hd_str_printf(&text, "namespace in_%u {\n#include \"%s-%u/%s.cu\"\n}\n", i, p->name, i,
                          hd_format(arena, "%.*s", (int)strcspn(p->name, "."), p->name));
        else
            hd_str_printf(&text, "namespace in_%u {\n#include \"%s\"\n}\n", i, p->source);
    hd_str_printf(&text,
                  "int main(int argc, char **argv) {\n    int status = 0;\n"
                  "    std::freopen(\"%s-all.txt\", \"w\", stdout);\n",
                  p->name);
    for (uint32_t i = 0; i < p->count; i++)
        hd_str_printf(&text,
                      "    std::printf(\"=== %u\\n\");\n    status |= in_%u::main(argc, argv);\n"
                      "    std::fflush(stdout);\n",
                      i, i);
    hd_str_add(&text, "    return status;\n}\n");
    return hd_str_text(&text);
}

static void add_counts(whole_program *p, const json_t *run) {
    const json_t *row;
    size_t k;
    json_array_foreach(json_object_get(run, "kernels"), k, row) {
        const char *space = strstr(json_string_value(json_object_get(row, "kernel")), "in_");
        const uint32_t i = space ? (uint32_t)strtoul(space + 3, NULL, 10) : p->count;
        if (i >= p->count)
            continue;
        p->layouts[i].requests += (uint64_t)json_integer_value(json_object_get(row, "requests"));
        p->layouts[i].transactions +=
            (uint64_t)json_integer_value(json_object_get(row, "transactions"));
    }
}

/* Every version prints what the first one prints. */
static const char check_outputs[] = "cd %s && awk '/^=== /{i = $2; next} {a[i] = a[i] $0 \"\\n\"} "
                                    "END {for (k in a) if (a[k] != a[0]) exit 1}' %s-all.txt";

static void run(hd_arena *arena, const char *nvcc, const char *folder, whole_program *p) {
    const char *text = together(arena, p);
    const hd_output source = {hd_format(arena, "%s/%s-all.cu", folder, p->name), text,
                              strlen(text)};
    if (hd_write_files(NULL, &source, 1))
        p->failed = "its text cannot be written";
    done(arena, p, "headers",
         hd_format(arena,
                   "cd %s && (echo '#include <cstdio>'; cat '%s' %s-[0-9]*/*.cu %s-[0-9]*/*.h "
                   "2>/dev/null | sed -n '/^ *#include *</p' | sort -u) >%s.includes",
                   folder, p->source, p->name, p->name, p->name));
    done(arena, p, "nvcc on all layouts",
         hd_format(arena,
                   "cd %s && '%s' -w -O3 -lineinfo -std=c++17 -arch=sm_80 -cudart shared -o %s-all "
                   "%s-all.cu >%s-all.log 2>&1",
                   folder, nvcc, p->name, p->name, p->name));
    if (!done(arena, p, "heddle run",
              hd_format(arena,
                        "cd %s && '%s' run --all --device h200 --json -- ./%s-all >%s-all.json "
                        "2>%s-all.out",
                        folder, HEDDLE_PROGRAM, p->name, p->name, p->name)))
        return;
    json_t *counted = json_load_file(hd_format(arena, "%s/%s-all.json", folder, p->name), 0, NULL);
    add_counts(p, counted);
    json_decref(counted);
    done(arena, p, "the comparison of what the versions print",
         hd_format(arena, check_outputs, folder, p->name));
}

void whole_measure(hd_arena *arena, const char *nvcc, const char *folder, whole_program *p) {
    advise(arena, nvcc, folder, p);
    rewrite(arena, folder, p);
    run(arena, nvcc, folder, p);
}
