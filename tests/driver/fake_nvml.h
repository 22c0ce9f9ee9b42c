/* What the fake NVML says; the library has it as the symbol fake_nvml. */
#ifndef HD_TESTS_FAKE_NVML_H
#define HD_TESTS_FAKE_NVML_H

typedef struct fake_nvml_state {
    int open;       /* inits without their shutdown */
    int has_energy; /* the counter; otherwise it is not supported */
    int error;      /* of all readings: 4 no permission, 15 the GPU is lost */
    unsigned long long millijoules;
    unsigned milliwatts;
} fake_nvml_state;

extern fake_nvml_state fake_nvml;

#endif
