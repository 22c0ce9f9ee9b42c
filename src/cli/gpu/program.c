/*
 * The jobs that are measured, and the profile that they are priced on.
 *
 * A job file of examples/ names a kernel in OpenCL C. The same kernel is there in CUDA C, with the
 * same parameters, so the job holds for it as it is.
 */
#include <ctype.h>

#include "cli/gpu/gpu.h"

/* A file of examples/ or bench/, which come along. */
static const char *own_file(hd_arena *arena, const char *name) {
    const char *path = hd_own_file(arena, hd_format(arena, "share/heddle/%s", name), name);
    return path ? path : name; /* whose absence is then told */
}

hd_status hd_gpu_load(hd_arena *arena, const hd_diag *diag, const char *subject, kir_form form,
                      hd_job **job) {
    const char *path = own_file(arena, hd_format(arena, "%s.yaml", subject));
    kir_module *module;
    hd_status status = hd_job_read(arena, diag, path, job);
    if (status != HD_OK)
        return status;
    const char *name = hd_path_name((*job)->kernel_path); /* "nbody4" of "/here/nbody4.cl" */
    name = hd_strndup(arena, name, strcspn(name, "."));
    (*job)->kernel_path = own_file(arena, hd_format(arena, "examples/%s/%s.cu", name, name));
    for (uint32_t l = 0; l < (*job)->launch_count; l++)
        (*job)->launches[l].size_key = NULL; /* global sizes of the OpenCL twin are meant */
    /* They include nothing, so Heddle's own headers do, which are read faster than a toolkit's. */
    (*job)->options = hd_format(arena, "%s --cuda-path=", (*job)->options ? (*job)->options : "");
    status = hd_frontend_of(arena, diag, (*job)->kernel_path, (*job)->options, form, NULL, &module);
    return status == HD_OK ? hd_job_resolve(arena, diag, *job, module) : status;
}

/* ---- the profile ------------------------------------------------------------------ */

/* `word` stands in `name`, not as a part of a longer one: the A10 is no A100. */
static bool has_word(const char *name, const char *word) {
    size_t length = strlen(word);
    for (const char *at = name; (at = strcasestr(at, word)); at++)
        if ((at == name || !isalnum((unsigned char)at[-1])) && !isalnum((unsigned char)at[length]))
            return true;
    return false;
}

/* Words of `title`, of letters and digits, that stand in `name`; *model: the first one with a digit
 * does, or there is none. */
static uint32_t common_words(hd_arena *arena, const char *title, const char *name, bool *model) {
    uint32_t count = 0;
    bool has_digits = false;
    *model = true;
    while (*title) {
        size_t length = 0;
        bool digits = false;
        for (; isalnum((unsigned char)title[length]); length++)
            digits |= isdigit((unsigned char)title[length]) != 0;
        bool found = length && has_word(name, hd_strndup(arena, title, length));
        count += found;
        if (digits && !has_digits)
            *model = found;
        has_digits |= digits;
        title += length + (title[length] != '\0');
    }
    return count;
}

hd_status hd_gpu_find_profile(hd_arena *arena, const hd_diag *diag, const char *device,
                              const hd_device **profile) {
    const hd_device **known;
    size_t count;
    uint32_t best = 1; /* the vendor's name alone says nothing */
    *profile = NULL;
    hd_status status = hd_device_list(arena, diag, &known, &count);
    for (size_t d = 0; d < count && status == HD_OK; d++) {
        bool model;
        uint32_t words = common_words(arena, known[d]->title, device, &model);
        if (words <= best || !model)
            continue;
        best = words;
        *profile = known[d];
    }
    return status;
}

hd_status hd_gpu_profile_to_price(hd_arena *arena, const hd_diag *diag, const char *device,
                                  const hd_device **profile) {
    hd_status status = hd_gpu_find_profile(arena, diag, device, profile);
    return status || *profile ? status : hd_device_find(arena, diag, "h200", profile);
}
