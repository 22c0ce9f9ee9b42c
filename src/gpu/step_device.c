/* The device: what it is, and that it computes at all. */
#include "gpu/gpu.h"
#include "report/json.h"

/* Memory that comes back as it went. */
static hd_status try_memory(const hd_gpu_step_run *run, const hd_gpu_cuda *cuda) {
    enum { BYTES = 4096 };
    unsigned char there[BYTES], back[BYTES];
    uint64_t memory = 0, seed = 1;
    for (int b = 0; b < BYTES; b++) {
        there[b] = (unsigned char)hd_next_random(&seed);
        back[b] = 0;
    }
    int error = cuda->call.allocate(&memory, BYTES);
    if (!error)
        error = cuda->call.to_device(memory, there, BYTES);
    if (!error)
        error = cuda->call.to_host(back, memory, BYTES);
    if (memory)
        cuda->call.free(memory);
    if (error)
        return hd_fail(run->diag, HD_ESYSTEM, NULL, "the device does not keep 4096 bytes: %s",
                       hd_cuda_error(&cuda->call, error));
    return memcmp(there, back, BYTES) ? hd_fail(run->diag, HD_ESYSTEM, NULL,
                                                "the device gives other bytes back than it got")
                                      : HD_OK;
}

static void describe(hd_gpu_step_run *run, const hd_gpu_cuda *cuda) {
    int major = 0, minor = 0, units = 0;
    size_t free_bytes = 0, all = 0;
    cuda->call.device_attribute(&major, HD_CUDA_CAPABILITY_MAJOR, cuda->device);
    cuda->call.device_attribute(&minor, HD_CUDA_CAPABILITY_MINOR, cuda->device);
    cuda->call.device_attribute(&units, HD_CUDA_MULTIPROCESSORS, cuda->device);
    cuda->call.memory_info(&free_bytes, &all);
    json_object_set_new(run->result, "capability",
                        hd_json_text(hd_format(run->arena, "%d.%d", major, minor)));
    json_object_set_new(run->result, "multiprocessors", json_integer(units));
    json_object_set_new(run->result, "memory", hd_json_integer(all));
    json_object_set_new(run->result, "free", hd_json_integer(free_bytes));
}

hd_status hd_gpu_run_device(hd_gpu_step_run *run) {
    hd_gpu_cuda cuda;
    uint32_t count;
    const char *missing;
    const hd_device *profile;
    hd_status status = hd_gpu_open_cuda(run->arena, run->diag, &cuda);
    if (status == HD_OK)
        status = try_memory(run, &cuda);
    if (status == HD_OK) {
        const hd_compute_device *device = hd_measure_devices(run->arena, "cuda", &count, &missing);
        json_object_set_new(run->result, "name", hd_json_text(device->name));
        json_object_set_new(run->result, "driver", hd_json_text(device->driver));
        describe(run, &cuda);
        status = hd_gpu_find_profile(run->arena, run->diag, device->name, &profile);
        json_object_set_new(run->result, "profile", hd_json_text(profile ? profile->name : NULL));
    }
    hd_gpu_close_cuda(&cuda);
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
