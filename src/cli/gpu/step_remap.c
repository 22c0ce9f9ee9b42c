/* Remapping within the device, and with transfers: rows of remap_speed.c and overlap.c. */
#include <stdlib.h>

#include "cli/gpu/gpu.h"
#include "remap/remap_device.h"

enum { SMALL_SAMPLE = 4096 };

/* Nothing of an earlier calibration, and none of the user's own; later steps find it. */
static void use_own_cache(const hd_gpu_step_run *run, hd_remap_device *device) {
    setenv("XDG_CACHE_HOME", run->folder, 1);
    if (run->small)
        device->sample_elements = SMALL_SAMPLE;
}

/* ---- within the device ------------------------------------------------------------ */

HD_GETTER(remap_met, hd_gpu_remap_row, hd_bool(hd_gpu_remap_met(row)))

static const hd_member way_members[] = {HD_SAME(hd_gpu_remap_way, seconds, copy), {0}};
static const hd_member remap_members[] = {
    HD_SAME(hd_gpu_remap_row, name, bytes),
    {"goal", HD_AT(hd_gpu_remap_row, goal), HD_IF(hd_gpu_remap_row, goal)},
    {"met", .get = remap_met},
    {"to", HD_IN(hd_gpu_remap_row, way[HD_REMAP_TO_DEVICE]),
     HD_IF(hd_gpu_remap_row, way[HD_REMAP_TO_DEVICE].measured), .of = way_members},
    {"back", HD_IN(hd_gpu_remap_row, way[HD_REMAP_FROM_DEVICE]),
     HD_IF(hd_gpu_remap_row, way[HD_REMAP_FROM_DEVICE].measured), .of = way_members},
    {0}};

static bool keep_remap(void *user, const hd_gpu_remap_row *row) {
    hd_gpu_add_row(user, "maps", remap_members, row);
    return hd_gpu_has_time(user, 1);
}

hd_status hd_gpu_run_remap(hd_gpu_step_run *run) {
    hd_gpu_memories memories;
    hd_compute *gpu;
    hd_status status = hd_gpu_open_cuda(run->arena, run->diag, &gpu);
    if (status != HD_OK)
        return status;
    status = hd_gpu_make_memories(run->diag, gpu, (uint64_t)1 << (run->small ? 14 : 30), &memories);
    if (status == HD_OK) {
        use_own_cache(run, memories.remap);
        hd_gpu_remap_speed(run->diag, &memories,
                           &(hd_gpu_remap_options){run->small, keep_remap, run});
        if (json_object_get(run->result, "error"))
            status = HD_ESYSTEM; /* it was told where it happened */
    }
    hd_gpu_free_memories(&memories);
    gpu->api->close(gpu);
    return status;
}

static void show_way(hd_str *page, const json_t *way, double bytes, double goal) {
    double seconds = hd_gpu_number(way, "seconds"), copy = hd_gpu_number(way, "copy");
    if (!(seconds > 0) || !(copy > 0))
        hd_str_add(page, " failed | | |");
    else
        hd_str_printf(page, " %.1f | %.1f | %.0f%%%s |", 2 * bytes / 1e9 / seconds,
                      2 * bytes / 1e9 / copy, 100 * copy / seconds,
                      copy < goal * seconds ? " **missed**" : "");
}

void hd_gpu_show_remap(hd_str *page, const json_t *result) {
    size_t i;
    const json_t *row;
    hd_str_add(
        page, "GB/s read and written, next to a copy of as many bytes in turns with it, launch and "
              "waiting included; the shortest of several. Wanted of structs: 90% of the copy, both "
              "ways.\n\n"
              "| map | MiB | to the layout | copy | share | back | copy | share |\n"
              "|---|--:|--:|--:|--:|--:|--:|--:|\n");
    json_array_foreach(json_object_get(result, "maps"), i, row) {
        double bytes = hd_gpu_number(row, "bytes"), goal = hd_gpu_number(row, "goal");
        hd_str_printf(page, "| %s | %.1f |", hd_gpu_text(row, "name"), bytes / (1 << 20));
        show_way(page, json_object_get(row, "to"), bytes, goal);
        show_way(page, json_object_get(row, "back"), bytes, goal);
        hd_str_add(page, "\n");
    }
}

/* ---- with transfers --------------------------------------------------------------- */

/* A way to move data. */
typedef struct way_row {
    const char *name;
    double seconds; /* 0: it cannot be used */
} way_row;

static hd_value ways_of(const hd_view *view, const void *at) {
    const hd_gpu_overlap_row *row = at;
    way_row *ways = hd_new_array(view->arena, way_row, HD_GPU_CONTENDERS);
    for (hd_gpu_contender c = 0; c < HD_GPU_CONTENDERS; c++)
        ways[c] = (way_row){hd_gpu_contender_name(view->arena, row, c), row->seconds[c]};
    return hd_rows(ways, HD_GPU_CONTENDERS);
}

HD_GETTER(larger_of, hd_gpu_overlap_row, hd_real(hd_gpu_overlap_larger(row)))
HD_GETTER(overlap_met, hd_gpu_overlap_row, hd_bool(row->over <= row->most))

static const hd_member ways_members[] = {
    {"name", HD_AT(way_row, name)},
    {"seconds", HD_AT(way_row, seconds), HD_IF(way_row, seconds)},
    {0}};
static const hd_member overlap_members[] = {HD_SAME(hd_gpu_overlap_row, what, to_device, bytes),
                                            {"larger", .get = larger_of},
                                            HD_SAME(hd_gpu_overlap_row, over, most),
                                            {"met", .get = overlap_met},
                                            {"plan", HD_AT(hd_gpu_overlap_row, why)},
                                            {"ways", .get = ways_of, .of = ways_members},
                                            {0}};

static bool keep_overlap(void *user, const hd_gpu_overlap_row *row) {
    hd_gpu_add_row(user, "moves", overlap_members, row);
    return hd_gpu_has_time(user, 1);
}

hd_status hd_gpu_run_overlap(hd_gpu_step_run *run) {
    hd_compute *gpu;
    hd_remap_device *device = NULL;
    const hd_gpu_overlap_options options = {(uint64_t)1 << (run->small ? 16 : 27), run->small,
                                            keep_overlap, run};
    hd_status status = hd_gpu_open_cuda(run->arena, run->diag, &gpu);
    if (status != HD_OK)
        return status;
    status = hd_gpu_open_remap(run->diag, gpu, &device);
    if (status == HD_OK) {
        use_own_cache(run, device);
        status = hd_gpu_overlap(run->diag, device, &options);
    }
    hd_remap_close(device);
    gpu->api->close(gpu);
    return status;
}

void hd_gpu_show_overlap(hd_str *page, const json_t *result) {
    size_t i, w;
    const json_t *row, *way;
    hd_str_add(page, "From and to pinned memory, the shortest of several.\n\n");
    json_array_foreach(json_object_get(result, "moves"), i, row) {
        hd_str_printf(page,
                      "**%s, %s, %.0f MiB**: planned chunks take %.2f of the larger of transfer "
                      "and remap, at most %.2f is wanted: %s. The plan: %s.\n\n"
                      "| way | ms | of the larger |\n|---|--:|--:|\n",
                      hd_gpu_text(row, "what"),
                      json_is_true(json_object_get(row, "to_device")) ? "to the device"
                                                                      : "from the device",
                      hd_gpu_number(row, "bytes") / (1 << 20), hd_gpu_number(row, "over"),
                      hd_gpu_number(row, "most"),
                      json_is_true(json_object_get(row, "met")) ? "met" : "**missed**",
                      hd_gpu_text(row, "plan"));
        json_array_foreach(json_object_get(row, "ways"), w, way) {
            double seconds = hd_gpu_number(way, "seconds");
            const char *name = hd_gpu_text(way, "name");
            if (seconds > 0)
                hd_str_printf(page, "| %s | %.3f | %.2f |\n", name, seconds * 1e3,
                              seconds / hd_gpu_number(row, "larger"));
            else
                hd_str_printf(page, "| %s | cannot | |\n", name);
        }
        hd_str_add(page, "\n");
    }
}
