/*
 * The dimensions, points as text, and what follows from a point.
 */
#include "advise/explore/point.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Lanes that "indirect" and "transposed" spread: a warp of most devices, half a wavefront. */
enum { LANES = 32 };
/* Of a value as text: those that differ in no digit are the same. */
enum { DIGITS = 9 };
static const double SAME
= 1e-8;

static const char *const type_names[] = {"float", "double", "uint", "ushort", "mixed"};

#define POWERS_TO_32 1, 2, 4, 8, 16, 32, -1
#define VALUES(...)                            \
    .values = (const double[]) { __VA_ARGS__ }

const hd_dimension hd_dimensions[HD_DIMENSIONS] = {
    [HD_DIM_INDIRECT] = {"indirect", "Indirect indexing", "runs of 32 lanes", 0, 32, 0,
                         .is_power = true, VALUES(0, POWERS_TO_32)},
    [HD_DIM_TRANSPOSED] = {"transposed", "Transposed access", "rows of 32 lanes", 1, 32, 1,
                           .is_power = true, VALUES(POWERS_TO_32)},
    [HD_DIM_AGGREGATE] = {"aggregate", "Aggregate access", "bytes of an object for a used one", 1,
                          64, 1, VALUES(POWERS_TO_32)},
    [HD_DIM_SPARSITY] = {"sparsity", "Sparsity", "objects apart", 1, 64, 1,
                         VALUES(1, 2, 4, 8, 16, 32, 64, -1)},
    [HD_DIM_INTENSITY] = {"intensity", "Arithmetic intensity", "operations for a byte", 0, 1024,
                          0.35, .is_real = true, VALUES(0.35, 0.7, 1.4, 2.8, 5.6, 11.2, 22.4, -1)},
    [HD_DIM_GRANULARITY] = {"granularity", "Task granularity", "objects of a thread", 1, 4096, 1,
                            VALUES(POWERS_TO_32)},
    [HD_DIM_FIELDS] = {"fields", "Fields", "read of an object", 1, 32, 4, VALUES(POWERS_TO_32)},
    [HD_DIM_TYPE] = {"type", "Type of the fields", "", 0, HD_MICRO_TYPES - 1, HD_MICRO_FLOAT,
                     .names = type_names, VALUES(0, 1, 2, 3, 4, -1)},
    [HD_DIM_BRANCHES] = {"branches", "Control-flow divergence", "branches of a warp", 1, 32, 1,
                         .is_power = true, VALUES(POWERS_TO_32)},
    [HD_DIM_OBJECTS] = {"objects", "Problem size", "objects", 32, 1 << 28, 1 << 18,
                        VALUES(1 << 12, 1 << 14, 1 << 16, 1 << 18, 1 << 20, -1)},
    [HD_DIM_GROUP] = {"group", "Work-group size", "threads", 32, 1024, 256, .is_power = true,
                      VALUES(32, 64, 128, 256, 512, 1024, -1)},
    [HD_DIM_SPLIT] = {"split", "Work of the host", "share of the objects", 0, 1, 0, .is_real = true,
                      VALUES(0, 0.125, 0.25, 0.5, 0.75, -1)},
};

/* ---- values --------------------------------------------------------------------------------- */

int hd_dimension_named(const char *name) {
    for (int d = 0; d < HD_DIMENSIONS; d++)
        if (!strcmp(hd_dimensions[d].name, name))
            return d;
    return -1;
}

const char *hd_dimension_print(hd_arena *arena, int dimension, double value) {
    const hd_dimension *d = &hd_dimensions[dimension];
    return d->names ? d->names[(int)value] : hd_format(arena, "%.*g", DIGITS, value);
}

static bool is_power(double value) {
    uint64_t whole = (uint64_t)value;
    return !(whole & (whole - 1));
}

static bool is_value(const hd_dimension *d, double value) {
    return value >= d->low && value <= d->high && (d->is_real || value == floor(value)) &&
           (!d->is_power || is_power(value));
}

/* To the digits that are printed; -0 is 0. */
static double rounded(double value) {
    char text[32];
    snprintf(text, sizeof text, "%.*g", DIGITS, value);
    return strtod(text, NULL) + 0.0;
}

bool hd_dimension_parse(int dimension, const char *text, double *value) {
    const hd_dimension *d = &hd_dimensions[dimension];
    char *end;
    for (int n = 0; d->names && n <= d->high; n++)
        if (!strcmp(text, d->names[n])) {
            *value = n;
            return true;
        }
    if (d->names || !*text)
        return false;
    *value = rounded(strtod(text, &end));
    return !*end && is_value(d, *value);
}

const char *hd_dimension_range(hd_arena *arena, int dimension) {
    const hd_dimension *d = &hd_dimensions[dimension];
    if (!d->names)
        return hd_format(arena, "%s from %.9g to %.9g",
                         d->is_real    ? "a number"
                         : d->is_power ? d->low > 0 ? "a power of two" : "0 or a power of two"
                                       : "a whole number",
                         d->is_power && d->low == 0 ? 1 : d->low, d->high);
    hd_str out = {.arena = arena};
    for (int n = 0; n <= d->high; n++)
        hd_str_printf(&out, "%s%s", n ? ", " : "one of ", d->names[n]);
    return hd_str_text(&out);
}

/* ---- points ----------------------------------------------------------------------------------- */

hd_micro_point hd_micro_usual(void) {
    hd_micro_point point;
    for (int d = 0; d < HD_DIMENSIONS; d++)
        point.value[d] = hd_dimensions[d].usual;
    return point;
}

bool hd_micro_equal(const hd_micro_point *a, const hd_micro_point *b) {
    for (int d = 0; d < HD_DIMENSIONS; d++)
        if (fabs(a->value[d] - b->value[d]) > SAME * fabs(b->value[d]))
            return false;
    return true;
}

const char *hd_micro_print(hd_arena *arena, const hd_micro_point *point) {
    hd_str out = {.arena = arena};
    for (int d = 0; d < HD_DIMENSIONS; d++)
        if (point->value[d] != hd_dimensions[d].usual)
            hd_str_printf(&out, "%s%s=%s", out.length ? " " : "", hd_dimensions[d].name,
                          hd_dimension_print(arena, d, point->value[d]));
    return out.length ? hd_str_text(&out) : "usual";
}

const char *hd_micro_file(hd_arena *arena, const hd_micro_point *point) {
    char *name = hd_strdup(arena, hd_micro_print(arena, point));
    for (char *at = name; *at; at++)
        *at = *at == ' ' ? ',' : *at;
    return name;
}

bool hd_micro_parse(const char *text, hd_micro_point *point) {
    *point = hd_micro_usual();
    hd_arena *arena = hd_arena_new();
    uint32_t count = 0;
    bool good = true, given[HD_DIMENSIONS] = {false};
    char **words = !strcmp(text, "usual") ? NULL : hd_split_words(arena, text, &count);
    for (uint32_t w = 0; w < count && good; w++) {
        char *value = strchr(words[w], '=');
        int dimension = -1;
        if (value) {
            *value++ = 0;
            dimension = hd_dimension_named(words[w]);
        }
        good = dimension >= 0 && !given[dimension] &&
               hd_dimension_parse(dimension, value, &point->value[dimension]);
        if (good)
            given[dimension] = true;
    }
    hd_arena_free(arena);
    return good;
}

/* ---- what follows from a point ---------------------------------------------------------------- */

static uint32_t bytes_of_field(hd_micro_type type, uint32_t field) {
    static const uint8_t bytes[] = {
        [HD_MICRO_FLOAT] = 4, [HD_MICRO_DOUBLE] = 8, [HD_MICRO_UINT] = 4, [HD_MICRO_USHORT] = 2};
    return bytes[type == HD_MICRO_MIXED ? field % HD_MICRO_MIXED : type];
}

/* Columns of the matrix: a power of two, nearly the square root of the threads, such that whole
 * blocks of `rows` rows cover it. */
static uint64_t columns_of(uint64_t threads, uint64_t columns, uint64_t rows) {
    while (4 * columns * columns <= threads && threads / rows % (2 * columns) == 0)
        columns *= 2;
    return columns;
}

static void place_threads(const hd_micro_point *point, hd_micro_shape *s) {
    uint64_t group = (uint64_t)point->value[HD_DIM_GROUP];
    uint64_t sparsity = (uint64_t)point->value[HD_DIM_SPARSITY];
    uint64_t rows = (uint64_t)point->value[HD_DIM_TRANSPOSED];
    uint64_t each = (uint64_t)point->value[HD_DIM_GRANULARITY];
    /* Two groups side by side in the matrix, or the rows that 32 lanes are in would be one. */
    uint64_t threads = rows > 1 ? 2 * group : group;
    uint64_t asked = (uint64_t)point->value[HD_DIM_OBJECTS];
    s->unit = threads * sparsity * each;
    uint64_t units = (asked + s->unit - 1) / s->unit;
    uint64_t of_host = (uint64_t)llround((double)units * point->value[HD_DIM_SPLIT]);
    s->objects = units * s->unit;
    s->on_host = of_host * s->unit;
    threads *= units - of_host;
    s->local[2] = 1;
    s->global[2] = sparsity;
    s->stride = threads;
    s->local[0] = rows > 1 ? LANES / rows : group;
    s->local[1] = group / s->local[0];
    s->global[0] = rows > 1 ? columns_of(threads, 2 * s->local[0], s->local[1]) : threads;
    s->global[1] = rows > 1 ? threads / s->global[0] : 1;
    s->pitch = s->global[0];
    s->run = (uint32_t)point->value[HD_DIM_INDIRECT];
    s->run = s->run ? LANES / s->run : 0;
}

const char *hd_micro_check(hd_arena *arena, const hd_micro_point *point, hd_micro_shape *shape) {
    hd_micro_type type = (hd_micro_type)point->value[HD_DIM_TYPE];
    hd_micro_shape s = {.fields = (uint32_t)point->value[HD_DIM_FIELDS]};
    uint32_t end = 0; /* of what is used, in C's layout */
    for (uint32_t f = 0; f < s.fields; f++) {
        uint32_t bytes = bytes_of_field(type, f);
        s.field_bytes += bytes;
        end = (end + bytes - 1) / bytes * bytes + bytes;
    }
    s.result_bytes = type == HD_MICRO_MIXED ? sizeof(double) : bytes_of_field(type, 0);
    end = (end + s.result_bytes - 1) / s.result_bytes * s.result_bytes + s.result_bytes;
    uint32_t used = s.field_bytes + s.result_bytes, least = s.fields - 1;
    uint32_t apart = used * (uint32_t)point->value[HD_DIM_AGGREGATE];
    s.unused_bytes = apart > end ? apart - end : 0;
    s.operations = (uint64_t)llround(point->value[HD_DIM_INTENSITY] * used);
    if (s.operations < least)
        return hd_format(arena,
                         "%u fields of %s take at least %u operations on %u bytes, an intensity of "
                         "%.3g, and %.9g is asked for",
                         s.fields, hd_dimension_print(arena, HD_DIM_TYPE, type), least, used,
                         ceil(1e3 * least / used) / 1e3, point->value[HD_DIM_INTENSITY]);
    /* A round is three additions and two fused multiply-adds: seven operations. */
    uint64_t left = s.operations - least;
    s.rounds = (uint32_t)(left / 7);
    s.fused = (uint32_t)(left % 7 / 2);
    s.adds = (uint32_t)(left % 7 % 2);
    place_threads(point, &s);
    *shape = s;
    if (point->value[HD_DIM_SPLIT] > 0 && (!s.on_host || s.on_host == s.objects))
        return hd_format(arena,
                         "with a split of %.9g the host computes %s of %llu objects, which are "
                         "split by %llu; ask for another split or more objects",
                         point->value[HD_DIM_SPLIT], s.on_host ? "all" : "none",
                         (unsigned long long)s.objects, (unsigned long long)s.unit);
    return NULL;
}
