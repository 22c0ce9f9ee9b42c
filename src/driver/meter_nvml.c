/*
 * NVIDIA's GPUs through NVML, opened at run time (NVML API Reference Guide): since Volta a counter
 * of millijoules, else the power in milliwatts.
 */
#include <stdlib.h>

#include "driver/library.h"
#include "driver/meter.h"

enum { NVML_SUCCESS = 0, NVML_NO_PERMISSION = 4, NAME_BYTES = 96 };

/* X(name here, symbol, parameters); a handle is a pointer, a result 0 for success. */
#define FUNCTIONS(X)                                                           \
    X(init, nvmlInit_v2, (void))                                               \
    X(shutdown, nvmlShutdown, (void))                                          \
    X(count, nvmlDeviceGetCount_v2, (unsigned *count))                         \
    X(device, nvmlDeviceGetHandleByIndex_v2, (unsigned number, void **device)) \
    X(name, nvmlDeviceGetName, (void *device, char *name, unsigned length))    \
    X(energy, nvmlDeviceGetTotalEnergyConsumption,                             \
      (void *device, unsigned long long *millijoules))                         \
    X(power, nvmlDeviceGetPowerUsage, (void *device, unsigned *milliwatts))

typedef struct library {
    const char *file;
#define X(member, symbol, parameters) int(*member) parameters;
    FUNCTIONS(X)
#undef X
    const char *(*error)(int error);
} library;

typedef struct gpu {
    library nvml;
    void *device;
} gpu;

static const double MILLI = 1e-3;
/* The driver averages and publishes about so often (Yang, Adamek and Armour, "Part-time Power
 * Measurements", arXiv:2312.02741: up to 100 ms). */
static const double UPDATE = 0.1;

static const char *why_of(hd_arena *arena, const library *nvml, int error) {
    if (error == NVML_NO_PERMISSION)
        return hd_format(arena,
                         "%s may not read this GPU (insufficient permissions): run it as the "
                         "user that owns the GPU, or let /dev/nvidiactl be read",
                         nvml->file);
    const char *text = nvml->error ? nvml->error(error) : NULL;
    return text ? hd_format(arena, "%s: %s", nvml->file, text)
                : hd_format(arena, "%s: error %d", nvml->file, error);
}

/* NULL, or what is missing. What reads energy and power may be. */
static const char *load(hd_arena *arena, const hd_meter_request *request, library *nvml) {
    static const driver_symbol symbols[] = {
#define X(member, symbol, parameters)                                                             \
    {offsetof(library, member), #symbol, offsetof(library, member) >= offsetof(library, energy)},
        FUNCTIONS(X)
#undef X
            {offsetof(library, error), "nvmlErrorString", true}};
    *nvml = (library){.file = request->nvml ? request->nvml : "libnvidia-ml.so.1"};
    const driver_library opened = {.file = nvml->file,
                                   .places = (const char *const[]){nvml->file, NULL},
                                   .install = ": install NVIDIA's driver",
                                   .update = ": install a newer driver of NVIDIA's",
                                   .symbols = symbols,
                                   .symbol_count = sizeof symbols / sizeof *symbols};
    const char *why = driver_library_open(arena, &opened, nvml);
    int error = why ? NVML_SUCCESS : nvml->init();
    return error == NVML_SUCCESS ? why : why_of(arena, nvml, error);
}

static void list(hd_arena *arena, const hd_meter_request *request, energy_sources *sources) {
    library nvml;
    unsigned count = 0;
    const char *why = load(arena, request, &nvml);
    bool is_open = !why;
    if (!why && nvml.count(&count) != NVML_SUCCESS)
        count = 0;
    for (unsigned i = 0; i < count; i++) {
        void *device;
        char name[NAME_BYTES] = "";
        if (nvml.device(i, &device) == NVML_SUCCESS)
            nvml.name(device, name, sizeof name - 1);
        energy_add(arena, sources, hd_format(arena, "nvml:%u", i), hd_strdup(arena, name));
    }
    if (is_open)
        nvml.shutdown();
    if (!count)
        energy_add_none(arena, sources, "nvml",
                        why ? why : hd_format(arena, "%s finds no GPU: see nvidia-smi", nvml.file));
}

static const char *read_value(energy_sensor *sensor, double *value) {
    const gpu *g = sensor->state;
    unsigned long long millijoules = 0;
    unsigned milliwatts = 0;
    int error = sensor->is_power ? g->nvml.power(g->device, &milliwatts)
                                 : g->nvml.energy(g->device, &millijoules);
    *value = MILLI * (sensor->is_power ? milliwatts : (double)millijoules);
    return error == NVML_SUCCESS ? NULL : why_of(sensor->arena, &g->nvml, error);
}

static void close_gpu(energy_sensor *sensor) {
    const gpu *g = sensor->state;
    if (g)
        g->nvml.shutdown();
}

static const char *open_gpu(energy_sensor *sensor, const char *name) {
    gpu *g = hd_new(sensor->arena, gpu);
    double value;
    const char *why = load(sensor->arena, sensor->request, &g->nvml);
    if (why)
        return why;
    sensor->state = g;
    const char *number = strchr(name, ':');
    int error = g->nvml.device(number ? (unsigned)strtoul(number + 1, NULL, 10) : 0, &g->device);
    if (error != NVML_SUCCESS)
        return why_of(sensor->arena, &g->nvml, error);
    sensor->step = MILLI;
    sensor->update = UPDATE;
    sensor->is_power = !g->nvml.energy || read_value(sensor, &value);
    if (sensor->is_power && !g->nvml.power)
        return hd_format(sensor->arena, "%s tells neither energy nor power of this GPU",
                         g->nvml.file);
    return NULL;
}

const energy_api energy_nvml = {
    .kind = "nvml", .list = list, .open = open_gpu, .read = read_value, .close = close_gpu};
