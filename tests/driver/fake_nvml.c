/*
 * NVML without a GPU: one that the test feeds through fake_nvml, with or without the counter of
 * energy, which GPUs before Volta do not have.
 */
#include <string.h>

#include "driver/fake_nvml.h"

fake_nvml_state fake_nvml;

int nvmlInit_v2(void);
int nvmlShutdown(void);
const char *nvmlErrorString(int error);
int nvmlDeviceGetCount_v2(unsigned *count);
int nvmlDeviceGetHandleByIndex_v2(unsigned number, void **device);
int nvmlDeviceGetName(void *device, char *name, unsigned length);
int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *millijoules);
int nvmlDeviceGetPowerUsage(void *device, unsigned *milliwatts);

int nvmlInit_v2(void) {
    fake_nvml.open++;
    return 0;
}

int nvmlShutdown(void) {
    fake_nvml.open--;
    return 0;
}

const char *nvmlErrorString(int error) { return error == 15 ? "GPU is lost" : "Not Supported"; }

int nvmlDeviceGetCount_v2(unsigned *count) {
    *count = 2;
    return 0;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned number, void **device) {
    *device = &fake_nvml;
    return number < 2 ? 0 : 2;
}

int nvmlDeviceGetName(void *device, char *name, unsigned length) {
    (void)device;
    strncpy(name, "Fake GPU", length);
    return 0;
}

int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *millijoules) {
    (void)device;
    *millijoules = fake_nvml.millijoules;
    return fake_nvml.has_energy ? fake_nvml.error : 3;
}

int nvmlDeviceGetPowerUsage(void *device, unsigned *milliwatts) {
    (void)device;
    *milliwatts = fake_nvml.milliwatts;
    return fake_nvml.error;
}
