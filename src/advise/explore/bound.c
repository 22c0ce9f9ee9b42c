/*
 * Plans within what a device can run.
 */
#include <string.h>

#include "advise/explore/micro.h"
#include "advise/explore/plan.h"

/* Of the usual problem sizes: with more the usual plan would take too long. */
enum { MOST_USUAL_OBJECTS = 1 << 22, OBJECTS_FACTOR = 4 };
static const double MIB = 1 << 20, GIB = 1 << 30;

typedef struct bounder {
    hd_arena *arena;
    const hd_diag *diag;
    const char *name; /* of the device */
    const hd_explore_range *range;
    const hd_plan *plan;
} bounder;

static const char *bytes_text(hd_arena *arena, uint64_t bytes) {
    return (double)bytes < GIB ? hd_format(arena, "%.4g MiB", (double)bytes / MIB)
                               : hd_format(arena, "%.4g GiB", (double)bytes / GIB);
}

/* Bytes of the objects in a layout: in all, and of the largest allocation. False: there is no such
 * layout of them. */
static bool measure_layout(hd_arena *arena, const hd_diag *diag, const hd_record *record,
                           const char *text, uint64_t objects, uint64_t *all, uint64_t *largest) {
    hd_layout *layout;
    hd_map *map;
    if (hd_layout_parse(arena, diag, record, text, &layout) ||
        hd_map_make(arena, diag, record, layout, objects, &map))
        return false;
    *all = *largest = 0;
    for (uint32_t a = 0; a < map->allocation_count; a++) {
        *all += map->allocation_bytes[a];
        if (map->allocation_bytes[a] > *largest)
            *largest = map->allocation_bytes[a];
    }
    return true;
}

/* NULL, or why the device does not run the point in one of the plan's layouts. What is wrong with a
 * layout is for whoever makes it. */
static const char *why_not(const void *self, const hd_micro_point *point) {
    const bounder *b = self;
    const hd_diag silent = {0};
    const hd_explore_range *range = b->range;
    uint64_t threads = (uint64_t)point->value[HD_DIM_GROUP];
    hd_micro_shape shape;
    if (hd_micro_check(b->arena, point, &shape))
        return NULL;
    if (range->most_threads && threads > range->most_threads)
        return hd_format(b->arena, "a block has at most %llu threads on %s",
                         (unsigned long long)range->most_threads, b->name);
    const char *why = NULL;
    hd_arena *arena = hd_arena_new();
    const hd_record *record = hd_micro_record(arena, point, &shape);
    uint64_t indices = hd_micro_indices(&shape) * sizeof(int32_t), all, largest;
    for (uint32_t l = 0; l < b->plan->layout_count && !why; l++) {
        const char *layout = b->plan->layouts[l];
        if (!measure_layout(arena, &silent, record, layout, shape.objects, &all, &largest))
            continue;
        if (range->problem && all + indices > range->problem)
            why = hd_format(b->arena, "in %s it takes %s, and on %s it may take %s", layout,
                            bytes_text(arena, all + indices), b->name,
                            bytes_text(arena, range->problem));
        else if (range->allocation && largest > range->allocation)
            why = hd_format(b->arena, "in %s a buffer takes %s, and the largest one on %s has %s",
                            layout, bytes_text(arena, largest), b->name,
                            bytes_text(arena, range->allocation));
    }
    hd_arena_free(arena);
    return why;
}

static hd_status refuse(const bounder *b, const hd_micro_point *point, const char *why) {
    return hd_fail(b->diag, HD_EINPUT, NULL, "'%s': %s; ask for less with --fix or --vary",
                   hd_micro_print(b->arena, point), why);
}

/* All of the user's values must be within the range. */
static hd_status check_line(const bounder *b, const hd_plan_line *line) {
    for (uint32_t v = 0; v < line->count; v++) {
        hd_micro_point point = hd_plan_point(line, v);
        const char *why = why_not(b, &point);
        if (why)
            return refuse(b, &point, why);
    }
    return HD_OK;
}

/* Goes on from the last usual size until the objects of one outgrow the cache twice. */
static void extend_sizes(const bounder *b, hd_plan_line *line) {
    hd_vec(double) values = {0};
    hd_micro_point point = line->base;
    hd_micro_shape shape;
    for (uint32_t v = 0; v < line->count; v++)
        hd_push(b->arena, &values, line->values[v]);
    for (;;) {
        double last = values.data[values.count - 1];
        point.value[HD_DIM_OBJECTS] = last * OBJECTS_FACTOR;
        if (last * OBJECTS_FACTOR > MOST_USUAL_OBJECTS ||
            hd_micro_check(b->arena, &point, &shape) ||
            last * hd_micro_record(b->arena, &point, &shape)->size >= 2 * (double)b->range->cache)
            break;
        hd_push(b->arena, &values, point.value[HD_DIM_OBJECTS]);
    }
    line->values = values.data;
    line->count = (uint32_t)values.count;
}

hd_status hd_plan_bound(hd_arena *arena, const hd_diag *diag, const char *name,
                        const hd_explore_range *range, hd_plan *plan) {
    const bounder b = {arena, diag, name, range, plan};
    hd_plan_line *lines = hd_new_array(arena, hd_plan_line, plan->line_count);
    const char *why = plan->is_usual ? why_not(&b, &plan->base) : NULL;
    hd_status status = why ? refuse(&b, &plan->base, why) : HD_OK;
    for (uint32_t l = 0; l < plan->line_count && status == HD_OK; l++) {
        lines[l] = plan->lines[l];
        if (plan->is_usual && lines[l].dimension == HD_DIM_OBJECTS)
            extend_sizes(&b, &lines[l]);
        if (plan->is_usual)
            hd_plan_trim(b.arena, b.diag, &lines[l], why_not, &b);
        else
            status = check_line(&b, &lines[l]);
    }
    plan->lines = lines;
    return status;
}
