/* What the simulation of caches counts. */
#include "analysis/cache.h"
#include "cli/report/members.h"

/* ---- accesses of a launch ------------------------------------------------------------------ */

/* Only those that did something. */
static hd_value accesses_of(const hd_view *view, const void *at) {
    const hd_cache_launch *l = at;
    hd_vec(hd_cache_access) rows = {0};
    for (uint32_t a = 0; a < l->launch->access_count; a++)
        if (l->accesses[a].counts.requests)
            hd_push(view->arena, &rows,
                    (hd_cache_access){&l->launch->accesses[a], &l->accesses[a]});
    return hd_with(hd_rows(rows.data, rows.count), l->launch);
}

const hd_member hd_cache_access_members[] = {
    {HD_BEHIND(hd_cache_access, access), .of = hd_event_access_members},
    {HD_BEHIND(hd_cache_access, sum), .of = hd_cache_sum_members},
    {0}};

const hd_member hd_cache_access_columns[] = {
    {HD_BEHIND(hd_cache_access, access), .of = hd_event_access_columns},
    {HD_BEHIND(hd_cache_access, sum), .of = hd_cache_sum_members},
    {0}};

const hd_member hd_cache_launch_members[] = {
    {"number", HD_VIA(hd_cache_launch, launch, HD_AT, number)},
    {"kernel", HD_VIA(hd_cache_launch, launch, HD_AT, kernel)},
    HD_SAME(hd_cache_launch, blocks, blocks_per_sm),
    {"accesses", .get = accesses_of, .of = hd_cache_access_members},
    {HD_IN(hd_cache_launch, sum), .of = hd_cache_sum_members},
    {0}};

/* ---- all ----------------------------------------------------------------------------------- */

HD_GETTER(target_of, hd_cache_place,
          hd_text(row->record ? hd_format(view->arena, "%s.%s", row->record, row->name)
                  : row->name ? row->name
                              : "?"))

const hd_member hd_cache_place_members[] = {
    {NULL, "target", .get = target_of},
    HD_SAME(hd_cache_place, record, name),
    {HD_IN(hd_cache_place, sum), .of = hd_cache_sum_members},
    {0}};

static hd_value layout_of(const hd_view *view, const void *at) {
    const hd_caches *c = at;
    (void)view;
    return hd_with(hd_row(c->layout), c->record);
}

const hd_member hd_caches_members[] = {
    {"device", HD_VIA(hd_caches, device, HD_AT, name)},
    {"layout", .get = layout_of, .of = hd_layout_members},
    {"sector", HD_AT(hd_caches, sector)},
    {"launches", HD_MANY(hd_caches, launches, launch_count), .of = hd_cache_launch_members},
    {"places", HD_MANY(hd_caches, places, place_count), .of = hd_cache_place_members},
    {"total", HD_IN(hd_caches, total), .of = hd_cache_sum_members},
    {0}};
