/*
 * The one-line form of a device, for tests, experiments and error reports:
 *
 *     warp:32 l1:48k/128 l2:768k/32 w:1,30,100 blocks:8 threads:1536 regs:32768
 *
 * One word for each figure, in any order; sizes may end in k, m or g. The table
 * below is also what the YAML profiles are read by, so both forms know the same
 * words and the same numbers. Printing writes every figure, so that the line
 * alone says what a result was computed for.
 *
 * The idea is hwloc's: hardware is data with a one-line synthetic form, and so
 * every test runs on every machine.
 */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>

#include "device/internal.h"

static const char *const coalescing_words[] = {"warp", "half-warp", NULL};
#define ENERGY_LIKE "50,160,70,46.8,123.84,244.4,80,35"
#define BOARD_LIKE "90,16000,1500,1500,256"
const hd_device_board hd_usual_board = {90, 16000, 1500, 1500, 256};
enum {
    ENERGY_PARTS = sizeof(hd_device_energy) / sizeof(double),
    BOARD_PARTS = sizeof(hd_device_board) / sizeof(uint32_t)
};

static const char *const l1_write_words[] = {"through", "evict", NULL};

const char *hd_coalescing_name(uint32_t coalescing) { return coalescing_words[coalescing]; }
bool hd_device_has_energy(const hd_device *device) {
    static const hd_device_energy none;
    return memcmp(&device->energy, &none, sizeof none) != 0;
}

#define FIGURE(key, kind, member, ...)                                    \
    {key, DEVICE_FIGURE_##kind, offsetof(hd_device, member), __VA_ARGS__}
const device_figure device_figures[DEVICE_FIGURES] = {
    FIGURE("warp", NUMBER, warp, NULL),
    FIGURE("l1", CACHE, l1, NULL),
    FIGURE("l2", CACHE, l2, NULL),
    FIGURE("w", WEIGHTS, w_l1, NULL), /* and w_l2 and w_dram behind it */
    FIGURE("blocks", NUMBER, max_blocks, NULL),
    FIGURE("threads", NUMBER, max_threads, NULL),
    FIGURE("regs", NUMBER, registers, NULL),
    FIGURE("segment", NUMBER, segment, "128"),
    FIGURE("maxregs", NUMBER, max_registers, "255"),
    FIGURE("sms", NUMBER, sms, "0"),
    FIGURE("coalescing", WORD, coalescing, "warp", true, .words = coalescing_words),
    FIGURE("l1tags", TAGS, l1.tag, "0", true, true),
    FIGURE("l2tags", TAGS, l2.tag, "0", true, true),
    FIGURE("l1write", WORD, l1_write, "through", true, true, l1_write_words),
    FIGURE("banks", NUMBER, banks, "32", true, true),
    FIGURE("bank", NUMBER, bank, "4", true, true),
    FIGURE("shared", NUMBER, shared, "0", true, true),
    FIGURE("energy", ENERGY, energy, "none", true, true),
    FIGURE("board", BOARD, board, BOARD_LIKE, true, true), /* what programs of today expect */
};
#undef FIGURE

/* ---- figures from text ---------------------------------------------------- */

/* Digits and perhaps one of k, m, g. False for anything else, or beyond `limit`. */
static bool parse_whole(const char *text, uint64_t limit, uint64_t *value) {
    *value = 0;
    if (!isdigit((unsigned char)*text))
        return false;
    for (; isdigit((unsigned char)*text); text++)
        if (__builtin_mul_overflow(*value, 10, value) ||
            __builtin_add_overflow(*value, (uint64_t)(*text - '0'), value))
            return false;
    const char *suffixes = "kmg";
    const char *suffix = *text ? strchr(suffixes, tolower((unsigned char)*text)) : NULL;
    if (suffix) {
        text++;
        if (__builtin_mul_overflow(*value, (uint64_t)1 << (10 * (suffix - suffixes + 1)), value))
            return false;
    }
    return !*text && *value <= limit;
}

static const char *set_number(hd_arena *arena, uint32_t *number, const char *key,
                              const char *text) {
    uint64_t value;
    if (!parse_whole(text, UINT32_MAX, &value))
        return hd_format(arena, "'%s' must be a whole number below 2^32, not '%.40s'", key, text);
    *number = (uint32_t)value;
    return NULL;
}

/* A line and its ways, two numbers side by side in hd_cache. */
static const char *set_tags(hd_arena *arena, uint32_t *tags, const char *key,
                            const char *const *parts, size_t count) {
    const char *fault = set_number(arena, &tags[0], hd_format(arena, "line of %s", key), parts[0]);
    tags[1] = 0;
    if (!fault && count > 1)
        fault = set_number(arena, &tags[1], hd_format(arena, "ways of %s", key), parts[1]);
    return fault;
}

static const char *set_word(hd_arena *arena, uint32_t *word, const device_figure *figure,
                            const char *text) {
    hd_str known = {.arena = arena};
    for (uint32_t i = 0; figure->words[i]; i++) {
        hd_str_printf(&known, "%s%s", i ? " or " : "", figure->words[i]);
        if (!strcmp(text, figure->words[i])) {
            *word = i;
            return NULL;
        }
    }
    return hd_format(arena, "'%s' must be %s, not '%.40s'", figure->key, hd_str_text(&known), text);
}

/* Numbers side by side in hd_device; `what` they are, `like` an example. */
static const char *set_reals(hd_arena *arena, double *reals, const char *what, const char *like,
                             const char *const *parts, size_t count) {
    for (size_t i = 0; i < count; i++) {
        char *end;
        reals[i] = strtod(parts[i], &end);
        if ((!isdigit((unsigned char)*parts[i]) && *parts[i] != '.') || end == parts[i] || *end ||
            !isfinite(reals[i]))
            return hd_format(arena, "%s must be numbers, like %s, not '%.40s'", what, like,
                             parts[i]);
    }
    return NULL;
}

/* All figures of energy, or none. */
static const char *set_energy(hd_arena *arena, hd_device_energy *energy, const char *const *parts,
                              size_t count) {
    *energy = (hd_device_energy){0};
    if (count == 1 && !strcmp(parts[0], "none"))
        return NULL;
    if (count != ENERGY_PARTS)
        return hd_format(arena, "'energy' must look like %s", ENERGY_LIKE);
    return set_reals(arena, &energy->fp32, "the figures of 'energy'", ENERGY_LIKE, parts, count);
}

static const char *set_board(hd_arena *arena, uint32_t *numbers, const char *const *parts,
                             size_t count) {
    if (count == 1 && !strcmp(parts[0], BOARD_LIKE)) { /* the fallback, in one piece */
        memcpy(numbers, &hd_usual_board, sizeof hd_usual_board);
        return NULL;
    }
    if (count != BOARD_PARTS)
        return hd_format(arena, "'board' must look like %s", BOARD_LIKE);
    const char *fault = NULL;
    for (size_t i = 0; i < count && !fault; i++)
        fault = set_number(arena, &numbers[i], "board", parts[i]);
    return fault;
}

const char *device_figure_set(hd_arena *arena, hd_device *device, const device_figure *figure,
                              const char *const *parts, size_t count) {
    static const size_t fewest[] = {1, 1, 3, 1, 1, 1, 1},
                        most[] = {1, 2, 3, 1, 2, ENERGY_PARTS, BOARD_PARTS};
    static const char *const like[] = {"32",     "48k/128",   "1,30,100", NULL,
                                       "128/16", ENERGY_LIKE, BOARD_LIKE};
    if (count < fewest[figure->kind] || count > most[figure->kind])
        return hd_format(arena, "'%s' must look like %s", figure->key,
                         figure->words ? figure->words[1] : like[figure->kind]);
    void *member = (char *)device + figure->offset;
    switch (figure->kind) {
    case DEVICE_FIGURE_NUMBER: return set_number(arena, member, figure->key, parts[0]);
    case DEVICE_FIGURE_CACHE: {
        hd_cache *cache = member;
        cache->line = 0;
        if (!parse_whole(parts[0], INT64_MAX, &cache->size))
            return hd_format(
                arena, "the size of '%s' must be in bytes, like 49152, 48k or 2m, not '%.40s'",
                figure->key, parts[0]);
        const char *line = hd_format(arena, "line of %s", figure->key);
        return count == 1 ? NULL : set_number(arena, &cache->line, line, parts[1]);
    }
    case DEVICE_FIGURE_WORD: return set_word(arena, member, figure, parts[0]);
    case DEVICE_FIGURE_TAGS: return set_tags(arena, member, figure->key, parts, count);
    case DEVICE_FIGURE_ENERGY: return set_energy(arena, member, parts, count);
    case DEVICE_FIGURE_BOARD: return set_board(arena, member, parts, count);
    case DEVICE_FIGURE_WEIGHTS: break;
    }
    return set_reals(arena, member, "the weights 'w'", like[figure->kind], parts, count);
}

/* ---- parsing -------------------------------------------------------------- */

typedef struct parser {
    hd_arena *arena;
    const hd_diag *diag;
    const char *text;
    hd_device *device;
    unsigned columns[DEVICE_FIGURES]; /* where each figure stands; 0: not given */
} parser;

static hd_status fail_at(const parser *p, unsigned column, const char *message) {
    hd_place place = {.file = "<device>", .line = 1, .column = column, .text = p->text};
    return hd_fail(p->diag, HD_EINPUT, &place, "%s", message);
}

static int find_figure(const char *key, size_t length) {
    for (int i = 0; i < DEVICE_FIGURES; i++)
        if (strlen(device_figures[i].key) == length && !memcmp(device_figures[i].key, key, length))
            return i;
    return -1;
}

/* One word, "key:value". */
static hd_status parse_word(parser *p, const char *word, size_t length) {
    unsigned column = (unsigned)(word - p->text) + 1;
    const char *colon = memchr(word, ':', length);
    int index = find_figure(word, colon ? (size_t)(colon - word) : length);
    hd_str known = {.arena = p->arena};
    for (int i = 0; i < DEVICE_FIGURES; i++)
        hd_str_printf(&known, "%s%s", i ? ", " : "", device_figures[i].key);
    if (index < 0 || !colon)
        return fail_at(p, column,
                       hd_format(p->arena,
                                 "'%.*s' is no figure of a device; write key:value with %s",
                                 length > 40 ? 40 : (int)length, word, hd_str_text(&known)));
    const device_figure *figure = &device_figures[index];
    if (p->columns[index])
        return fail_at(p, column,
                       hd_format(p->arena, "'%s' is given twice; keep one", figure->key));
    p->columns[index] = column;
    char *value = hd_strndup(p->arena, colon + 1, (size_t)(word + length - colon - 1));
    bool has_slashes = figure->kind == DEVICE_FIGURE_CACHE || figure->kind == DEVICE_FIGURE_TAGS;
    /* "1,30,100" or "48k/128"; one too many are counted when there are. */
    const char *parts[DEVICE_MAX_PARTS + 1];
    size_t count = 0;
    while (value && count <= DEVICE_MAX_PARTS)
        parts[count++] = strsep(&value, has_slashes ? "/" : ",");
    const char *wrong = device_figure_set(p->arena, p->device, figure, parts, count);
    return wrong ? fail_at(p, (unsigned)(colon + 1 - p->text) + 1, wrong) : HD_OK;
}

hd_status hd_device_parse_synthetic(hd_arena *arena, const hd_diag *diag, const char *text,
                                    const hd_device **device) {
    text = hd_strdup(arena, text);
    parser p = {.arena = arena, .diag = diag, .text = text, .device = hd_new(arena, hd_device)};
    hd_status status = HD_OK;
    const char *blanks = " \t\r\n";
    for (const char *at = text + strspn(text, blanks); *at && status == HD_OK;) {
        size_t length = strcspn(at, blanks);
        status = parse_word(&p, at, length);
        at += length;
        at += strspn(at, blanks);
    }
    for (int i = 0; i < DEVICE_FIGURES && status == HD_OK; i++) {
        const device_figure *figure = &device_figures[i];
        if (!p.columns[i] && !figure->fallback)
            status = fail_at(
                &p, (unsigned)strlen(text) + 1,
                hd_format(arena, "the device lacks '%s'; add %s:…", figure->key, figure->key));
        else if (!p.columns[i])
            device_figure_set(arena, p.device, figure, &figure->fallback, 1);
    }
    if (status != HD_OK)
        return status;
    const char *key, *fault = device_fault(p.device, &key);
    if (fault) {
        unsigned column = p.columns[find_figure(key, strlen(key))];
        return fail_at(&p, column ? column : 1, fault);
    }
    p.device->name = "synthetic";
    p.device->title = hd_device_print(arena, p.device);
    *device = p.device;
    return HD_OK;
}

/* ---- printing ------------------------------------------------------------- */

static void print_size(hd_str *s, uint64_t size) {
    const char *suffix = "";
    const char *suffixes[] = {"k", "m", "g"};
    for (int i = 0; i < 3 && size && size % 1024 == 0; i++) {
        size /= 1024;
        suffix = suffixes[i];
    }
    hd_str_printf(s, "%llu%s", (unsigned long long)size, suffix);
}

/* With as many digits as it takes to read the same number back. */
static const char *real_text(hd_arena *arena, double real) {
    for (int digits = 6; digits < 17; digits++) {
        const char *text = hd_format(arena, "%.*g", digits, real);
        if (strtod(text, NULL) == real)
            return text;
    }
    return hd_format(arena, "%.17g", real);
}

static void print_reals(hd_str *s, const double *reals, size_t count) {
    for (size_t i = 0; i < count; i++)
        hd_str_printf(s, "%s%s", i ? "," : "", real_text(s->arena, reals[i]));
}

void device_figure_print(hd_str *s, const hd_device *device, const device_figure *figure) {
    const void *member = (const char *)device + figure->offset;
    const hd_cache *cache = member;
    const uint32_t *number = member;
    switch (figure->kind) {
    case DEVICE_FIGURE_NUMBER: hd_str_printf(s, "%u", *number); break;
    case DEVICE_FIGURE_CACHE:
        print_size(s, cache->size);
        if (cache->line)
            hd_str_printf(s, "/%u", cache->line);
        break;
    case DEVICE_FIGURE_WEIGHTS: print_reals(s, member, 3); break;
    case DEVICE_FIGURE_ENERGY:
        if (hd_device_has_energy(device))
            print_reals(s, member, ENERGY_PARTS);
        else
            hd_str_add(s, figure->fallback);
        break;
    case DEVICE_FIGURE_BOARD:
        for (size_t i = 0; i < BOARD_PARTS; i++)
            hd_str_printf(s, "%s%u", i ? "," : "", number[i]);
        break;
    case DEVICE_FIGURE_WORD: hd_str_add(s, figure->words[*number]); break;
    case DEVICE_FIGURE_TAGS:
        hd_str_printf(s, number[1] ? "%u/%u" : "%u", number[0], number[1]);
        break;
    }
}

const char *hd_device_print(hd_arena *arena, const hd_device *device) {
    hd_str s = {.arena = arena};
    for (int i = 0; i < DEVICE_FIGURES; i++) {
        const device_figure *figure = &device_figures[i];
        hd_str value = {.arena = arena};
        if (figure->kind == DEVICE_FIGURE_BOARD) /* no result comes from it */
            continue;
        device_figure_print(&value, device, figure);
        if (!figure->quiet || strcmp(hd_str_text(&value), figure->fallback))
            hd_str_printf(&s, "%s%s:%s", i ? " " : "", figure->key, hd_str_text(&value));
    }
    return hd_str_text(&s);
}
