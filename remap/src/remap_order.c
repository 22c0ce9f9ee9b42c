/*
 * Orders of elements: what programs have is checked and becomes what src/order orders.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "order/orders.h"
#include "remap/remap_order.h"

/* What an order takes at most, in bytes: the nets and what src/order has beside them. */
enum { BYTES_OF_NUMBER = 64, BYTES_OF_ELEMENT = 64, BYTES_OF_POINT = 64 };

/* ---- checks -------------------------------------------------------------------------------- */

hd_status hd_remap_check_count(const hd_diag *diag, uint64_t count, const char *what) {
    if (count && count < UINT32_MAX)
        return HD_OK;
    return hd_fail(diag, HD_EINPUT, NULL, "there are %" PRIu64 " %s; an order is of 1 to %" PRIu32,
                   count, what, UINT32_MAX - 1);
}

hd_status hd_remap_check_room(const hd_diag *diag, uint64_t bytes, uint64_t count,
                              const char *what) {
    uint64_t room = hd_memory_free();
    if (bytes <= room)
        return HD_OK;
    return hd_fail(diag, HD_ESYSTEM, NULL,
                   "an order of %" PRIu64 " %s takes up to %" PRIu64
                   " MiB of memory, of which %" PRIu64 " MiB are free",
                   count, what, (bytes >> 20) + 1, room >> 20);
}

hd_status hd_remap_check_lists(const hd_diag *diag, const hd_remap_lists *lists, const char *what,
                               uint64_t limit, uint64_t *numbers) {
    hd_status status = hd_remap_needs(diag, {lists, what});
    if (status != HD_OK)
        return status;
    if (lists->index_bytes != 4 && lists->index_bytes != 8)
        return hd_fail(diag, HD_EINPUT, NULL,
                       "%s have numbers of %" PRIu32 " bytes; 4 and 8 can be read", what,
                       lists->index_bytes);
    if (!lists->first && __builtin_mul_overflow(lists->count, lists->each, numbers))
        return hd_fail(diag, HD_EINPUT, NULL, "%" PRIu64 " %s of %" PRIu32 " numbers are too many",
                       lists->count, what, lists->each);
    uint64_t end = hd_remap_list_begin(lists, 0), begin = end;
    for (uint64_t i = 0; lists->first && i < lists->count; i++, begin = end) {
        end = hd_remap_list_begin(lists, i + 1);
        if (end < begin || end == HD_REMAP_NONE)
            return hd_fail(diag, HD_EINPUT, NULL,
                           "%s: first[%" PRIu64 "] is %" PRId64 " and first[%" PRIu64
                           "] is %" PRId64 "; they must ascend",
                           what, i, (int64_t)begin, i + 1, (int64_t)end);
    }
    if (lists->first)
        *numbers = end - hd_remap_list_begin(lists, 0);
    if (!lists->number && *numbers)
        return hd_fail(diag, HD_EINPUT, NULL, "%s have no array of numbers (NULL)", what);
    begin = hd_remap_list_begin(lists, 0);
    for (uint64_t at = begin; at < begin + *numbers; at++) {
        uint64_t number = hd_remap_list_number(lists, at);
        if (number >= limit && number != HD_REMAP_NONE)
            return hd_fail(diag, HD_EINPUT, NULL,
                           "%s: number[%" PRIu64 "] is %" PRId64 "; it must be below %" PRIu64
                           ", or -1 for none",
                           what, at, lists->index_bytes == 8 ? (int64_t)number : (int32_t)number,
                           limit);
    }
    return HD_OK;
}

/* Of what an order is made into order[count], in memory that is there. */
static hd_status check_order(const hd_diag *diag, const hd_remap_lists *lists, const char *what,
                             uint64_t count, const char *elements, const uint32_t *order,
                             uint64_t *numbers) {
    hd_status status = hd_remap_needs(diag, {order, "place for the order"});
    if (status == HD_OK)
        status = hd_remap_check_count(diag, count, elements);
    if (status == HD_OK)
        status = hd_remap_check_lists(diag, lists, what, count, numbers);
    if (status == HD_OK)
        status = hd_remap_check_room(diag, *numbers * BYTES_OF_NUMBER + count * BYTES_OF_ELEMENT,
                                     count, elements);
    return status;
}

/* ---- graphs and meshes ------------------------------------------------------------------------ */

static hd_status new_nets(const hd_diag *diag, uint64_t count, uint64_t members, hd_nets *nets) {
    nets->first = malloc((count + 1) * sizeof *nets->first);
    nets->thread = malloc((members + 1) * sizeof *nets->thread);
    if (!nets->first || !nets->thread) {
        free(nets->first);
        free(nets->thread);
        return hd_fail(diag, HD_ESYSTEM, NULL,
                       "no memory for %" PRIu64 " lists of %" PRIu64 " numbers in all", count,
                       members);
    }
    nets->first[0] = 0;
    return HD_OK;
}

static void order_by_nets(hd_nets *nets, uint64_t count, uint32_t *order) {
    hd_order_rcm(nets, (uint32_t)count, order);
    free(nets->first);
    free(nets->thread);
}

/* A net for each pair. */
hd_status hd_remap_order_graph(const hd_diag *diag, const hd_remap_lists *neighbours,
                               uint32_t *order) {
    hd_nets nets = {0};
    uint64_t numbers = 0;
    hd_status status = hd_remap_needs(diag, {neighbours, "lists of neighbours"});
    if (status == HD_OK)
        status = check_order(diag, neighbours, "lists of neighbours", neighbours->count, "elements",
                             order, &numbers);
    if (status == HD_OK)
        status = new_nets(diag, numbers, 2 * numbers, &nets);
    if (status != HD_OK)
        return status;
    for (uint64_t i = 0; i < neighbours->count; i++) {
        uint64_t end = hd_remap_list_begin(neighbours, i + 1);
        for (uint64_t at = hd_remap_list_begin(neighbours, i); at < end; at++) {
            uint64_t other = hd_remap_list_number(neighbours, at);
            if (other == i || other == HD_REMAP_NONE)
                continue;
            nets.thread[2 * nets.count] = (uint32_t)(i < other ? i : other);
            nets.thread[2 * nets.count + 1] = (uint32_t)(i < other ? other : i);
            nets.count++;
            nets.first[nets.count] = 2 * nets.count;
        }
    }
    order_by_nets(&nets, neighbours->count, order);
    return HD_OK;
}

static int by_number(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* A net for each list. */
hd_status hd_remap_order_mesh(const hd_diag *diag, const hd_remap_lists *cells, uint64_t nodes,
                              uint32_t *order) {
    hd_nets nets = {0};
    uint64_t numbers = 0;
    hd_status status = check_order(diag, cells, "lists of nodes", nodes, "nodes", order, &numbers);
    if (status == HD_OK)
        status = new_nets(diag, cells->count, numbers, &nets);
    if (status != HD_OK)
        return status;
    for (uint64_t i = 0; i < cells->count; i++) {
        uint64_t begin = hd_remap_list_begin(cells, i), end = hd_remap_list_begin(cells, i + 1);
        uint32_t *net = nets.thread + nets.first[nets.count];
        uint64_t all = 0, count = 0;
        for (uint64_t at = begin; at < end; at++)
            if (hd_remap_list_number(cells, at) != HD_REMAP_NONE)
                net[all++] = (uint32_t)hd_remap_list_number(cells, at);
        qsort(net, all, sizeof *net, by_number);
        for (uint64_t n = 0; n < all; n++) /* each once */
            if (!count || net[count - 1] != net[n])
                net[count++] = net[n];
        if (count > 1 && count <= HD_RCM_MOST) {
            nets.first[nets.count + 1] = nets.first[nets.count] + count;
            nets.count++;
        }
    }
    order_by_nets(&nets, nodes, order);
    return HD_OK;
}

/* ---- lists --------------------------------------------------------------------------------------- */

/* The least number of a list; `limit` where it has none. */
static uint64_t least_of(const hd_remap_lists *lists, uint64_t i, uint64_t limit) {
    uint64_t least = limit, end = hd_remap_list_begin(lists, i + 1);
    for (uint64_t at = hd_remap_list_begin(lists, i); at < end; at++) {
        uint64_t number = hd_remap_list_number(lists, at);
        least = number < least ? number : least;
    }
    return least;
}

/* By counting: place[n] is where the next list goes whose least number is n. */
hd_status hd_remap_order_lists(const hd_diag *diag, const hd_remap_lists *lists, uint64_t elements,
                               uint32_t *order) {
    uint64_t numbers = 0;
    hd_status status =
        hd_remap_needs(diag, {order, "place for the order"}, {lists, "lists to order"});
    if (status == HD_OK)
        status = hd_remap_check_count(diag, lists->count, "lists");
    if (status == HD_OK)
        status = hd_remap_check_count(diag, elements, "elements");
    if (status == HD_OK)
        status = hd_remap_check_lists(diag, lists, "lists", elements, &numbers);
    if (status != HD_OK)
        return status;
    uint32_t *place = calloc(elements + 2, sizeof *place);
    if (!place)
        return hd_fail(diag, HD_ESYSTEM, NULL, "no memory for the places of %" PRIu64 " elements",
                       elements);
    for (uint64_t i = 0; i < lists->count; i++)
        place[least_of(lists, i, elements) + 1]++;
    for (uint64_t n = 0; n <= elements; n++)
        place[n + 1] += place[n];
    for (uint64_t i = 0; i < lists->count; i++)
        order[place[least_of(lists, i, elements)]++] = (uint32_t)i;
    free(place);
    return HD_OK;
}

/* ---- points ------------------------------------------------------------------------------------ */

static double coordinate_of(const hd_remap_points *points, uint32_t axis, uint64_t i) {
    const char *at = (const char *)points->axis[axis] + i * points->stride;
    double wide;
    float narrow;
    if (points->coordinate_bytes == 8) {
        memcpy(&wide, at, sizeof wide);
        return wide;
    }
    memcpy(&narrow, at, sizeof narrow);
    return narrow;
}

static hd_status check_points(const hd_diag *diag, const hd_remap_points *points) {
    hd_status status = hd_remap_check_count(diag, points->count, "points");
    if (status != HD_OK)
        return status;
    if (points->axes < 1 || points->axes > 3)
        return hd_fail(diag, HD_EINPUT, NULL, "points have %" PRIu32 " axes; 1 to 3 can be ordered",
                       points->axes);
    if (points->coordinate_bytes != 4 && points->coordinate_bytes != 8)
        return hd_fail(diag, HD_EINPUT, NULL,
                       "points have coordinates of %" PRIu32 " bytes; 4 (float) and 8 (double) can "
                       "be read",
                       points->coordinate_bytes);
    if (points->stride < points->coordinate_bytes)
        return hd_fail(diag, HD_EINPUT, NULL,
                       "the points' stride is %zu bytes, less than a coordinate", points->stride);
    for (uint32_t d = 0; d < points->axes; d++)
        if (!points->axis[d])
            return hd_fail(diag, HD_EINPUT, NULL, "axis %" PRIu32 " of the points is NULL", d);
    return hd_remap_check_room(diag, points->count * BYTES_OF_POINT, points->count, "points");
}

/* Of the box that the points lie in, half of its low end on an axis, and half of its longest side:
 * halves, so that no difference of doubles is infinite. */
static hd_status extend_box(const hd_diag *diag, const hd_remap_points *points, uint32_t axis,
                            double *half_low, double *half_side) {
    double low = INFINITY, high = -INFINITY;
    for (uint64_t i = 0; i < points->count; i++) {
        double x = coordinate_of(points, axis, i) / 2;
        if (!isfinite(x))
            return hd_fail(diag, HD_EINPUT, NULL,
                           "coordinate %" PRIu32 " of point %" PRIu64 " is %g; points need numbers",
                           axis, i, x);
        low = x < low ? x : low;
        high = x > high ? x : high;
    }
    *half_low = low;
    *half_side = high - low > *half_side ? high - low : *half_side;
    return HD_OK;
}

/* As parts of the box, so that doubles of any size are floats. */
hd_status hd_remap_order_curve(const hd_diag *diag, const hd_remap_points *points,
                               uint32_t *order) {
    hd_status status =
        hd_remap_needs(diag, {points, "points to order"}, {order, "place for the order"});
    if (status == HD_OK)
        status = check_points(diag, points);
    if (status != HD_OK)
        return status;
    double low[3] = {0}, longest = 0;
    for (uint32_t d = 0; d < points->axes && status == HD_OK; d++)
        status = extend_box(diag, points, d, &low[d], &longest);
    if (status != HD_OK)
        return status;
    float *packed = malloc(points->count * points->axes * sizeof *packed);
    if (!packed)
        return hd_fail(diag, HD_ESYSTEM, NULL, "no memory for %" PRIu64 " points", points->count);
    for (uint64_t i = 0; i < points->count; i++)
        for (uint32_t d = 0; d < points->axes; d++)
            packed[i * points->axes + d] =
                longest > 0 ? (float)((coordinate_of(points, d, i) / 2 - low[d]) / longest) : 0;
    hd_order_curve(packed, points->axes, (uint32_t)points->count, order);
    free(packed);
    return HD_OK;
}
