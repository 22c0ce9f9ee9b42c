/* Remapping within the device, and with transfers: rows of remap_speed.c and overlap.c. */
#include <stdlib.h>

#include "gpu/gpu.h"
#include "remap/device.h"
#include "report/json.h"

enum { SMALL_SAMPLE = 4096 };

/* Nothing of an earlier calibration, and none of the user's own; later steps find it. */
static void use_own_cache(const hd_gpu_step_run *run, hd_remap_device *device) {
    setenv("XDG_CACHE_HOME", run->folder, 1);
    if (run->small)
        device->sample_elements = SMALL_SAMPLE;
}

/* ---- within the device ------------------------------------------------------------ */

static bool keep_remap(void *user, const hd_gpu_remap_row *row) {
    static const char *const ways[] = {"to", "back"};
    hd_gpu_step_run *run = user;
    json_t *object = hd_gpu_add_row(run, "maps");
    json_object_set_new(object, "name", hd_json_text(row->name));
    json_object_set_new(object, "bytes", hd_json_integer(row->bytes));
    json_object_set_new(object, "goal", row->goal ? hd_json_number(row->goal) : json_null());
    json_object_set_new(object, "met", json_boolean(hd_gpu_remap_met(row)));
    for (int d = 0; d < 2; d++)
        json_object_set_new(
            object, ways[d],
            row->way[d].measured
                ? json_pack("{s:f, s:f}", "seconds", row->way[d].seconds, "copy", row->way[d].copy)
                : json_null());
    hd_gpu_keep(run);
    return hd_gpu_has_time(run, 1);
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

static bool keep_overlap(void *user, const hd_gpu_overlap_row *row) {
    hd_gpu_step_run *run = user;
    json_t *object = hd_gpu_add_row(run, "moves"), *contenders = json_array();
    json_object_set_new(object, "what", hd_json_text(row->what));
    json_object_set_new(object, "to_device", json_boolean(row->to_device));
    json_object_set_new(object, "bytes", hd_json_integer(row->bytes));
    json_object_set_new(object, "larger", hd_json_number(hd_gpu_overlap_larger(row)));
    json_object_set_new(object, "over", hd_json_number(row->over));
    json_object_set_new(object, "most", hd_json_number(row->most));
    json_object_set_new(object, "met", json_boolean(row->over <= row->most));
    json_object_set_new(object, "plan", hd_json_text(row->why));
    for (hd_gpu_contender c = 0; c < HD_GPU_CONTENDERS; c++)
        json_array_append_new(
            contenders,
            json_pack("{s:o, s:o}", "name", hd_json_text(hd_gpu_contender_name(run->arena, row, c)),
                      "seconds",
                      row->seconds[c] > 0 ? hd_json_number(row->seconds[c]) : json_null()));
    json_object_set_new(object, "ways", contenders);
    hd_gpu_keep(run);
    return hd_gpu_has_time(run, 1);
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

static void show_move(hd_str *page, const json_t *row) {
    double larger = hd_gpu_number(row, "larger");
    size_t i;
    const json_t *way;
    hd_str_printf(
        page,
        "**%s, %s, %.0f MiB**: planned chunks take %.2f of the larger of transfer and "
        "remap, at most %.2f is wanted: %s. The plan: %s.\n\n"
        "| way | ms | of the larger |\n|---|--:|--:|\n",
        hd_gpu_text(row, "what"),
        json_is_true(json_object_get(row, "to_device")) ? "to the device" : "from the device",
        hd_gpu_number(row, "bytes") / (1 << 20), hd_gpu_number(row, "over"),
        hd_gpu_number(row, "most"),
        json_is_true(json_object_get(row, "met")) ? "met" : "**missed**", hd_gpu_text(row, "plan"));
    json_array_foreach(json_object_get(row, "ways"), i, way) {
        double seconds = hd_gpu_number(way, "seconds");
        const char *name = hd_gpu_text(way, "name");
        if (seconds > 0)
            hd_str_printf(page, "| %s | %.3f | %.2f |\n", name, seconds * 1e3, seconds / larger);
        else
            hd_str_printf(page, "| %s | cannot | |\n", name);
    }
    hd_str_add(page, "\n");
}

void hd_gpu_show_overlap(hd_str *page, const json_t *result) {
    size_t i;
    const json_t *row;
    hd_str_add(page, "From and to pinned memory, the shortest of several.\n\n");
    json_array_foreach(json_object_get(result, "moves"), i, row) {
        show_move(page, row);
    }
}
