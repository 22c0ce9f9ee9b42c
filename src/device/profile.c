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

#define TEXT(key) {.name = key, .needed = true}
#define FIGURE(key, its_keys, parts)                         \
    {.name = key,                                            \
     .kind = HD_YAML_MAP,                                    \
     .needed = true,                                         \
     .keys = its_keys,                                       \
     .example = key ": {" parts ", source: \"data sheet\"}"}
#define NUMBER(key) FIGURE(key, number_keys, "value: 32")
#define CACHE(key) FIGURE(key, cache_keys, "size: 64k, line: 128")
#define OPTIONAL(key, its_keys) {.name = key, .kind = HD_YAML_MAP, .keys = its_keys}

/* The parts of a figure in device_figure_set()'s order, then its source. */
static const hd_yaml_key number_keys[] = {TEXT("value"), TEXT("source"), {0}};
static const hd_yaml_key cache_keys[] = {TEXT("size"), TEXT("line"), TEXT("source"), {0}};
static const hd_yaml_key tags_keys[] = {TEXT("line"), TEXT("ways"), TEXT("source"), {0}};
static const hd_yaml_key weights_keys[] = {
    TEXT("l1"), TEXT("l2"), TEXT("dram"), TEXT("source"), {0}};

static const hd_yaml_key profile_keys[] = {TEXT("title"),
                                           NUMBER("warp"),
                                           CACHE("l1"),
                                           CACHE("l2"),
                                           FIGURE("w", weights_keys, "l1: 1, l2: 30, dram: 100"),
                                           NUMBER("blocks"),
                                           NUMBER("threads"),
                                           NUMBER("regs"),
                                           NUMBER("segment"),
                                           NUMBER("maxregs"),
                                           NUMBER("sms"),
                                           OPTIONAL("coalescing", number_keys),
                                           OPTIONAL("l1tags", tags_keys),
                                           OPTIONAL("l2tags", tags_keys),
                                           OPTIONAL("l1write", number_keys),
                                           OPTIONAL("banks", number_keys),
                                           OPTIONAL("bank", number_keys),
                                           {0}};

static const hd_yaml_form profile_form = {"a profile", "title: My device", profile_keys};

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
    static const hd_yaml_key *const keys[] = {number_keys, cache_keys, weights_keys, number_keys,
                                              tags_keys};
    static const size_t part_counts[] = {1, 2, 3, 1, 2};
    for (int i = 0; i < DEVICE_FIGURES; i++) {
        const device_figure *figure = &device_figures[i];
        const hd_yaml *map = hd_yaml_get(&s->file->root, figure->key);
        const char *parts[DEVICE_MAX_PARTS] = {figure->fallback}; /* of one that is left out */
        for (size_t p = 0; map && p < part_counts[figure->kind]; p++)
            parts[p] = hd_yaml_text(map, keys[figure->kind][p].name);
        const char *wrong =
            device_figure_set(s->arena, device, figure, parts, map ? part_counts[figure->kind] : 1);
        if (wrong)
            return fail_at_key(s, figure->key, wrong);
    }
    const char *key, *fault = device_fault(device, &key);
    return fault ? fail_at_key(s, key, fault) : HD_OK;
}

hd_status hd_device_read(hd_arena *arena, const hd_diag *diag, const char *path,
                         const hd_device **device) {
    hd_yaml_file *file;
    hd_status status = hd_yaml_read(arena, diag, path, &profile_form, &file);
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
