/*
 * CUDA C compiled by NVRTC for one device.
 *
 * NVRTC compiles device code alone, with the headers that it is given folders of. A kernel or a
 * variable is asked for by an expression (`scale<float>`, `&math::table`), which also makes an
 * instance of a template, and has its mangled symbol afterwards. (NVRTC's manual, "Accessing
 * Lowered Names".) Overloads are asked for by their symbols, which no expression needs to find.
 */
#include "driver/cuda_library.h"

static bool is_symbol(const char *name) { return !strncmp(name, "_Z", 2); }

int hd_nvrtc_compile(const hd_nvrtc_library *nvrtc, hd_arena *arena, const char *architecture,
                     const hd_compute_source *source, const char **image, const char **symbols,
                     const char **log) {
    const char **options = hd_new_array(arena, const char *, source->option_count + 1);
    void *handle = NULL;
    size_t size = 0;
    *log = NULL;
    int error = nvrtc->create(&handle, source->text, source->file, 0, NULL, NULL);
    if (error)
        return error;
    options[0] = hd_format(arena, "--gpu-architecture=sm_%s", architecture);
    for (uint32_t o = 0; o < source->option_count; o++)
        options[o + 1] = source->options[o];
    for (uint32_t n = 0; n < source->name_count && !error; n++)
        if (!is_symbol(source->names[n]))
            error = nvrtc->add_name(handle, source->names[n]);
    if (!error)
        error = nvrtc->compile(handle, (int)source->option_count + 1, options);
    for (uint32_t n = 0; n < source->name_count && !error; n++) {
        symbols[n] = source->names[n];
        if (!is_symbol(source->names[n]))
            error = nvrtc->symbol(handle, source->names[n], &symbols[n]);
        if (!error)
            symbols[n] = hd_strdup(arena, symbols[n]); /* it lives as long as the handle */
    }
    if (!error)
        error = nvrtc->image_size(handle, &size);
    char *bytes = hd_alloc(arena, size + 1);
    *image = bytes;
    if (!error)
        error = nvrtc->image(handle, bytes);
    if (error && nvrtc->log_size(handle, &size) == 0 && size) {
        char *text = hd_alloc(arena, size + 1);
        *log = nvrtc->log(handle, text) == 0 ? text : NULL;
    }
    nvrtc->destroy(&handle);
    return error;
}
