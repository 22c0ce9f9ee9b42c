/*
 * CUDA C compiled by NVRTC for one device.
 *
 * NVRTC compiles device code alone, with the headers that it is given folders of. A kernel or a
 * variable is asked for by an expression (`scale<float>`, `&math::table`), which also makes an
 * instance of a template, and has its mangled symbol afterwards. (NVRTC's manual, "Accessing
 * Lowered Names".)
 */
#include <unistd.h>

#include "measure/cuda.h"

typedef hd_vec(const char *) word_list;

/* ---- options --------------------------------------------------------------- */

static void add_folder(hd_session *session, word_list *words, const char *folder) {
    hd_push(session->arena, words, hd_format(session->arena, "-I%s", folder));
}

/* The next of the words at *at, which blanks separate and quotes keep together; NULL at the
 * end. */
static const char *next_word(hd_arena *arena, const char **at) {
    static const char blanks[] = " \t\r\n";
    hd_str word = {.arena = arena};
    *at += strspn(*at, blanks);
    if (!**at)
        return NULL;
    char quote = 0;
    for (; **at && (quote || !strchr(blanks, **at)); ++*at) {
        if (quote ? **at == quote : **at == '"' || **at == '\'')
            quote = quote ? 0 : **at;
        else
            hd_str_addn(&word, *at, 1);
    }
    return hd_str_text(&word);
}

/* The job's options are clang's; NVRTC takes those that define macros, name folders or choose
 * the standard, and the others are clang's own affair. */
static void add_job_options(hd_session *session, word_list *words) {
    static const char *const known[] = {"-D", "-U", "-I", "-std="};
    const char *at = session->job->options ? session->job->options : "", *word;
    while ((word = next_word(session->arena, &at)))
        for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
            size_t length = strlen(known[k]);
            if (strncmp(word, known[k], length))
                continue;
            const char *rest = word[length] ? NULL : next_word(session->arena, &at);
            hd_push(session->arena, words,
                    rest ? hd_format(session->arena, "%s%s", word, rest) : word);
        }
}

static word_list make_options(hd_session *session, const hd_program_text *text) {
    hd_arena *arena = session->arena;
    const hd_cuda_session *cuda = hd_cuda_of(session);
    word_list words = {0};
    hd_push(arena, &words,
            hd_format(arena, "--gpu-architecture=sm_%u%u", cuda->major, cuda->minor));
    if (text->folder)
        add_folder(session, &words, text->folder);
    add_folder(session, &words, hd_session_folder(session));
    add_job_options(session, &words);
    const char *toolkit = hd_cuda_toolkit();
    if (toolkit)
        add_folder(session, &words, hd_format(arena, "%s/include", toolkit));
    return words;
}

/* ---- names ----------------------------------------------------------------- */

/* Overloads are called by their symbols, which no expression needs to find. */
static bool is_symbol(const char *kernel) { return !strncmp(kernel, "_Z", 2); }

static bool has_variable(const hd_cuda_program *program, const char *name) {
    for (uint32_t v = 0; v < program->variable_count; v++)
        if (!strcmp(program->variables[v].name, name))
            return true;
    return false;
}

static bool has_buffer(const hd_launch *launch, uint32_t variable) {
    for (uint32_t a = 0; a < launch->arg_count; a++)
        if (launch->args[a].param == KIR_NONE && launch->args[a].variable == variable)
            return true;
    return false;
}

static void find_variables(hd_session *session, hd_arena *arena, hd_cuda_program *program) {
    const hd_job *job = session->job;
    uint32_t most = 0;
    for (uint32_t l = 0; l < job->launch_count; l++)
        most += job->launches[l].kernel->static_count;
    program->variables = hd_new_array(arena, hd_cuda_variable, most);
    for (uint32_t l = 0; l < job->launch_count; l++) {
        const hd_launch *launch = &job->launches[l];
        for (uint32_t s = 0; s < launch->kernel->static_count; s++) {
            const kir_static *variable = &launch->kernel->statics[s];
            bool bound = has_buffer(launch, s);
            program->keeps_state |= !bound && variable->space == KIR_GLOBAL;
            if (bound && !has_variable(program, variable->name))
                program->variables[program->variable_count++].name = variable->name;
        }
    }
}

static const char *address_of(hd_session *session, const hd_cuda_variable *variable) {
    return hd_format(session->arena, "&%s", variable->name);
}

static int add_names(hd_session *session, const hd_cuda_program *program, void *handle) {
    const hd_nvrtc_library *nvrtc = &hd_cuda_of(session)->nvrtc;
    int error = 0;
    for (uint32_t l = 0; l < session->job->launch_count && !error; l++)
        if (!is_symbol(session->job->launches[l].kernel_name))
            error = nvrtc->add_name(handle, session->job->launches[l].kernel_name);
    for (uint32_t v = 0; v < program->variable_count && !error; v++)
        error = nvrtc->add_name(handle, address_of(session, &program->variables[v]));
    return error;
}

static int get_symbol(hd_session *session, hd_arena *arena, void *handle, const char *name,
                      const char **symbol) {
    int error = hd_cuda_of(session)->nvrtc.symbol(handle, name, symbol);
    if (!error)
        *symbol = hd_strdup(arena, *symbol); /* it lives as long as the compiler's program */
    return error;
}

static int get_symbols(hd_session *session, hd_arena *arena, void *handle,
                       hd_cuda_program *program) {
    const hd_job *job = session->job;
    int error = 0;
    for (uint32_t l = 0; l < job->launch_count && !error; l++) {
        const char *name = job->launches[l].kernel_name;
        program->symbols[l] = name;
        if (!is_symbol(name))
            error = get_symbol(session, arena, handle, name, &program->symbols[l]);
    }
    for (uint32_t v = 0; v < program->variable_count && !error; v++)
        error = get_symbol(session, arena, handle, address_of(session, &program->variables[v]),
                           &program->variables[v].symbol);
    return error;
}

/* ---- compiling -------------------------------------------------------------- */

static const char *compile_log(hd_session *session, void *handle) {
    const hd_nvrtc_library *nvrtc = &hd_cuda_of(session)->nvrtc;
    size_t size = 0;
    nvrtc->log_size(handle, &size);
    char *log = hd_alloc(session->arena, size + 1);
    return size && nvrtc->log(handle, log) == 0 ? log : "";
}

static int get_image(hd_session *session, hd_arena *arena, void *handle, const char **image) {
    const hd_nvrtc_library *nvrtc = &hd_cuda_of(session)->nvrtc;
    size_t size = 0;
    int error = nvrtc->image_size(handle, &size);
    char *bytes = hd_alloc(arena, size + 1);
    *image = bytes;
    return error ? error : nvrtc->image(handle, bytes);
}

static hd_status compile(hd_session *session, hd_arena *arena, const hd_program_text *text,
                         void *handle, hd_cuda_program *program) {
    const hd_nvrtc_library *nvrtc = &hd_cuda_of(session)->nvrtc;
    word_list options = make_options(session, text);
    int error = add_names(session, program, handle);
    if (!error)
        error = nvrtc->compile(handle, (int)options.count, options.data);
    if (!error)
        error = get_symbols(session, arena, handle, program);
    if (!error)
        error = get_image(session, arena, handle, &program->image);
    if (!error)
        return HD_OK;
    return hd_session_fail_build(session, text, hd_nvrtc_error(nvrtc, error),
                                 compile_log(session, handle));
}

hd_status hd_cuda_compile(hd_session *session, hd_arena *arena, const hd_program_text *text,
                          hd_cuda_program *program) {
    const hd_nvrtc_library *nvrtc = &hd_cuda_of(session)->nvrtc;
    void *handle = NULL;
    program->symbols = hd_new_array(arena, const char *, session->job->launch_count);
    find_variables(session, arena, program);
    int error = nvrtc->create(&handle, text->text, text->file, 0, NULL, NULL);
    if (error)
        return hd_session_fail(session, &(hd_place){.file = text->file}, "compile",
                               hd_nvrtc_error(nvrtc, error));
    hd_status status = compile(session, arena, text, handle, program);
    nvrtc->destroy(&handle);
    return status;
}
