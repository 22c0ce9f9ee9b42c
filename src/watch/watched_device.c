#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "watch/watch.h"

#define DEVICE_BY_DEFAULT "h200" /* as for every command */
/* The same figures, where its profile is not at hand. */
#define DEVICE_WITHOUT_PROFILES                                                               \
    "warp:32 l1:256k/32 l2:60m/32 w:1,6.5,11.8 blocks:32 threads:2048 regs:65536 segment:32 " \
    "maxregs:255 sms:132"

/* A profile that was installed with this library, in lib/heddle or a folder there, by its name; else
 * the name itself. */
static const char *installed_profile(hd_arena *arena, const char *name) {
    Dl_info info;
    if (strchr(name, '/') || !dladdr((const void *)(uintptr_t)installed_profile, &info))
        return name;
    const char *folder = hd_path_folder(arena, info.dli_fname);
    for (int up = 0; up < 2; up++) {
        const char *path = hd_format(arena, "%s/%s../../share/heddle/devices/%s.yaml", folder,
                                     up ? "../" : "", name);
        if (!access(path, R_OK))
            return path;
    }
    return name;
}

const hd_device *hd_watched_device(hd_arena *arena, const hd_diag *diag) {
    static const hd_diag silent = {NULL, NULL};
    const hd_device *device = NULL;
    const char *name = getenv("HEDDLE_DEVICE");
    if ((!name || !*name || hd_device_find(arena, diag, installed_profile(arena, name), &device)) &&
        hd_device_find(arena, &silent, installed_profile(arena, DEVICE_BY_DEFAULT), &device) &&
        hd_device_find(arena, diag, DEVICE_WITHOUT_PROFILES, &device))
        exit(EXIT_FAILURE); /* it was said why; without a device no call means anything */
    return device;
}
