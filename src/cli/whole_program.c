#include "cli/whole_program.h"

#include <dirent.h>
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/elf.h"
#include "cli/commands.h"
#include "cli/stop.h"
#include "driver/compute.h"

/* ---- which file ------------------------------------------------------------------------------- */

const char *cli_program_file(hd_arena *arena, const char *name) {
    if (strchr(name, '/'))
        return access(name, X_OK) ? NULL : name;
    const char *path = getenv("PATH");
    while (path && *path) {
        size_t length = strcspn(path, ":");
        const char *file = hd_format(arena, "%.*s/%s", (int)length, length ? path : ".", name);
        if (length && !access(file, X_OK))
            return file;
        path += length + (path[length] == ':');
    }
    return NULL;
}

/* ---- what is in it ----------------------------------------------------------------------------- */

/* The dynamic section asks for a library whose name begins so. */
static bool needs_library(const hd_elf *elf, const hd_elf_section *dynamic, const char *name) {
    const Elf64_Dyn *entries = (const Elf64_Dyn *)dynamic->data;
    hd_elf_section texts;
    if ((uintptr_t)entries % _Alignof(Elf64_Dyn) || !hd_elf_section_at(elf, dynamic->link, &texts))
        return false;
    for (size_t i = 0; i < dynamic->size / sizeof *entries; i++)
        if (entries[i].d_tag == DT_NEEDED &&
            !strncmp(hd_elf_text(&texts, entries[i].d_un.d_val), name, strlen(name)))
            return true;
    return false;
}

cli_cuda_use cli_cuda_use_of(const char *file) {
    hd_elf elf;
    hd_elf_section section;
    hd_elf_functions functions;
    bool has_kernels = false, needs = false;
    if (!hd_elf_open(file, &elf))
        return CLI_NO_CUDA;
    for (uint32_t i = 0; hd_elf_section_at(&elf, i, &section); i++) {
        has_kernels |= !strcmp(section.name, ".nv_fatbin");
        needs |= section.type == SHT_DYNAMIC && needs_library(&elf, &section, "libcudart.so");
    }
    const bool is_found = has_kernels && hd_elf_functions_of(&elf, &functions) &&
                          hd_elf_find_function(&functions, "__cudaRegisterFatBinary");
    hd_elf_close(&elf);
    return needs          ? CLI_CUDA_SHARED
           : !has_kernels ? CLI_NO_CUDA
           : is_found     ? CLI_CUDA_STATIC
                          : CLI_CUDA_STRIPPED;
}

bool cli_uses_hip(const char *file) {
    hd_elf elf;
    hd_elf_section section;
    bool needs = false;
    if (!hd_elf_open(file, &elf))
        return false;
    for (uint32_t i = 0; hd_elf_section_at(&elf, i, &section); i++)
        needs |= section.type == SHT_DYNAMIC && needs_library(&elf, &section, "libamdhip64.so");
    hd_elf_close(&elf);
    return needs;
}

/* ---- running it ---------------------------------------------------------------------------------- */

/* The folder of the libraries: beside a program that was built and not installed, or below the
 * prefix. */
static const char *library_folder(hd_arena *arena) {
    char program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program);
    if (length > 0 && length < (ssize_t)sizeof program) {
        const char *own = hd_path_folder(arena, hd_strndup(arena, program, (size_t)length));
        const char *beside = hd_format(arena, "%s/cuda", own);
        if (!access(hd_format(arena, "%s/libheddle-cuda.so", beside), R_OK))
            return beside;
    }
    const char *installed = hd_own_file(arena, "lib/heddle/cuda/libheddle-cuda.so", NULL);
    return installed ? hd_path_folder(arena, installed) : NULL;
}

/* In a child's process. */
static void redirect(const char *file, int to) {
    int fd = file ? open(file, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;
    if (fd >= 0)
        dup2(fd, to);
}

/* There is an OpenCL device. Asked by a process of its own, which has no use for drivers. */
static bool has_opencl_device(hd_arena *arena) {
    int how = 0;
    const pid_t child = fork();
    if (!child) {
        uint32_t count;
        const char *missing;
        redirect("/dev/null", STDERR_FILENO);
        redirect("/dev/null", STDOUT_FILENO);
        hd_compute_opencl.list(arena, &count, &missing);
        _exit(count ? 1 : 0);
    }
    while (child > 0 && waitpid(child, &how, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(how) && WEXITSTATUS(how) == 1;
}

/* A driver is configured, as loaders look for them. Whether it has a device it tells, but that takes as long
 * as some programs run. */
static bool has_opencl_driver(void) {
    const char *files = getenv("OCL_ICD_FILENAMES"), *vendors = getenv("OCL_ICD_VENDORS");
    struct stat at;
    glob_t found;
    if (files && *files)
        return true;
    vendors = vendors && *vendors ? vendors : "/etc/OpenCL/vendors";
    if (stat(vendors, &at))
        return false;
    if (!S_ISDIR(at.st_mode))
        return true;
    char pattern[PATH_MAX];
    snprintf(pattern, sizeof pattern, "%s/*.icd", vendors);
    const bool any = !glob(pattern, 0, NULL, &found);
    if (any)
        globfree(&found);
    return any;
}

/* Beside the folder of the libraries; NULL: it is not there. */
static const char *layer_file(hd_arena *arena, const char *libraries) {
    const char *file = hd_format(arena, "%s/libheddle-layer.so", hd_path_folder(arena, libraries));
    return access(file, R_OK) ? NULL : file;
}

/* In the program's process: `first`, and what the variable has. */
static void set_before(hd_arena *arena, const char *name, const char *first) {
    const char *before = getenv(name);
    setenv(name, before && *before ? hd_format(arena, "%s:%s", first, before) : first, 1);
}

/* A toolkit has the file; where programs say by their run path, if not the loader. An empty name: there is
 * none. */
static bool is_in_toolkit(hd_arena *arena, const char *file) {
    static const char *const folders[] = {"lib64", "lib", "targets/x86_64-linux/lib"};
    const char *path = getenv("CUDA_PATH"), *home = getenv("CUDA_HOME");
    const char *toolkit = path ? path : home ? home : "/usr/local/cuda";
    for (size_t i = 0; i < sizeof folders / sizeof *folders && *toolkit; i++)
        if (!access(hd_format(arena, "%s/%s/%s", toolkit, folders[i], file), R_OK))
            return true;
    return false;
}

/* In the program's process: those of Heddle's NVRTC behind all others of which there is none of NVIDIA's. */
static void set_nvrtc(hd_arena *arena, const char *libraries) {
    static const char *const names[][2] = {
        {"nvrtc-12", "libnvrtc.so.12"}, {"nvrtc-13", "libnvrtc.so.13"}, {"nvrtc", "libnvrtc.so"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        void *found = dlopen(names[i][1], RTLD_LAZY | RTLD_LOCAL);
        if (found)
            dlclose(found);
        else if (!is_in_toolkit(arena, names[i][1]))
            setenv("LD_LIBRARY_PATH",
                   hd_format(arena, "%s:%s/%s", getenv("LD_LIBRARY_PATH"), libraries, names[i][0]),
                   1);
    }
}

static void set_cuda(hd_arena *arena, const char *libraries) {
    set_before(arena, "LD_LIBRARY_PATH", libraries);
    set_nvrtc(arena, libraries);
    static const char preloaded[] =
        "libheddle-linked.so"; /* its path must have no blank; this finds it, too */
    set_before(arena, "LD_PRELOAD",
               strpbrk(libraries, " \t") ? preloaded
                                         : hd_format(arena, "%s/%s", libraries, preloaded));
    set_before(arena, "ASAN_OPTIONS",
               "verify_asan_link_order=0"); /* it would be the first library */
}

/* In the program's process: Heddle's layer before others, and where there is no device Heddle's platform,
 * which is in the same library, as ocl-icd and Khronos's loader are told. */
static void set_opencl(hd_arena *arena, const char *libraries, bool has_device) {
    const char *layer = layer_file(arena, libraries);
    if (!layer)
        return;
    set_before(arena, "OPENCL_LAYERS", layer);
    setenv("PYOPENCL_NO_CACHE", "1", 1); /* it keeps binaries, which have no source */
    if (has_device)
        return;
    setenv("OCL_ICD_VENDORS", layer, 1);
    setenv("OCL_ICD_FILENAMES", layer, 1);
}

hd_status cli_run_program(cli *c, const cli_program_run *run, int *how) {
    const char *folder = library_folder(c->arena);
    if (!folder)
        return hd_fail(&c->diag, HD_ESYSTEM, NULL,
                       "Heddle's libraries for CUDA programs (libheddle-cuda.so) are not there; "
                       "'./run build' builds them, beside build/release/heddle");
    if (run->is_opencl && !layer_file(c->arena, folder))
        return hd_fail(
            &c->diag, HD_ESYSTEM, NULL,
            "Heddle's layer for OpenCL programs (libheddle-layer.so) is not there; './run "
            "build' builds it, beside build/release/heddle");
    const char *file = cli_program_file(c->arena, run->words[0]);
    const bool has_device = !file || cli_cuda_use_of(file) ||
                            (run->is_opencl ? has_opencl_driver() : has_opencl_device(c->arena));
    cli_stop stop;
    fflush(NULL);
    cli_catch_stop(&stop); /* the terminal sends signals to the program, too */
    pid_t child = fork();
    if (!child) {
        if (!run->is_opencl)
            set_cuda(c->arena, folder);
        set_opencl(c->arena, folder, has_device);
        for (const cli_setting *s = run->settings; s->name; s++)
            setenv(s->name, s->value, 1);
        redirect(run->output, STDOUT_FILENO);
        redirect(run->errors, STDERR_FILENO);
        if (run->quiet_output)
            dup2(STDERR_FILENO, STDOUT_FILENO);
        if (!run->folder || !chdir(run->folder))
            execvp(run->words[0], run->words);
        fprintf(stderr, "heddle: error: cannot run %s: %s\n", run->words[0], strerror(errno));
        _exit(127);
    }
    hd_status status =
        child < 0 ? hd_fail_errno(&c->diag, HD_ESYSTEM, NULL, "start a process") : HD_OK;
    if (child > 0)
        cli_hand_on_stop(child);
    while (!status && waitpid(child, how, 0) < 0 && errno == EINTR)
        ;
    cli_release_stop(&stop);
    return status;
}

int32_t cli_ended(cli *c, const char *program, int how) {
    const int32_t status = WIFEXITED(how) ? WEXITSTATUS(how) : -1;
    if (status)
        hd_warn(&c->diag, NULL, "%s ended with %s %d", program,
                WIFSIGNALED(how) ? "signal" : "status", WIFSIGNALED(how) ? WTERMSIG(how) : status);
    return status;
}

bool cli_was_stopped(int how) {
    return WIFSIGNALED(how) &&
           (WTERMSIG(how) == SIGINT || WTERMSIG(how) == SIGTERM || WTERMSIG(how) == SIGHUP);
}

hd_status cli_check_program(cli *c, const char *name) {
    const char *file = cli_program_file(c->arena, name);
    if (!file)
        return cli_refuse(c, "there is no program %s", name);
    if (cli_cuda_use_of(file) == CLI_CUDA_STRIPPED)
        return cli_refuse(c,
                          "%s has CUDA's runtime linked in, and no symbols, by which Heddle finds "
                          "it; build it without 'strip' and -s, or with nvcc -cudart shared",
                          file);
    return HD_OK;
}

/* The program may change its folder. */
const char *cli_device_setting(cli *c, const hd_device *device) {
    const cli_texts *names = &c->given->devices;
    char *whole = device->source_file ? realpath(device->source_file, NULL) : NULL;
    const char *kept = whole          ? hd_strdup(c->arena, whole)
                       : names->count ? names->data[0]
                                      : CLI_DEVICE;
    free(whole);
    return kept;
}

/* As watch/watch.c writes them. */
hd_launch_counts cli_counts_of(const json_t *o) {
    const json_t *list = json_object_get(o, "counts");
    hd_launch_counts counts = {0};
    for (size_t i = 0; i < HD_ANALYSIS_COUNT * HD_MOST_COUNTS; i++)
        counts.of[i / HD_MOST_COUNTS][i % HD_MOST_COUNTS] =
            (uint64_t)json_integer_value(json_array_get(list, i));
    return counts;
}

/* ---- what it leaves -------------------------------------------------------------------------------- */

hd_status cli_read_results(cli *c, const char *folder, cli_take_results *take, void *user) {
    struct dirent **entries;
    int count = scandir(folder, &entries, NULL, alphasort);
    hd_status status = HD_OK;
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        char *text;
        size_t length;
        if (!status && hd_ends_in(name, ".json") &&
            !(status = hd_read_file(c->arena, &c->diag, hd_format(c->arena, "%s/%s", folder, name),
                                    &text, &length))) {
            json_t *all = json_loads(text, 0, NULL);
            if (all)
                take(c->arena, all, user);
            json_decref(all);
        }
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    return status;
}

const char *cli_text_of(hd_arena *arena, const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));
    return text ? hd_strdup(arena, text) : NULL;
}

uint64_t cli_number_of(const json_t *object, const char *key) {
    return (uint64_t)json_integer_value(json_object_get(object, key));
}
