/*
 * libnvrtc.so.13 for tests: kernels compiled for the processor (README.md).
 *
 * Expression i of a program becomes the function fake_i, which calls a kernel once or gives
 * the address of a variable, whose size is fake_i_size. An image is a number of bytes and a
 * library of so many.
 */
#include <sys/stat.h>
#include <unistd.h>

#include "fake.h"

enum { MOST = 64, COMPILATION = 6, INVALID_OPTION = 5, NOT_VALID = 10, INTERNAL_ERROR = 11 };

typedef struct program {
    char *text, *name, *log;
    char *expressions[MOST], symbols[MOST][16];
    unsigned count;
    char *image;
    size_t image_size;
    int compiled;
} program;

int nvrtcVersion(int *major, int *minor);
int nvrtcCreateProgram(void **made, const char *text, const char *name, int header_count,
                       const char *const *headers, const char *const *header_names);
int nvrtcDestroyProgram(void **handle);
int nvrtcAddNameExpression(void *handle, const char *expression);
int nvrtcCompileProgram(void *handle, int count, const char *const *options);
int nvrtcGetProgramLogSize(void *handle, size_t *size);
int nvrtcGetProgramLog(void *handle, char *log);
int nvrtcGetLoweredName(void *handle, const char *expression, const char **symbol);
int nvrtcGetCUBINSize(void *handle, size_t *size);
int nvrtcGetCUBIN(void *handle, char *image);
const char *nvrtcGetErrorString(int error);

int nvrtcVersion(int *major, int *minor) {
    *major = 13;
    *minor = 0;
    return fake_failure(__func__);
}

const char *nvrtcGetErrorString(int error) {
    return error == COMPILATION      ? "NVRTC_ERROR_COMPILATION"
           : error == INVALID_OPTION ? "NVRTC_ERROR_INVALID_OPTION"
           : error == NOT_VALID      ? "NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID"
                                     : "NVRTC_ERROR_INTERNAL_ERROR";
}

int nvrtcCreateProgram(void **made, const char *text, const char *name, int header_count,
                       const char *const *headers, const char *const *header_names) {
    REQUIRE(!header_count && !headers && !header_names);
    FAIL_ON_REQUEST();
    program *p = calloc(1, sizeof *p);
    p->text = strdup(text);
    p->name = strdup(name);
    p->log = strdup("");
    *made = p;
    return 0;
}

int nvrtcDestroyProgram(void **handle) {
    program *p = *handle;
    for (unsigned e = 0; e < p->count; e++)
        free(p->expressions[e]);
    free(p->text);
    free(p->name);
    free(p->log);
    free(p->image);
    free(p);
    *handle = NULL;
    return 0;
}

int nvrtcAddNameExpression(void *handle, const char *expression) {
    program *p = handle;
    REQUIRE(!p->compiled);
    FAIL_ON_REQUEST();
    for (unsigned e = 0; e < p->count; e++)
        if (!strcmp(p->expressions[e], expression))
            return 0;
    REQUIRE(p->count < MOST);
    snprintf(p->symbols[p->count], sizeof p->symbols[0], "fake_%u", p->count);
    p->expressions[p->count++] = strdup(expression);
    return 0;
}

static int write_source(const program *p, const char *path) {
    FILE *file = fopen(path, "w");
    if (!file)
        return 0;
    if (strstr(p->text, "__syncthreads"))
        fprintf(file, "#define FAKE_BARRIERS\n");
    fprintf(file, "#include \"%s\"\n#line 1 \"%s\"\n%s\n#line 1 \"names\"\n", FAKE_CUDA_DEVICE_H,
            p->name, p->text);
    for (unsigned e = 0; e < p->count; e++)
        if (p->expressions[e][0] == '&')
            fprintf(file,
                    "extern \"C\" void *fake_%u() { return (void *)(%s); }\n"
                    "extern \"C\" unsigned long fake_%u_size() { return sizeof *(%s); }\n",
                    e, p->expressions[e], e, p->expressions[e]);
        else
            fprintf(file, "extern \"C\" void fake_%u(void **params) { fake_call(%s, params); }\n",
                    e, p->expressions[e]);
    return fclose(file) == 0;
}

/* Those of NVRTC that Heddle uses; for clang all but the architecture. */
static int add_options(char *command, size_t size, int count, const char *const *options) {
    static const char *const known[] = {"-I", "-D", "-U", "-std="};
    int has_architecture = 0;
    for (int o = 0; o < count; o++) {
        int is_known = !strcmp(options[o], "--gpu-architecture=sm_86");
        has_architecture |= is_known;
        for (size_t k = 0; k < sizeof known / sizeof *known && !is_known; k++)
            if (!strncmp(options[o], known[k], strlen(known[k]))) {
                size_t used = strlen(command);
                is_known = 1;
                snprintf(command + used, size - used, " '%s'", options[o]);
            }
        if (!is_known)
            return 0;
    }
    return has_architecture;
}

static void keep_log(program *p, const char *path) {
    FILE *file = fopen(path, "r");
    char text[8192];
    size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
    text[length] = '\0';
    if (file)
        fclose(file);
    free(p->log);
    p->log = strdup(text);
}

static int keep_image(program *p, const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file)
        return 0;
    fseek(file, 0, SEEK_END);
    size_t size = (size_t)ftell(file);
    rewind(file);
    p->image_size = sizeof size + size;
    p->image = malloc(p->image_size);
    memcpy(p->image, &size, sizeof size);
    size_t got = fread(p->image + sizeof size, 1, size, file);
    fclose(file);
    return got == size;
}

/* ---- what any process has compiled ------------------------------------------------------------ */

/* FNV-1a of a text behind what came before it. */
static unsigned long hash_text(unsigned long hash, const char *text) {
    do
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3;
    while (*text++);
    return hash;
}

static int hash_file(unsigned long *hash, const char *path) {
    FILE *file = fopen(path, "r");
    int c = EOF;
    while (file && (c = getc(file)) != EOF)
        *hash = (*hash ^ (unsigned char)c) * 0x100000001b3;
    return file && fclose(file) == 0;
}

/* Where the library of this program is kept, in the folder FAKE_CUDA_CACHE or that for caches:
 * compiling takes most of these tests' time, and they compile the same again and again. Not of what
 * includes other files. */
static int kept_path(const program *p, int count, const char *const *options, char *path,
                     size_t size) {
    const char *named = getenv("FAKE_CUDA_CACHE");
    const char *folder = named ? named : getenv("XDG_CACHE_HOME");
    unsigned long hash = hash_text(0xcbf29ce484222325, p->text);
    if (!folder || strstr(p->text, "include") || !hash_file(&hash, FAKE_CUDA_DEVICE_H))
        return 0;
    for (unsigned e = 0; e < p->count; e++)
        hash = hash_text(hash, p->expressions[e]);
    for (int o = 0; o < count; o++)
        if (strncmp(options[o], "-I", 2) != 0)
            hash = hash_text(hash, options[o]);
    mkdir(folder, 0777);
    return snprintf(path, size, "%s/%016lx.so", folder, hash) < (int)size;
}

/* Whole or not at all: other processes read it. */
static void keep_library(const program *p, const char *path) {
    char part[4200];
    snprintf(part, sizeof part, "%s.%ld", path, (long)getpid());
    FILE *file = fopen(part, "wb");
    size_t size = p->image_size - sizeof size;
    if (!file)
        return;
    size_t written = fwrite(p->image + sizeof size, 1, size, file);
    if (fclose(file) || written != size || rename(part, path))
        unlink(part);
}

/* ---- compiling --------------------------------------------------------------------------------- */

/* The linker by itself: clang would start a second clang before it. */
static int compile_in(program *p, const char *folder, int count, const char *const *options) {
    char source[96], log[96], library[96], link[512], command[8192];
    snprintf(source, sizeof source, "%s/kernel.cpp", folder);
    snprintf(log, sizeof log, "%s/log", folder);
    snprintf(library, sizeof library, "%s/kernel.so", folder);
    snprintf(link, sizeof link, "ld -shared -Bsymbolic -o '%s' '%s.o'", library, library);
    snprintf(command, sizeof command,
             "exec '%s' -x c++ -O1 -w -fPIC -c -fdiagnostics-format=msvc -fno-show-column "
             "-fno-caret-diagnostics -o '%s.o' '%s' >'%s' 2>&1",
             FAKE_CUDA_CLANG, library, source, log);
    int known = add_options(command, sizeof command, count, options);
    int fine = known && write_source(p, source) && !system(command) && !system(link);
    keep_log(p, log);
    fine = fine && keep_image(p, library);
    unlink(source);
    unlink(log);
    unlink(library);
    unlink(strcat(library, ".o"));
    return fine ? 0 : known ? COMPILATION : INVALID_OPTION;
}

int nvrtcCompileProgram(void *handle, int count, const char *const *options) {
    program *p = handle;
    char folder[] = "/tmp/fake-cuda-XXXXXX";
    FAIL_ON_REQUEST();
    p->compiled = 1;
    char kept[4096];
    int may_keep = kept_path(p, count, options, kept, sizeof kept);
    if (may_keep && keep_image(p, kept))
        return 0;
    if (!mkdtemp(folder))
        return INTERNAL_ERROR;
    int error = compile_in(p, folder, count, options);
    rmdir(folder);
    if (may_keep && !error)
        keep_library(p, kept);
    return error;
}

int nvrtcGetProgramLogSize(void *handle, size_t *size) {
    *size = strlen(((program *)handle)->log) + 1;
    return 0;
}

int nvrtcGetProgramLog(void *handle, char *log) {
    strcpy(log, ((program *)handle)->log);
    return 0;
}

int nvrtcGetLoweredName(void *handle, const char *expression, const char **symbol) {
    program *p = handle;
    REQUIRE(p->compiled);
    FAIL_ON_REQUEST();
    for (unsigned e = 0; e < p->count; e++)
        if (!strcmp(p->expressions[e], expression)) {
            *symbol = p->symbols[e];
            return 0;
        }
    return NOT_VALID;
}

int nvrtcGetCUBINSize(void *handle, size_t *size) {
    program *p = handle;
    FAIL_ON_REQUEST();
    *size = p->image_size;
    return 0;
}

int nvrtcGetCUBIN(void *handle, char *image) {
    FAIL_ON_REQUEST();
    memcpy(image, ((program *)handle)->image, ((program *)handle)->image_size);
    return 0;
}
