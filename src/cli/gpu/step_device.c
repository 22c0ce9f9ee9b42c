/* The device: what it is, and that it computes at all. */
#include "cli/gpu/gpu.h"
#include "cli/report/report_result.h"

/* Memory that comes back as it went. */
static hd_status try_memory(const hd_gpu_step_run *run, hd_compute *gpu) {
    enum { BYTES = 4096 };
    unsigned char there[BYTES], back[BYTES] = {0};
    hd_compute_memory memory = 0;
    hd_compute_queue queue = {0};
    uint64_t seed = 1;
    for (int b = 0; b < BYTES; b++)
        there[b] = (unsigned char)hd_next_random(&seed);
    const char *error;
    if (!(error = gpu->api->make_queue(gpu, false, &queue)) &&
        !(error = gpu->api->allocate(gpu, HD_PLACEMENT_DEVICE, BYTES, &memory)) &&
        !(error = gpu->api->write(gpu, &queue, memory, 0, there, BYTES)) &&
        !(error = gpu->api->read(gpu, &queue, back, memory, 0, BYTES)))
        error = gpu->api->finish(gpu, &queue);
    if (memory)
        gpu->api->release(gpu, memory);
    gpu->api->release_queue(gpu, &queue);
    if (error)
        return hd_fail(run->diag, HD_ESYSTEM, NULL, "the device does not keep 4096 bytes: %s",
                       error);
    return memcmp(there, back, BYTES) ? hd_fail(run->diag, HD_ESYSTEM, NULL,
                                                "the device gives other bytes back than it got")
                                      : HD_OK;
}

typedef struct device_row {
    const char *name, *driver, *capability;
    uint32_t multiprocessors;
    uint64_t memory, free;
    const char *profile;
} device_row;

static const hd_member device_members[] = {
    HD_SAME(device_row, name, driver, capability, multiprocessors, memory, free, profile), {0}};

hd_status hd_gpu_run_device(hd_gpu_step_run *run) {
    hd_compute *gpu;
    hd_status status = hd_gpu_open_cuda(run->arena, run->diag, &gpu);
    if (status != HD_OK)
        return status;
    status = try_memory(run, gpu);
    if (status == HD_OK) {
        const char *architecture = gpu->architecture;
        size_t major = strlen(architecture) - 1;
        const hd_device *profile;
        device_row row = {
            gpu->device.name, gpu->device.driver,
            hd_format(run->arena, "%.*s.%s", (int)major, architecture, architecture + major),
            gpu->units};
        gpu->api->memory_info(gpu, &row.free, &row.memory);
        status = hd_gpu_find_profile(run->arena, run->diag, gpu->device.name, &profile);
        row.profile = profile ? profile->name : NULL;
        hd_json_add_row(run->result, &(hd_view){run->arena}, device_members, &row);
    }
    gpu->api->close(gpu);
    return status;
}

void hd_gpu_show_device(hd_str *page, const json_t *result) {
    const char *profile = hd_gpu_text(result, "profile");
    hd_str_printf(page, "| | |\n|---|---|\n| device | %s |\n| driver | %s |\n",
                  hd_gpu_text(result, "name"), hd_gpu_text(result, "driver"));
    hd_str_printf(page,
                  "| compute capability | %s |\n| multiprocessors | %.0f |\n| memory | %.1f "
                  "GiB |\n",
                  hd_gpu_text(result, "capability"), hd_gpu_number(result, "multiprocessors"),
                  hd_gpu_number(result, "memory") / (1 << 30));
    if (*profile)
        hd_str_printf(page, "| profile | `%s` of `devices/` |\n", profile);
    else
        hd_str_add(page, "| profile | `h200`, since `devices/` has none of this device: costs are "
                         "those of another one |\n");
}
