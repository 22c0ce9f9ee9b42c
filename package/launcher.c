/*
 * bin/heddle of the package: loads Heddle, lib/heddle/lib/heddle-program.so, with the libraries
 * that came along, and runs its main().
 *
 * A program that is linked with them would hide the system's libraries from the system's OpenCL
 * drivers, which are loaded into the same process later: there is one libstdc++.so.6 in a process,
 * and a driver made for a newer one than ours would not load. Therefore what Heddle shares with
 * drivers is the system's where it serves, and ours where it is missing. Whether it serves is seen
 * when Heddle itself is loaded; if not, this program starts again and takes ours. All else that is
 * loaded here is seen by Heddle alone (RTLD_LOCAL).
 */
#include <dlfcn.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char ours_only[] = "HEDDLE_OWN_LIBRARIES"; /* in the environment: take ours */

static const char *const shared_with_drivers[] = {"libgcc_s.so.1", "libstdc++.so.6",
                                                  "libOpenCL.so.1"};

static int fail(const char *what, const char *why) {
    fprintf(stderr, "heddle: cannot load %s: %s; unpack the package again\n", what, why);
    return 2;
}

/* "/opt/heddle" of "/opt/heddle/bin/heddle". */
static bool find_package(char *path, size_t size) {
    ssize_t length = readlink("/proc/self/exe", path, size - 1);
    if (length <= 0 || length == (ssize_t)size - 1)
        return false;
    path[length] = '\0';
    for (int up = 0; up < 2; up++) {
        char *slash = strrchr(path, '/');
        if (!slash)
            return false;
        *slash = '\0';
    }
    return true;
}

static void *load_ours(const char *package, const char *name) {
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/lib/heddle/lib/%s", package, name);
    return dlopen(path, RTLD_LAZY | RTLD_LOCAL);
}

int main(int argc, char **argv) {
    char package[PATH_MAX];
    if (!find_package(package, sizeof package))
        return fail("the package", "this program does not find itself, which takes /proc");
    bool ours = getenv(ours_only) != NULL;
    for (size_t i = 0; i < sizeof shared_with_drivers / sizeof *shared_with_drivers; i++) {
        const char *name = shared_with_drivers[i];
        if ((ours || !dlopen(name, RTLD_LAZY | RTLD_LOCAL)) && !load_ours(package, name))
            return fail(name, dlerror());
    }
    void *program = load_ours(package, "heddle-program.so");
    if (!program && !ours && setenv(ours_only, "1", 1) == 0)
        execv("/proc/self/exe", argv);
    if (!program)
        return fail("heddle-program.so", dlerror());
    int (*run)(int, char **);
    *(void **)&run = dlsym(program, "main");
    return run ? run(argc, argv) : fail("heddle-program.so", dlerror());
}
