/*
 * The words that clang and libclang are called with: what makes a file OpenCL C
 * or CUDA C, and where CUDA's headers are.
 *
 * CUDA C is compiled for the device alone (nvptx64), so host code is parsed but
 * makes no code. The driver's own search for a toolkit is switched off, because
 * it wants more than headers and warns about versions; what it would add for a
 * toolkit in DIR is added here:
 *
 *     clang's wrappers of C++ headers, __clang_cuda_runtime_wrapper.h included first, with the
 *     toolkit's cuda.h, whatever the user's folders have of that name
 *     DIR/include and DIR/include/cccl after all other folders
 *
 * Both kinds of host header, C's and C++'s, are the system's, or those of the package.
 * Without a toolkit heddle_cuda.h of our own takes the place of the wrapper. Both
 * are followed by heddle_functions.h, and that by the user's -D and -U as a header in
 * memory: a -DN=32 must not reach NVIDIA's headers, where N is a name. libdevice
 * is never linked: functions like __nv_sinf stay calls (libdevice.c).
 *
 * OpenCL C has heddle_opencl.h before it, and heddle_images.h where it may have images.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <llvm/Config/llvm-config.h>

#include "frontend/clang/clang.h"
#include "frontend/clang/internal.h"

static void add(front_state *front, front_words *words, const char *word) {
    hd_push(front->arena, words, hd_strdup(front->arena, word));
}

void front_add_list(front_state *front, front_words *words, const front_words *list) {
    for (size_t i = 0; i < list->count; i++)
        hd_push(front->arena, words, list->data[i]);
}

void front_add_words(front_state *front, front_words *words, const char *text) {
    uint32_t count;
    char **split = hd_split_words(front->arena, text, &count);
    for (uint32_t i = 0; i < count; i++)
        hd_push(front->arena, words, split[i]);
}

const char *front_clang(front_state *front) {
    const char *own = hd_own_file(front->arena, "lib/heddle/bin/clang", NULL);
    return own ? own : hd_own_fallback.clang;
}

/* The folder of clang's own headers is `include` in this one; libclang looks for it
 * beside itself, which is wrong where distributions link it into another folder. */
static const char *resource_folder(front_state *front) {
    char program[PATH_MAX];
    if (!realpath(front_clang(front), program))
        return NULL;
    for (int up = 0; up < 2; up++) {
        char *slash = strrchr(program, '/');
        if (slash)
            *slash = '\0';
    }
    const char *folder = hd_format(front->arena, "%s/lib/clang/%d", program, LLVM_VERSION_MAJOR);
    return access(hd_format(front->arena, "%s/include", folder), R_OK) == 0 ? folder : NULL;
}

/* ---- CUDA C ------------------------------------------------------------ */

static bool has_toolkit(front_state *front, const char *folder) {
    return access(hd_format(front->arena, "%s/include/cuda_runtime.h", folder), R_OK) == 0;
}

/* The toolkit's folder, or NULL for our own header. One that the user names must be
 * there; an empty name asks for our own header. */
static hd_status find_toolkit(front_state *front, const char **toolkit) {
    static const char option[] = "--cuda-path=";
    const char *named = NULL;
    *toolkit = NULL;
    for (uint32_t i = 0; i < front->option_count; i++)
        if (starts_with(front->options[i], option))
            named = front->options[i] + strlen(option);
    if (named && *named && !has_toolkit(front, named))
        return hd_fail(front->diag, HD_EINPUT, &(hd_place){.file = front->path},
                       "there is no include/cuda_runtime.h in %s; --cuda-path= without a folder "
                       "takes Heddle's own header",
                       named);
    const char *path = getenv("CUDA_PATH"), *home = getenv("CUDA_HOME");
    const char *folders[] = {named, path, home, "/usr/local/cuda"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders && !*toolkit; i++) {
        if (folders[i] && !*folders[i])
            return HD_OK;
        if (folders[i] && has_toolkit(front, folders[i]))
            *toolkit = folders[i];
    }
    return HD_OK;
}

static void know_system_folder(front_state *front, const char *folder) {
    char resolved[PATH_MAX];
    if (realpath(folder, resolved))
        hd_push(front->arena, &front->system_folders, hd_strdup(front->arena, resolved));
}

static void add_system_folder(front_state *front, front_words *words, const char *how,
                              const char *folder) {
    add(front, words, how);
    add(front, words, folder);
    know_system_folder(front, folder);
}

/* Neither the file nor a header of the user's could have to do with what has one of these words. */
static bool has_none_of(front_state *front, const char *const *words) {
    char *text;
    size_t length;
    if (hd_read_file(front->arena, NULL, front->path, &text, &length) ||
        strstr(text, "#include \""))
        return false;
    for (; *words; words++)
        if (strstr(text, *words))
            return false;
    return true;
}

/* Of NVIDIA's C++ libraries, a quarter of whose time goes into what few programs ask for. */
static void lighten_libraries(front_state *front, hd_str *macros) {
    static const char *const small_floats[] = {"half", "bf16", "bfloat", "fp16", "fp8", NULL};
    hd_str_add(macros, "#define NVTX_DISABLE 1\n"); /* names of stretches of time in host code */
    if (has_none_of(front, small_floats))
        hd_str_add(macros, "#define CCCL_DISABLE_FP16_SUPPORT 1\n"
                           "#define CCCL_DISABLE_BF16_SUPPORT 1\n"
                           "#define CCCL_DISABLE_FP8_SUPPORT 1\n");
}

/* Waves of HIP have 64 lanes, but from gfx10 on 32, and as options say. Those of its compiler go no
 * further. */
static void translate_hip(front_state *front) {
    static const char arch[] = "--offload-arch=gfx";
    uint32_t kept = 0;
    if (!hd_is_hip(front->path))
        return;
    front->wave = 64;
    for (uint32_t i = 0; i < front->option_count; i++) {
        char *option = front->options[i];
        if (starts_with(option, arch))
            front->wave = strlen(option) >= sizeof arch + 3 ? 32 : 64; /* gfx1030, gfx90a */
        else if (!strcmp(option, "-mwavefrontsize64"))
            front->wave = 64;
        else if (!strcmp(option, "-mno-wavefrontsize64"))
            front->wave = 32;
        else
            front->options[kept++] = option;
    }
    front->option_count = kept;
}

static void add_folders(front_state *front, front_words *words, const char *toolkit,
                        const char *own) {
    hd_arena *arena = front->arena;
    const char *resources = resource_folder(front);
    if (resources)
        add_system_folder(front, words, "-isystem",
                          hd_format(arena, "%s/include/cuda_wrappers", resources));
    add_system_folder(front, words, "-isystem", own);
    add_system_folder(front, words, "-isystem",
                      hd_format(arena, "%s/%s", own, toolkit ? "toolkit" : "own"));
    add_system_folder(front, words, "-isystem", hd_format(arena, "%s/hip", own));
    /* Headers of the C++ and C libraries, where they came along with clang. The system's follow
     * them, for what else a file includes; without ours the driver finds the system's by itself. */
    const char *library = hd_own_file(arena, "lib/heddle/include", NULL);
    if (library) {
        add(front, words, "-nostdlibinc");
        add_system_folder(front, words, "-isystem", hd_format(arena, "%s/c++", library));
        add_system_folder(front, words, "-idirafter", hd_format(arena, "%s/c", library));
        add_system_folder(front, words, "-idirafter", "/usr/local/include");
        add_system_folder(front, words, "-idirafter", "/usr/include");
    }
    if (toolkit) {
        add_system_folder(front, words, "-iquote", hd_format(arena, "%s/quoted", own));
        add(front, words, hd_format(arena, "-DHEDDLE_CUDA_H=<%s/include/cuda.h>", toolkit));
        add_system_folder(front, words, "-idirafter", hd_format(arena, "%s/include", toolkit));
        add_system_folder(front, words, "-idirafter", hd_format(arena, "%s/include/cccl", toolkit));
    }
    add_system_folder(front, words, "-idirafter", hd_format(arena, "%s/after", own));
    if (resources)
        know_system_folder(front, hd_format(arena, "%s/include", resources));
    know_system_folder(front, "/usr/include");
    know_system_folder(front, "/usr/lib");
}

/* An architecture that has all warp functions; one of the user's replaces it. Macros go to
 * `macros`, folders of toolkits are none of the driver's affair. */
static void add_user_options(front_state *front, front_words *words, hd_str *macros) {
    bool has_architecture = false;
    for (uint32_t i = 0; i < front->option_count; i++) {
        const char *option = front->options[i];
        bool is_macro = starts_with(option, "-D") || starts_with(option, "-U");
        has_architecture |=
            starts_with(option, "--cuda-gpu-arch=") || starts_with(option, "--offload-arch=");
        if (is_macro) {
            bool apart = !option[2] && i + 1 < front->option_count; /* -D NAME */
            const char *macro = apart ? front->options[++i] : option + 2;
            if (option[1] == 'D') {
                size_t length = strcspn(macro, "=");
                hd_str_printf(macros, "#define %.*s %s\n", (int)length, macro,
                              macro[length] ? macro + length + 1 : "1");
            } else {
                hd_str_printf(macros, "#undef %s\n", macro);
            }
        } else if (!starts_with(option, "--cuda-path=")) {
            add(front, words, option);
        }
    }
    if (!has_architecture)
        add(front, words,
            hd_format(front->arena, "--cuda-gpu-arch=sm_%u",
                      front->architecture ? front->architecture : 80));
}

static hd_status add_cuda(front_state *front, front_words *words) {
    static const char language[] =
        "-x cuda --cuda-device-only --cuda-path=/no/toolkit -nocudainc -nogpulib "
        "--cuda-feature=+ptx83 -Xclang -target-sdk-version=12.5 -Xclang "
        "-fcuda-allow-variadic-functions -Wno-deprecated-declarations -Wno-register "
        "-Wno-unknown-attributes -Wno-unknown-pragmas -ffp-contract=on";
    front_words user = {0}, folders = {0};
    const char *toolkit = NULL;
    const char *own = hd_own_file(front->arena, "share/heddle/cuda", "src/frontend/clang/cuda");
    hd_status status = find_toolkit(front, &toolkit);
    if (status == HD_OK && !own)
        status = hd_fail(front->diag, HD_ESYSTEM, &(hd_place){.file = front->path},
                         "Heddle's own headers for CUDA C, share/heddle/cuda, are not beside "
                         "the program; install Heddle again");
    if (status)
        return status;
    hd_str macros = {.arena = front->arena};
    front_translate_nvcc(front);
    translate_hip(front);
    add_user_options(front, &user, &macros);
    add_folders(front, &folders, toolkit, own);
    if (toolkit)
        lighten_libraries(front, &macros);
    front_add_words(front, words, language);
    const char *headers = hd_format(front->arena, "-include %s -include heddle_functions.h",
                                    toolkit ? "__clang_cuda_runtime_wrapper.h" : "heddle_cuda.h");
    const char *prelude = front_prelude(front, words, &user, &folders, headers);
    front_add_list(front, words, &user);
    front_add_list(front, words, &folders);
    add(front, words, "-O1"); /* what its macros say is the same for clang and libclang */
    if (prelude) {
        front_add_words(front, words, "-Xclang -include-pch -Xclang");
        add(front, words, prelude);
    } else {
        front_add_words(front, words, headers);
    }
    if (!macros.length)
        return HD_OK;
    front->macros = memfd_create("heddle-macros", MFD_CLOEXEC);
    if (front->macros < 0 ||
        write(front->macros, macros.data, macros.length) != (ssize_t)macros.length)
        return hd_fail(front->diag, HD_ESYSTEM, NULL, "cannot make a file in memory: %s",
                       strerror(errno));
    add(front, words, "-include");
    add(front, words, hd_format(front->arena, "/proc/%ld/fd/%d", (long)getpid(), front->macros));
    return HD_OK;
}

/* ---- OpenCL C ------------------------------------------------------------ */

/* What reads and writes images takes clang longer than most files do. */
static bool may_have_images(front_state *front) {
    static const char *const words[] = {"image", "sampler", "#include", NULL};
    bool found = !has_none_of(front, words);
    for (uint32_t i = 0; i < front->option_count; i++)
        found |= starts_with(front->options[i], "-include") ||
                 strstr(front->options[i], words[0]) || strstr(front->options[i], words[1]);
    return found;
}

static hd_status add_opencl(front_state *front) {
    front_words *words = &front->language;
    const char *own = hd_own_file(front->arena, "share/heddle/opencl", "src/frontend/clang/opencl");
    if (!own)
        return hd_fail(front->diag, HD_ESYSTEM, &(hd_place){.file = front->path},
                       "Heddle's own headers for OpenCL C, share/heddle/opencl, are not beside the "
                       "program; install Heddle again");
    add(front, words, "-cl-std=CL2.0"); /* the last one counts */
    for (uint32_t i = 0; i < front->option_count; i++)
        add(front, words, front->options[i]);
    front_add_words(front, words,
                    "-x cl -nogpulib -Wno-ignored-pragmas -Xclang -cl-ext=+all -target");
    add(front, words, front_triple(front->form));
    add_system_folder(front, words, "-isystem", own);
    front_add_words(front, words, "-include heddle_opencl.h");
    if (may_have_images(front))
        front_add_words(front, words, "-include heddle_images.h");
    return HD_OK;
}

hd_status front_language(front_state *front) {
    return front->is_cuda ? add_cuda(front, &front->language) : add_opencl(front);
}

/* ---- libclang ------------------------------------------------------------ */

void front_libclang_words(front_state *front, front_words *words) {
    hd_arena *arena = front->arena;
    front_add_list(front, words, &front->language);
    add(front, words, "-w");
    const char *resources = resource_folder(front);
    if (resources) { /* libclang puts a folder of its own behind -resource-dir, which may be wrong */
        add(front, words, "-resource-dir");
        add(front, words, resources);
        add(front, words, "-isystem");
        add(front, words, hd_format(arena, "%s/include", resources));
    }
    /* float4 and its like from a short header, built-in functions from a table. */
    if (!front->is_cuda)
        front_add_words(front, words,
                        "-Xclang -finclude-default-header -Xclang -fdeclare-opencl-builtins");
}

hd_status front_clang_parse(hd_arena *arena, const hd_diag *diag, const char *path,
                            const char *options, const char *device, hd_parse_command *command) {
    front_state front = front_of(arena, diag, path, options, device);
    front_words words = {0};
    hd_status status = front_language(&front);
    front_libclang_words(&front, &words);
    *command = (hd_parse_command){words.data, (int)words.count, front.macros, front.is_cuda,
                                  front.wave != 0};
    if (status)
        hd_parse_command_end(command);
    return status;
}

hd_status hd_host_command_make(hd_arena *arena, const hd_diag *diag, const char *path,
                               const char *options, hd_parse_command *command) {
    front_state front = front_of(arena, diag, path, options, "host");
    front_words words = {0};
    bool is_c = hd_ends_in(path, ".c") || hd_ends_in(path, ".h");
    const char *resources = resource_folder(&front);
    front_add_words(&front, &words, is_c ? "-x c -w" : "-x c++ -std=gnu++17 -w");
    /* Of the options for the kernels those that other compilers know, too. */
    static const char apart[] = "-I -D -U -isystem -iquote -idirafter -include";
    for (uint32_t i = 0; i < front.option_count; i++) {
        const char *option = front.options[i];
        bool is_apart = hd_has_word(apart, option) && i + 1 < front.option_count;
        if (is_apart || starts_with(option, "-I") || starts_with(option, "-D") ||
            starts_with(option, "-U"))
            add(&front, &words, option);
        if (is_apart)
            add(&front, &words, front.options[++i]);
    }
    if (resources) {
        add(&front, &words, "-resource-dir");
        add(&front, &words, resources);
    }
    *command = (hd_parse_command){words.data, (int)words.count, -1, false, false};
    return HD_OK;
}

void hd_parse_command_end(hd_parse_command *command) {
    if (command->macros >= 0)
        close(command->macros);
    command->macros = -1;
}
