/* CUDA's driver and NVRTC, opened at run time (cuda_library.h). */
#include "driver/cuda_library.h"

#include <stdlib.h>
#include <unistd.h>

#include "driver/library.h"

bool hd_cuda_open(hd_arena *arena, hd_cuda_library *library, const char **missing) {
    static const driver_symbol symbols[] = {
#define X(member, name, parameters) {offsetof(hd_cuda_library, member), #name, false},
        HD_CUDA_FUNCTIONS(X)
#undef X
    };
    const driver_library cuda = {
        .file = "libcuda.so.1",
        /* Then where containers and WSL have it, which the loader may not know. */
        .places = (const char *const[]){"libcuda.so.1", "/usr/local/nvidia/lib64/libcuda.so.1",
                                        "/usr/lib/wsl/lib/libcuda.so.1", NULL},
        .install = "; install NVIDIA's driver",
        .update = "; install a newer driver of NVIDIA's",
        .symbols = symbols,
        .symbol_count = sizeof symbols / sizeof *symbols};
    *missing = driver_library_open(arena, &cuda, library);
    return !*missing;
}

const char *hd_cuda_toolkit(void) {
    const char *const folders[] = {getenv("CUDA_PATH"), getenv("CUDA_HOME"), "/usr/local/cuda"};
    for (size_t f = 0; f < sizeof folders / sizeof *folders; f++)
        if (folders[f] && *folders[f] && access(folders[f], R_OK) == 0)
            return folders[f];
    return NULL;
}

bool hd_nvrtc_open(hd_arena *arena, hd_nvrtc_library *library, const char **missing) {
    static const driver_symbol symbols[] = {
#define X(member, name, parameters) {offsetof(hd_nvrtc_library, member), #name, false},
        HD_NVRTC_FUNCTIONS(X)
#undef X
            {offsetof(hd_nvrtc_library, error_text), "nvrtcGetErrorString", false},
    };
    /* By the names that its versions have, then in the toolkit, whose folder the loader may not
     * know. */
    static const char *const names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2",
                                        "libnvrtc.so"};
    static const char *const folders[] = {"lib64", "lib", "targets/x86_64-linux/lib"};
    enum { NAMES = sizeof names / sizeof *names, FOLDERS = sizeof folders / sizeof *folders };
    const char *places[NAMES * (FOLDERS + 1) + 1] = {0};
    memcpy(places, names, sizeof names);
    const char *toolkit = hd_cuda_toolkit(), *at = toolkit ? NULL : getenv("PATH");
    char resolved[4096];
    while (at && *at && !toolkit) { /* that of the nvcc in PATH */
        size_t length = strcspn(at, ":");
        if (realpath(hd_format(arena, "%.*s/nvcc", (int)length, at), resolved))
            toolkit = hd_path_folder(arena, hd_path_folder(arena, resolved));
        at += length + (at[length] == ':');
    }
    for (size_t i = 0; toolkit && i < FOLDERS * NAMES; i++)
        places[NAMES + i] =
            hd_format(arena, "%s/%s/%s", toolkit, folders[i / NAMES], names[i % NAMES]);
    const driver_library nvrtc = {
        .file = "libnvrtc.so",
        .places = places,
        .install = " to compile kernels; install NVIDIA's CUDA toolkit, and name its folder in "
                   "CUDA_PATH unless it is /usr/local/cuda",
        .update = "; install a toolkit from CUDA 11.2 on",
        .symbols = symbols,
        .symbol_count = sizeof symbols / sizeof *symbols};
    *missing = driver_library_open(arena, &nvrtc, library);
    return !*missing;
}

const char *hd_cuda_error(const hd_cuda_library *library, int error) {
    const char *name = NULL;
    return library->error_name(error, &name) == 0 && name ? name : "an unknown CUDA error";
}

const char *hd_nvrtc_error(const hd_nvrtc_library *library, int error) {
    const char *text = library->error_text(error);
    return text ? text : "an unknown NVRTC error";
}
