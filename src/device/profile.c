/*
 * Device profiles in YAML: one file for each device, every figure with its
 * source, because a figure that nobody can check is worth little.
 *
 *     title: NVIDIA Tesla M2050
 *     warp: {value: 32, source: "CUDA C Programming Guide"}
 *     l1:   {size: 64k, line: 128, source: "Peng et al., table II"}
 *     w:    {l1: 1, l2: 30, dram: 100, source: "Peng et al., section IV-C"}
 *
 * base/yaml.c checks the structure by the tables below; the values, which are text, are then
 * read by the table that the synthetic form uses.
 */
#include "base/yaml.h"
#include "device/internal.h"

/* ---- the keys -------------------------------------------------------------- */

static hd_yaml_key text_key(const char *name) {
    return (hd_yaml_key){.name = name, .needed = true};
}

/* The parts of a figure, then its source. */
static const hd_yaml_key *keys_of_parts(hd_arena *arena, const device_kind *kind) {
    hd_yaml_key *keys = hd_new_array(arena, hd_yaml_key, kind->count + 2);
    for (size_t p = 0; p < kind->count; p++)
        keys[p] = text_key(kind->names[p]);
    keys[kind->count] = text_key("source");
    return keys;
}

/* The title, then the figures. */
static const hd_yaml_key *keys_of_profile(hd_arena *arena) {
    hd_yaml_key *keys = hd_new_array(arena, hd_yaml_key, DEVICE_FIGURES + 2);
    keys[0] = text_key("title");
    for (int i = 0; i < DEVICE_FIGURES; i++) {
        const device_figure *figure = &device_figures[i];
        keys[i + 1] = (hd_yaml_key){.name = figure->key,
                                    .kind = HD_YAML_MAP,
                                    .needed = !figure->optional,
                                    .keys = keys_of_parts(arena, figure->kind)};
        if (!figure->optional)
            keys[i + 1].example = hd_format(arena, "%s: {%s, source: \"data sheet\"}", figure->key,
                                            figure->kind->in_yaml);
    }
    return keys;
}

/* ---- reading --------------------------------------------------------------- */

typedef struct source {
    hd_arena *arena;
    const hd_diag *diag;
    const hd_yaml_file *file;
} source;

/* A complaint about what stands under a key of the profile. */
static hd_status fail_at_key(const source *s, const char *key, const char *message) {
    const hd_yaml *root = &s->file->root;
    hd_place place = hd_yaml_place(s->file, root);
    for (uint32_t i = 0; i < root->count; i++)
        if (!strcmp(root->items[2 * i].text, key))
            place = hd_yaml_place(s->file, &root->items[2 * i]);
    return hd_fail(s->diag, HD_EINPUT, &place, "%s", message);
}

/* Neither the title nor a part nor a source may be empty. */
static hd_status refuse_empty(const source *s, const hd_yaml *map) {
    hd_status status = HD_OK;
    for (uint32_t i = 0; i < map->count && status == HD_OK; i++) {
        const hd_yaml *key = &map->items[2 * i], *value = key + 1;
        hd_place place = hd_yaml_place(s->file, value);
        if (value->kind == HD_YAML_MAP)
            status = refuse_empty(s, value);
        else if (!*value->text)
            status = hd_fail(s->diag, HD_EINPUT, &place, "'%s' is empty; fill it in", key->text);
    }
    return status;
}

static hd_status set_figures(const source *s, hd_device *device) {
    for (int i = 0; i < DEVICE_FIGURES; i++) {
        const device_figure *figure = &device_figures[i];
        const hd_yaml *map = hd_yaml_get(&s->file->root, figure->key);
        const char *parts[DEVICE_MAX_PARTS], *wrong = NULL;
        for (size_t p = 0; map && p < figure->kind->count; p++)
            parts[p] = hd_yaml_text(map, figure->kind->names[p]);
        if (map)
            wrong = device_figure_set(s->arena, device, figure, parts, figure->kind->count);
        else
            wrong = device_figure_read(s->arena, device, figure, figure->fallback);
        if (wrong)
            return fail_at_key(s, figure->key, wrong);
    }
    const char *key, *fault = device_fault(device, &key);
    return fault ? fail_at_key(s, key, fault) : HD_OK;
}

hd_status hd_device_read(hd_arena *arena, const hd_diag *diag, const char *path,
                         const hd_device **device) {
    const hd_yaml_form form = {"a profile", "title: My device", keys_of_profile(arena)};
    hd_yaml_file *file;
    hd_status status = hd_yaml_read(arena, diag, path, &form, &file);
    if (status != HD_OK)
        return status;
    const source s = {arena, diag, file};
    hd_device *read = hd_new(arena, hd_device);
    const char *name = hd_path_name(path), *dot = strrchr(name, '.');
    *read = (hd_device){.name = hd_strndup(arena, name, dot ? (size_t)(dot - name) : strlen(name)),
                        .title = hd_yaml_text(&file->root, "title"),
                        .source_file = file->path};
    status = refuse_empty(&s, &file->root);
    if (status == HD_OK)
        status = set_figures(&s, read);
    if (status == HD_OK)
        *device = read;
    return status;
}

/* ---- writing --------------------------------------------------------------- */

enum { COLUMNS = 100 };

/* No letter that YAML does not know. */
static char plain(char letter) {
    return (unsigned char)letter < ' ' || letter == '\x7f' ? '?' : letter;
}

/* A text between double quotes, whose lines YAML joins by blanks, so that words go on in a new
 * line where this one, which has `column` letters already, is full. */
static void add_quoted(hd_str *s, const char *text, size_t column) {
    hd_str_add(s, "\"");
    for (const char *p = text; *p;) {
        size_t length = strcspn(p, " ");
        if (p > text && column + length + 3 > COLUMNS) {
            hd_str_add(s, "\n    ");
            column = 4;
        } else if (p > text) {
            hd_str_add(s, " ");
        }
        for (size_t i = 0; i < length; i++)
            hd_str_printf(s, "%s%c", p[i] == '"' || p[i] == '\\' ? "\\" : "", plain(p[i]));
        column += length + 1;
        p += length;
        p += strspn(p, " ");
    }
    hd_str_add(s, "\"");
}

static void add_figure(hd_str *s, const hd_device *device, const device_figure *figure,
                       const char *from) {
    hd_str value = {.arena = s->arena}, line = {.arena = s->arena};
    device_figure_print(&value, device, figure);
    char *rest = hd_strdup(s->arena, hd_str_text(&value));
    hd_str_printf(&line, "%s: {", figure->key);
    for (size_t p = 0; p < figure->kind->count; p++) {
        const char *quote = figure->kind->type == PART_TILES ? "\"" : ""; /* it has commas */
        const char *part =
            rest ? strsep(&rest, figure->kind->separator) : "0"; /* the line of a cache of size 0 */
        hd_str_printf(&line, "%s: %s%s%s, ", figure->kind->names[p], quote, part, quote);
    }
    if (line.length + strlen(from) + strlen("source: \"\"}") <= COLUMNS)
        hd_str_printf(s, "%ssource: ", hd_str_text(&line));
    else
        hd_str_printf(s, "%.*s\n  source: ", (int)line.length - 1, hd_str_text(&line));
    bool is_new = s->data[s->length - strlen("  source: ") - 1] == '\n';
    add_quoted(s, from, is_new ? strlen("  source: ") : line.length + strlen("source: "));
    hd_str_add(s, "}\n");
}

const char *hd_device_profile(hd_arena *arena, const hd_device *device, const char *about,
                              const hd_figure_source *sources, size_t count) {
    hd_str s = {.arena = arena};
    for (const char *line = about; *line;) {
        size_t length = strcspn(line, "\n");
        hd_str_add(&s, "# ");
        for (size_t i = 0; i < length; i++)
            hd_str_printf(&s, "%c", plain(line[i]));
        hd_str_add(&s, "\n");
        line += length + (line[length] == '\n');
    }
    hd_str_add(&s, "title: ");
    add_quoted(&s, device->title, strlen("title: "));
    hd_str_add(&s, "\n");
    for (int i = 0; i < DEVICE_FIGURES; i++)
        for (size_t k = 0; k < count; k++)
            if (!strcmp(sources[k].key, device_figures[i].key))
                add_figure(&s, device, &device_figures[i], sources[k].text);
    return hd_str_text(&s);
}
