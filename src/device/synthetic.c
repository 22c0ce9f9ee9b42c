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
static const char *const l1_write_words[] = {"through", "evict", NULL};
static const char *const compiler_words[] = {"unknown", "nvptx64", "amdgcn", "cpu", NULL};
const hd_device_board hd_usual_board = {90, 16000, 1500, 1500, 256};

const char *hd_coalescing_name(uint32_t coalescing) { return coalescing_words[coalescing]; }
bool hd_device_has_energy(const hd_device *device) {
    static const hd_device_energy none;
    return memcmp(&device->energy, &none, sizeof none) != 0;
}

bool hd_device_has_speed(const hd_device *device) {
    const hd_device_speed *s = &device->speed;
    return s->clock > 0 && s->dram > 0 && s->l2 > 0 && s->issue > 0 && s->dram_latency > 0;
}

#define ENERGY_LIKE "50,160,70,46.8,123.84,244.4,80,35"
#define TILES_LIKE "AoS-8,SoA-12,512-96,SoA"
#define BOARD_LIKE "90,16000,1500,1500,256" /* hd_usual_board */
static const device_kind
    numbers = {PART_NUMBER, ",", 1, 1, {"value"}, "32", "value: 32", NULL},
    words = {PART_WORD, ",", 1, 1, {"value"}, NULL, NULL, NULL},
    caches = {PART_SIZE, "/", 1, 2, {"size", "line"}, "48k/128", "size: 64k, line: 128", NULL},
    tags = {PART_NUMBER, "/", 1, 2, {"line", "ways"}, "128/16", NULL, NULL},
    weights =
        {PART_REAL,    ",", 3, 3, {"l1", "l2", "dram"}, "1,30,100", "l1: 1, l2: 30, dram: 100",
         "the weights"},
    energies = {PART_REAL,
                ",",
                8,
                8,
                {"fp32", "fp64", "integer", "l1", "l2", "dram", "link", "idle"},
                ENERGY_LIKE,
                NULL,
                "the figures of"},
    clocks = {PART_REAL, ",", 1, 1, {"value"}, "706", NULL, "the figure of"},
    bandwidths = {PART_REAL,       ",", 3, 3, {"dram", "l2", "link"}, "208,512,6", NULL,
                  "the figures of"},
    rates = {PART_REAL,
             ",",
             6,
             6,
             {"fp32", "fp64", "integer", "special", "l1", "issue"},
             "192,64,160,32,128,4",
             NULL,
             "the figures of"},
    latencies = {PART_REAL, ",", 3, 3, {"l1", "l2", "dram"}, "35,200,440", NULL, "the figures of"},
    steps = {PART_TILES, "/", 1, 1, {"value"}, TILES_LIKE, NULL, NULL},
    boards = {PART_NUMBER, ",",  5,   5, {"capability", "memory", "clock", "memclock", "bus"},
              BOARD_LIKE,  NULL, NULL};

#define FIGURE(key, kind, member, ...) {key, &kind, offsetof(hd_device, member), __VA_ARGS__}
const device_figure device_figures[DEVICE_FIGURES] = {
    FIGURE("warp", numbers, warp, NULL),
    FIGURE("l1", caches, l1, NULL),
    FIGURE("l2", caches, l2, NULL),
    FIGURE("w", weights, w_l1, NULL), /* and w_l2 and w_dram behind it */
    FIGURE("blocks", numbers, max_blocks, NULL),
    FIGURE("threads", numbers, max_threads, NULL),
    FIGURE("regs", numbers, registers, NULL),
    FIGURE("segment", numbers, segment, "128"),
    FIGURE("maxregs", numbers, max_registers, "255"),
    FIGURE("sms", numbers, sms, "0"),
    FIGURE("coalescing", words, coalescing, "warp", true, .words = coalescing_words),
    FIGURE("l1tags", tags, l1.tag, "0", true, true),
    FIGURE("l2tags", tags, l2.tag, "0", true, true),
    FIGURE("l1write", words, l1_write, "through", true, true, l1_write_words),
    FIGURE("banks", numbers, banks, "32", true, true),
    FIGURE("bank", numbers, bank, "4", true, true),
    FIGURE("shared", numbers, shared, "0", true, true),
    FIGURE("compiler", words, compiler, "unknown", true, true, compiler_words),
    FIGURE("clock", clocks, speed.clock, "0", true, true),
    FIGURE("bandwidth", bandwidths, speed.dram, "0,0,0", true, true),
    FIGURE("rates", rates, speed.fp32, "0,0,0,0,0,0", true, true),
    FIGURE("latency", latencies, speed.l1_latency, "0,0,0", true, true),
    FIGURE("epsilon", numbers, epsilon, "0", true, true),
    FIGURE("tiles", steps, tiles, "none", true, true),
    FIGURE("energy", energies, energy, "none", true, true),
    FIGURE("board", boards, board, BOARD_LIKE, true, true), /* what programs of today expect */
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

static const char *set_word(hd_arena *arena, uint32_t *number, const device_figure *figure,
                            const char *text) {
    hd_str known = {.arena = arena};
    for (uint32_t i = 0; figure->words[i]; i++) {
        hd_str_printf(&known, "%s%s", i ? " or " : "", figure->words[i]);
        if (!strcmp(text, figure->words[i])) {
            *number = i;
            return NULL;
        }
    }
    return hd_format(arena, "'%s' must be %s, not '%.40s'", figure->key, hd_str_text(&known), text);
}

static const char *set_tiles(hd_arena *arena, const hd_tile_steps **tiles,
                             const device_figure *figure, const char *text) {
    const hd_diag silent = {0};
    hd_tile_steps *read;
    if (hd_tile_steps_parse(arena, &silent, text, &read) != HD_OK)
        return hd_format(arena,
                         "'%s' must be tiles with the bytes that each goes to, like 512 to 20, SoA "
                         "or 512-20,SoA, not '%.40s'",
                         figure->key, text);
    *tiles = read;
    return NULL;
}

/* Sets a part of this type. */
static const char *set_part(hd_arena *arena, void *member, device_part type,
                            const device_figure *figure, const char *name, const char *text) {
    bool is_named = *figure->kind->separator == '/';
    uint64_t value;
    double real;
    char *end;
    switch (type) {
    case PART_NUMBER:
        if (!parse_whole(text, UINT32_MAX, &value))
            return hd_format(arena, "'%s%s%s' must be a whole number below 2^32, not '%.40s'",
                             is_named ? name : "", is_named ? " of " : "", figure->key, text);
        *(uint32_t *)member = (uint32_t)value;
        return NULL;
    case PART_SIZE:
        if (!parse_whole(text, INT64_MAX, member))
            return hd_format(
                arena, "the size of '%s' must be in bytes, like 49152, 48k or 2m, not '%.40s'",
                figure->key, text);
        return NULL;
    case PART_REAL:
        *(double *)member = real = strtod(text, &end);
        if ((!isdigit((unsigned char)*text) && *text != '.') || end == text || *end ||
            !isfinite(real))
            return hd_format(arena, "%s '%s' must be numbers, like %s, not '%.40s'",
                             figure->kind->called, figure->key, figure->kind->like, text);
        return NULL;
    case PART_TILES: return set_tiles(arena, member, figure, text);
    case PART_WORD: break;
    }
    return set_word(arena, member, figure, text);
}

/* The type of part `p`; its place, at *offset before, is behind that after. */
static device_part next_part(const device_kind *kind, size_t p, size_t *offset) {
    static const size_t bytes[] = {sizeof(uint32_t), sizeof(uint64_t), sizeof(double),
                                   sizeof(uint32_t), sizeof(void *)};
    device_part type = p && kind->type == PART_SIZE ? PART_NUMBER : kind->type;
    *offset += bytes[type];
    return type;
}

const char *device_figure_set(hd_arena *arena, hd_device *device, const device_figure *figure,
                              const char *const *parts, size_t count) {
    const device_kind *kind = figure->kind;
    const char *fault = NULL;
    size_t offset = figure->offset;
    bool may_lack = kind == &energies || kind == &steps;
    if (count == 1 && may_lack && !strcmp(parts[0], figure->fallback))
        count = 0;
    else if (count < kind->fewest || count > kind->count)
        return hd_format(arena, "'%s' must look like %s", figure->key,
                         figure->words ? figure->words[1] : kind->like);
    for (size_t p = 0; p < kind->count && !fault; p++) {
        char *member = (char *)device + offset;
        device_part type = next_part(kind, p, &offset);
        if (p < count)
            fault = set_part(arena, member, type, figure, kind->names[p], parts[p]);
        else
            memset(member, 0, (size_t)((char *)device + offset - member));
    }
    return fault;
}

const char *device_figure_read(hd_arena *arena, hd_device *device, const device_figure *figure,
                               const char *text) {
    char *rest = hd_strdup(arena, text);
    const char *parts[DEVICE_MAX_PARTS + 1]; /* one too many are counted when there are */
    size_t count = 0;
    while (rest && count <= DEVICE_MAX_PARTS)
        parts[count++] = strsep(&rest, figure->kind->separator);
    return device_figure_set(arena, device, figure, parts, count);
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
    const char *value = hd_strndup(p->arena, colon + 1, (size_t)(word + length - colon - 1));
    const char *wrong = device_figure_read(p->arena, p->device, figure, value);
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
            device_figure_read(arena, p.device, figure, figure->fallback);
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

void device_figure_print(hd_str *s, const hd_device *device, const device_figure *figure) {
    const device_kind *kind = figure->kind;
    size_t offset = figure->offset;
    if ((kind == &energies && !hd_device_has_energy(device)) ||
        (kind == &steps && !device->tiles)) {
        hd_str_add(s, figure->fallback);
        return;
    }
    for (size_t p = 0; p < kind->count; p++) {
        const void *member = (const char *)device + offset;
        const uint32_t *whole = member;
        device_part type = next_part(kind, p, &offset);
        if (p >= kind->fewest && !*whole) /* a line or ways that there are none of */
            return;
        hd_str_add(s, p ? kind->separator : "");
        switch (type) {
        case PART_NUMBER: hd_str_printf(s, "%u", *whole); break;
        case PART_SIZE: print_size(s, *(const uint64_t *)member); break;
        case PART_REAL: hd_str_add(s, real_text(s->arena, *(const double *)member)); break;
        case PART_WORD: hd_str_add(s, figure->words[*whole]); break;
        case PART_TILES: hd_str_add(s, hd_tile_steps_word(s->arena, device->tiles)); break;
        }
    }
}

const char *hd_device_print(hd_arena *arena, const hd_device *device) {
    hd_str s = {.arena = arena};
    for (int i = 0; i < DEVICE_FIGURES; i++) {
        const device_figure *figure = &device_figures[i];
        hd_str value = {.arena = arena};
        if (figure->kind == &boards) /* no result comes from it */
            continue;
        device_figure_print(&value, device, figure);
        if (!figure->quiet || strcmp(hd_str_text(&value), figure->fallback))
            hd_str_printf(&s, "%s%s:%s", i ? " " : "", figure->key, hd_str_text(&value));
    }
    return hd_str_text(&s);
}
