/* CUDA's driver and NVRTC, opened at run time (cuda_library.h). */
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#include "driver/cuda_library.h"

/* Where a function goes in a library, and what it is called there. */
typedef struct symbol {
    size_t offset;
    const char *name;
} symbol;

/* Fills the functions of `library`; the name of one that is not there, or NULL. */
static const char *load_symbols(void *handle, const symbol *symbols, size_t count, void *library) {
    for (size_t s = 0; s < count; s++) {
        void *address = dlsym(handle, symbols[s].name);
        if (!address)
            return symbols[s].name;
        memcpy((char *)library + symbols[s].offset, &address, sizeof address);
    }
    return NULL;
}

/* Libraries stay open until the process ends: a driver has threads of its own, and none of
 * them can be unloaded safely. */
bool hd_cuda_open(hd_arena *arena, hd_cuda_library *library, const char **missing) {
    static const symbol symbols[] = {
#define X(member, name, parameters) {offsetof(hd_cuda_library, member), #name},
        HD_CUDA_FUNCTIONS(X)
#undef X
    };
    /* Then where containers and WSL have it, which the loader may not know. */
    static const char *const places[] = {"libcuda.so.1", "/usr/local/nvidia/lib64/libcuda.so.1",
                                         "/usr/lib/wsl/lib/libcuda.so.1"};
    void *handle = NULL;
    for (size_t p = 0; p < sizeof places / sizeof *places && !handle; p++)
        handle = dlopen(places[p], RTLD_NOW | RTLD_LOCAL);
    *missing = "there is no libcuda.so.1; install NVIDIA's driver";
    if (!handle)
        return false;
    const char *absent = load_symbols(handle, symbols, sizeof symbols / sizeof *symbols, library);
    if (absent)
        *missing =
            hd_format(arena, "libcuda.so.1 has no %s; install a newer driver of NVIDIA's", absent);
    return !absent;
}

const char *hd_cuda_toolkit(void) {
    const char *const folders[] = {getenv("CUDA_PATH"), getenv("CUDA_HOME"), "/usr/local/cuda"};
    for (size_t f = 0; f < sizeof folders / sizeof *folders; f++)
        if (folders[f] && *folders[f] && access(folders[f], R_OK) == 0)
            return folders[f];
    return NULL;
}

bool hd_nvrtc_open(hd_arena *arena, hd_nvrtc_library *library, const char **missing) {
    static const symbol symbols[] = {
#define X(member, name, parameters) {offsetof(hd_nvrtc_library, member), #name},
        HD_NVRTC_FUNCTIONS(X)
#undef X
            {offsetof(hd_nvrtc_library, error_text), "nvrtcGetErrorString"},
    };
    /* By the names that its versions have, then in the toolkit, whose folder the loader may not
     * know. */
    static const char *const names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2",
                                        "libnvrtc.so"};
    static const char *const folders[] = {"lib64", "lib", "targets/x86_64-linux/lib"};
    enum { NAMES = sizeof names / sizeof *names, FOLDERS = sizeof folders / sizeof *folders };
    void *handle = NULL;
    for (size_t n = 0; n < NAMES && !handle; n++)
        handle = dlopen(names[n], RTLD_NOW | RTLD_LOCAL);
    const char *toolkit = hd_cuda_toolkit(), *at = toolkit ? NULL : getenv("PATH");
    char resolved[4096];
    while (at && *at && !toolkit) { /* that of the nvcc in PATH */
        size_t length = strcspn(at, ":");
        if (realpath(hd_format(arena, "%.*s/nvcc", (int)length, at), resolved))
            toolkit = hd_path_folder(arena, hd_path_folder(arena, resolved));
        at += length + (at[length] == ':');
    }
    for (size_t i = 0; toolkit && i < FOLDERS * NAMES && !handle; i++)
        handle = dlopen(hd_format(arena, "%s/%s/%s", toolkit, folders[i / NAMES], names[i % NAMES]),
                        RTLD_NOW | RTLD_LOCAL);
    *missing = "there is no libnvrtc.so to compile kernels; install NVIDIA's CUDA toolkit, and "
               "name its folder in CUDA_PATH unless it is /usr/local/cuda";
    if (!handle)
        return false;
    const char *absent = load_symbols(handle, symbols, sizeof symbols / sizeof *symbols, library);
    if (absent)
        *missing =
            hd_format(arena, "libnvrtc.so has no %s; install a toolkit from CUDA 11.2 on", absent);
    return !absent;
}

const char *hd_cuda_error(const hd_cuda_library *library, int error) {
    const char *name = NULL;
    return library->error_name(error, &name) == 0 && name ? name : "an unknown CUDA error";
}

const char *hd_nvrtc_error(const hd_nvrtc_library *library, int error) {
    const char *text = library->error_text(error);
    return text ? text : "an unknown NVRTC error";
}
