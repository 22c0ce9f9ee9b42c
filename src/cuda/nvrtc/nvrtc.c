/*
 * NVRTC's interface (NVRTC 12.9 and 13.0) for programs that compile kernels while they run, where there
 * is no NVRTC: a process of `heddle show --ptx` compiles them, so that no compiler comes into the program.
 * What it gives is PTX, which the driver interface loads.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "watch/heddle_child.h"

#define EXPORT __attribute__((visibility("default")))

typedef enum nvrtc_error {
    NVRTC_SUCCESS = 0,
    NVRTC_OUT_OF_MEMORY = 1,
    NVRTC_PROGRAM_CREATION_FAILURE = 2,
    NVRTC_INVALID_INPUT = 3,
    NVRTC_INVALID_PROGRAM = 4,
    NVRTC_INVALID_OPTION = 5,
    NVRTC_COMPILATION = 6,
    NVRTC_NO_NAMES_AFTER_COMPILATION = 8,
    NVRTC_NO_SYMBOLS_BEFORE_COMPILATION = 9,
    NVRTC_NAME_EXPRESSION_NOT_VALID = 10,
    NVRTC_INTERNAL_ERROR = 11
} nvrtc_error;

/* Architectures that the front end knows how to compile for. */
static const int architectures[] = {75, 80, 86, 87, 89, 90};
enum { ARCHITECTURES = sizeof architectures / sizeof *architectures };

typedef struct source {
    const char *name, *text;
} source;

typedef struct program {
    hd_arena *arena;
    source main;
    hd_vec(source) headers;
    hd_vec(const char *) expressions;
    hd_vec(const char *) symbols; /* of the expressions, once it is compiled; NULL: there is none */
    const char *ptx, *log;
    bool is_compiled, wants_machine_code;
} program;

/* ---- programs ----------------------------------------------------------------------------------- */

EXPORT int nvrtcVersion(int *major, int *minor) {
    if (!major || !minor)
        return NVRTC_INVALID_INPUT;
    *major = NVRTC_MAJOR;
    *minor = NVRTC_MAJOR >= 13 ? 0 : 9;
    return NVRTC_SUCCESS;
}

EXPORT int nvrtcCreateProgram(program **result, const char *text, const char *name, int count,
                              const char *const *headers, const char *const *names) {
    if (!result || !text || count < 0 || (count && (!headers || !names)))
        return NVRTC_INVALID_INPUT;
    hd_arena *arena = hd_arena_new();
    program *made = hd_new(arena, program);
    *made = (program){.arena = arena, .ptx = "", .log = ""};
    made->main = (source){hd_strdup(arena, name && *name ? name : "default_program"),
                          hd_strdup(arena, text)};
    for (int i = 0; i < count; i++)
        hd_push(arena, &made->headers,
                (source){hd_strdup(arena, names[i]), hd_strdup(arena, headers[i])});
    *result = made;
    return NVRTC_SUCCESS;
}

EXPORT int nvrtcDestroyProgram(program **handle) {
    if (!handle || !*handle)
        return NVRTC_INVALID_PROGRAM;
    hd_arena_free((*handle)->arena);
    *handle = NULL;
    return NVRTC_SUCCESS;
}

EXPORT int nvrtcAddNameExpression(program *p, const char *expression) {
    if (!p || !expression)
        return p ? NVRTC_INVALID_INPUT : NVRTC_INVALID_PROGRAM;
    if (p->is_compiled)
        return NVRTC_NO_NAMES_AFTER_COMPILATION;
    hd_push(p->arena, &p->expressions, hd_strdup(p->arena, expression));
    return NVRTC_SUCCESS;
}

/* ---- names -------------------------------------------------------------------------------------- */

#define NAMED "heddle_named_"

/* "ns::f<int>" of " &ns::f<int>" */
static const char *without_address(const char *expression) {
    expression += strspn(expression, " \t\n");
    return *expression == '&' ? expression + 1 : expression;
}

/* A variable for each expression, whose initial value is the symbol. */
static void add_names(hd_str *text, const program *p) {
    if (p->expressions.count)
        hd_str_add(text, "\n#line 1 \"name expressions\"\n");
    for (size_t i = 0; i < p->expressions.count; i++)
        hd_str_printf(text,
                      "extern \"C\" __device__ const void *" NAMED "%zu = (const void *)&%s;\n", i,
                      without_address(p->expressions.data[i]));
}

/* "f" of "f;", "generic(x);" */
static const char *symbol_at(hd_arena *arena, const char *text) {
    static const char generic[] = "generic(";
    if (!strncmp(text, generic, strlen(generic)))
        text += strlen(generic);
    return hd_strndup(arena, text, strcspn(text, ");"));
}

/* Finds the symbols in the PTX, and leaves the variables that have them out. */
static const char *take_names(program *p, const char *ptx) {
    static const char begin[] = ".visible .global .align 8 .u64 " NAMED, value[] = " = ";
    hd_str rest = {.arena = p->arena};
    const char *at;
    for (size_t i = 0; i < p->expressions.count; i++)
        hd_push(p->arena, &p->symbols, NULL);
    while ((at = strstr(ptx, begin))) {
        char *behind;
        size_t number = strtoul(at + strlen(begin), &behind, 10);
        if (number < p->symbols.count && !strncmp(behind, value, strlen(value)))
            p->symbols.data[number] = symbol_at(p->arena, behind + strlen(value));
        hd_str_addn(&rest, ptx, (size_t)(at - ptx));
        ptx = at + strcspn(at, "\n");
    }
    hd_str_add(&rest, ptx);
    return hd_str_text(&rest);
}

EXPORT int nvrtcGetLoweredName(program *p, const char *expression, const char **symbol) {
    if (!p || !expression || !symbol)
        return p ? NVRTC_INVALID_INPUT : NVRTC_INVALID_PROGRAM;
    if (!p->is_compiled)
        return NVRTC_NO_SYMBOLS_BEFORE_COMPILATION;
    for (size_t i = 0; i < p->symbols.count; i++)
        if (!strcmp(p->expressions.data[i], expression) && p->symbols.data[i]) {
            *symbol = p->symbols.data[i];
            return NVRTC_SUCCESS;
        }
    return NVRTC_NAME_EXPRESSION_NOT_VALID;
}

/* ---- compiling ---------------------------------------------------------------------------------- */

typedef struct wishes {
    bool all_on_device; /* functions without a word of where are the device's */
    bool wants_machine_code;
    const char *options;
} wishes;

/* What NVRTC alone has, and changes nothing here, with a value behind an equals sign or none. */
static const char without_meaning[] =
    "-device-int128 --device-int128 -device-float128 --device-float128 -dlto --dlink-time-opt "
    "-builtin-move-forward --builtin-move-forward -builtin-initializer-list "
    "--builtin-initializer-list -modify-stack-limit --modify-stack-limit -no-source-include "
    "--no-source-include -no-cache --no-cache -ewp --extensible-whole-program -pch --pch "
    "-version-ident --version-ident -opt-info --optimization-info -dopt --dopt -Ofast-compile "
    "--Ofast-compile -minimal --minimal -device-stack-protector --device-stack-protector "
    "-brief-diagnostics --brief-diagnostics";

/* "-I DIR" of the folder in which the program runs. */
static const char *absolute_folder(hd_arena *arena, const char *folder) {
    char here[4096];
    return *folder == '/' || !getcwd(here, sizeof here) ? folder
                                                        : hd_format(arena, "%s/%s", here, folder);
}

/* A toolkit's headers are for its compiler; Heddle has its own. */
static bool is_toolkits(hd_arena *arena, const char *word) {
    return !strncmp(word, "-I", 2) &&
           !access(hd_format(arena, "%s/cuda_runtime.h", word + 2), R_OK);
}

static wishes read_options(hd_arena *arena, int count, const char *const *options) {
    wishes w = {false, false, ""};
    char **words = hd_new_array(arena, char *, count + 1);
    uint32_t kept = 0;
    for (int i = 0; i < count; i++) {
        const char *word = options[i] + strspn(options[i], " ");
        static const char *const folders[] = {"-I", "--include-path="};
        if (hd_has_word("-default-device --device-as-default-execution-space", word)) {
            w.all_on_device = true;
            continue;
        }
        if (hd_has_word(without_meaning, hd_strndup(arena, word, strcspn(word, "="))))
            continue;
        if (hd_has_word("-w --disable-warnings", word))
            word = "-w";
        for (size_t f = 0; f < 2; f++) {
            size_t length = strlen(folders[f]);
            if (!strncmp(word, folders[f], length) && word[length])
                word = hd_format(arena, "-I%s", absolute_folder(arena, word + length));
        }
        if (is_toolkits(arena, word))
            continue;
        w.wants_machine_code |= strstr(word, "arch") && strstr(word, "=sm_");
        words[kept++] = hd_strdup(arena, word);
    }
    w.options = hd_join_words(arena, words, kept);
    return w;
}

/* Writes a header where its name says, below the folder. */
static hd_status write_header(hd_arena *arena, const char *folder, const source *header) {
    char *file = hd_format(arena, "%s/%s", folder, header->name);
    if (*header->name == '/' || strstr(header->name, ".."))
        return hd_fail(&hd_silent, HD_EINPUT, NULL, "a header is below its folder");
    for (char *at = file + strlen(folder) + 1; (at = strchr(at, '/')); *at++ = '/') {
        *at = '\0';
        mkdir(file, 0700);
    }
    return hd_write_file(&hd_silent, file, header->text, strlen(header->text));
}

static const char *whole_text(const program *p, const wishes *w, hd_arena *arena) {
    hd_str text = {.arena = arena};
    hd_str_add(&text, "#include <assert.h>\n#include <stddef.h>\n"); /* what NVRTC knows without */
    if (w->all_on_device)
        hd_str_add(&text, "#pragma clang force_cuda_host_device begin\n");
    hd_str_printf(&text, "#line 1 \"%s\"\n%s", p->main.name, p->main.text);
    if (w->all_on_device)
        hd_str_add(&text, "\n#pragma clang force_cuda_host_device end\n");
    add_names(&text, p);
    return hd_str_text(&text);
}

/* In a folder of its own; what keeps it from running is said in the log. */
static void compile(program *p, const wishes *w, hd_arena *arena, const char *folder,
                    hd_child_printed *printed) {
    const char *file = hd_format(arena, "%s/program.cu", folder);
    const char *text = whole_text(p, w, arena);
    hd_status status = hd_write_file(&hd_silent, file, text, strlen(text));
    for (size_t i = 0; i < p->headers.count && !status; i++)
        status = write_header(arena, folder, &p->headers.data[i]);
    const char *const words[] = {
        "show", "--ptx",
        hd_format(arena, "--options=--cuda-path= -D__CUDACC_RTC__ -I%s %s", folder, w->options),
        file, NULL};
    const char *why = status ? "the text or a header of the program cannot be written"
                             : hd_child_run(arena, words, folder, printed);
    if (why)
        *printed = (hd_child_printed){"", hd_format(arena, "error: %s\n", why)};
    printed->errors = hd_replaced(arena, printed->errors, hd_format(arena, "%s/", folder), "");
}

EXPORT int nvrtcCompileProgram(program *p, int count, const char *const *options) {
    if (!p || count < 0 || (count && !options))
        return p ? NVRTC_INVALID_INPUT : NVRTC_INVALID_PROGRAM;
    hd_arena *arena = hd_arena_new();
    const wishes w = read_options(arena, count, options);
    hd_child_printed printed = {"", ""};
    char *folder;
    if (hd_scratch_make(arena, &hd_silent, &folder)) {
        hd_arena_free(arena);
        return NVRTC_INTERNAL_ERROR;
    }
    compile(p, &w, arena, folder, &printed);
    hd_scratch_remove(folder);
    p->log = hd_strdup(p->arena, printed.errors);
    p->wants_machine_code = w.wants_machine_code;
    bool is_made = strstr(printed.out, ".version") != NULL;
    if (is_made)
        p->ptx = take_names(p, hd_strdup(p->arena, printed.out));
    p->is_compiled = is_made;
    bool is_option = strstr(p->log, "unknown argument") || strstr(p->log, "unsupported option");
    bool is_name = strstr(p->log, "name expressions:") != NULL;
    hd_arena_free(arena);
    return is_made     ? NVRTC_SUCCESS
           : is_option ? NVRTC_INVALID_OPTION
           : is_name   ? NVRTC_NAME_EXPRESSION_NOT_VALID
                       : NVRTC_COMPILATION;
}

/* ---- what was made ------------------------------------------------------------------------------ */

static int give_size(const program *p, const char *text, size_t *size) {
    if (!p || !size)
        return p ? NVRTC_INVALID_INPUT : NVRTC_INVALID_PROGRAM;
    *size = strlen(text) + 1;
    return NVRTC_SUCCESS;
}
static int give_text(const program *p, const char *text, char *room) {
    if (!p || !room)
        return p ? NVRTC_INVALID_INPUT : NVRTC_INVALID_PROGRAM;
    memcpy(room, text, strlen(text) + 1);
    return NVRTC_SUCCESS;
}

EXPORT int nvrtcGetPTXSize(program *p, size_t *size) {
    return p && !p->is_compiled ? NVRTC_INVALID_PROGRAM : give_size(p, p ? p->ptx : "", size);
}
EXPORT int nvrtcGetPTX(program *p, char *ptx) {
    return p && !p->is_compiled ? NVRTC_INVALID_PROGRAM : give_text(p, p ? p->ptx : "", ptx);
}
EXPORT int nvrtcGetProgramLogSize(program *p, size_t *size) {
    return give_size(p, p ? p->log : "", size);
}
EXPORT int nvrtcGetProgramLog(program *p, char *log) { return give_text(p, p ? p->log : "", log); }

/* Machine code and other forms are only a GPU's; of an architecture that is virtual there would be none. */
EXPORT int nvrtcGetCUBINSize(program *p, size_t *size) {
    if (!p || !size)
        return p ? NVRTC_INVALID_INPUT : NVRTC_INVALID_PROGRAM;
    *size = 0;
    if (p->wants_machine_code)
        fprintf(stderr,
                "heddle: error: nvrtcGetCUBIN() would give machine code, which only a GPU can "
                "run; compile with --gpu-architecture=compute_75 and take nvrtcGetPTX()\n");
    return p->wants_machine_code ? NVRTC_INVALID_PROGRAM : NVRTC_SUCCESS;
}
EXPORT int nvrtcGetCUBIN(program *p, char *code) {
    (void)p, (void)code;
    return NVRTC_INVALID_PROGRAM;
}
EXPORT int nvrtcGetLTOIRSize(program *p, size_t *size) {
    (void)p, (void)size;
    return NVRTC_INVALID_PROGRAM;
}
EXPORT int nvrtcGetLTOIR(program *p, char *code) {
    (void)p, (void)code;
    return NVRTC_INVALID_PROGRAM;
}

EXPORT int nvrtcGetNumSupportedArchs(int *count) {
    if (!count)
        return NVRTC_INVALID_INPUT;
    *count = ARCHITECTURES;
    return NVRTC_SUCCESS;
}
EXPORT int nvrtcGetSupportedArchs(int *room) {
    if (!room)
        return NVRTC_INVALID_INPUT;
    memcpy(room, architectures, sizeof architectures);
    return NVRTC_SUCCESS;
}

EXPORT const char *nvrtcGetErrorString(int error) {
    static const char *const names[] = {
        [NVRTC_SUCCESS] = "NVRTC_SUCCESS",
        [NVRTC_OUT_OF_MEMORY] = "NVRTC_ERROR_OUT_OF_MEMORY",
        [NVRTC_PROGRAM_CREATION_FAILURE] = "NVRTC_ERROR_PROGRAM_CREATION_FAILURE",
        [NVRTC_INVALID_INPUT] = "NVRTC_ERROR_INVALID_INPUT",
        [NVRTC_INVALID_PROGRAM] = "NVRTC_ERROR_INVALID_PROGRAM",
        [NVRTC_INVALID_OPTION] = "NVRTC_ERROR_INVALID_OPTION",
        [NVRTC_COMPILATION] = "NVRTC_ERROR_COMPILATION",
        [7] = "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE",
        [NVRTC_NO_NAMES_AFTER_COMPILATION] = "NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION",
        [NVRTC_NO_SYMBOLS_BEFORE_COMPILATION] = "NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION",
        [NVRTC_NAME_EXPRESSION_NOT_VALID] = "NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID",
        [NVRTC_INTERNAL_ERROR] = "NVRTC_ERROR_INTERNAL_ERROR"};
    bool known = error >= 0 && (size_t)error < sizeof names / sizeof *names;
    return known ? names[error] : "NVRTC_ERROR unknown";
}
