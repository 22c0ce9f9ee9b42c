#include "advise/nvcc_job.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "frontend/frontend.h"

extern char **environ;

/* ---- the compiler ---------------------------------------------------------------------------- */

static const char *tool_in(hd_arena *arena, const char *folder, size_t length, const char *below,
                           const char *name) {
    const char *path = hd_format(arena, "%.*s%s/%s", (int)length, folder, below, name);
    return length && !access(path, X_OK) ? path : NULL;
}

const char *hd_cuda_tool(hd_arena *arena, const char *name) {
    static const char *const variables[] = {"CUDA_PATH", "CUDA_HOME"};
    const char *found = NULL;
    for (size_t v = 0; v < sizeof variables / sizeof *variables && !found; v++) {
        const char *root = getenv(variables[v]);
        found = root ? tool_in(arena, root, strlen(root), "/bin", name) : NULL;
    }
    for (const char *at = getenv("PATH"); at && *at && !found;) {
        size_t length = strcspn(at, ":");
        found = tool_in(arena, at, length, "", name);
        at += length + (at[length] == ':');
    }
    static const char usual[] = "/usr/local/cuda";
    return found ? found : tool_in(arena, usual, strlen(usual), "/bin", name);
}

const char *hd_nvcc_find(hd_arena *arena) { return hd_cuda_tool(arena, "nvcc"); }

bool hd_run_tool(char **words, int messages) {
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status;
    if (posix_spawn_file_actions_init(&actions))
        return false;
    for (int fd = 0; fd < 3; fd++)
        posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", fd ? O_WRONLY : O_RDONLY, 0);
    if (messages >= 0)
        posix_spawn_file_actions_adddup2(&actions, messages, STDERR_FILENO);
    int failed = posix_spawn(&child, words[0], &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    while (!failed && waitpid(child, &status, 0) < 0)
        failed = errno != EINTR;
    return !failed && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

hd_status hd_nvcc_ptx(hd_arena *arena, const hd_diag *diag, const char *source, const char *options,
                      const char *ptx) {
    const char *nvcc = hd_nvcc_find(arena);
    if (!nvcc)
        return hd_fail(diag, HD_EUNSUPPORTED, NULL, "there is no nvcc; put it into PATH");
    const char *const first[] = {nvcc,        "-w",         "-ptx", "-O3", "-arch=compute_80",
                                 "-lineinfo", "-fmad=false"};
    enum { FIRST = sizeof first / sizeof *first };
    uint32_t count;
    char **given = hd_split_words(arena, options ? options : "", &count);
    char **words = hd_new_array(arena, char *, FIRST + count + 4);
    memcpy(words, first, sizeof first);
    if (count)
        memcpy(words + FIRST, given, count * sizeof *given);
    words[FIRST + count] = hd_strdup(arena, source);
    words[FIRST + count + 1] = "-o";
    words[FIRST + count + 2] = hd_strdup(arena, ptx);
    return hd_run_tool(words, -1)
               ? HD_OK
               : hd_fail(diag, HD_EINPUT, NULL, "nvcc does not compile %s", source);
}

/* ---- the job with its kernels ------------------------------------------------------------------ */

/* Of instances of a template PTX has other names than the source. */
static const kir_kernel *same_kernel(const kir_module *module, const char *name) {
    const kir_kernel *found = kir_find_kernel(module, name);
    const size_t length = strcspn(name, "<");
    for (uint32_t k = 0; k < module->kernel_count && !found; k++)
        if (!strncmp(module->kernels[k]->name, name, length) && !module->kernels[k]->name[length])
            found = module->kernels[k];
    return found;
}

/* Of a texture nvcc's code wants an object, and the job has the array alone. */
static bool reads_texture(const kir_kernel *kernel) {
    for (uint32_t p = 0; p < kernel->param_count; p++)
        if (kernel->params[p].object == KIR_TEXTURE)
            return true;
    return false;
}

static uint32_t same_variable(const kir_kernel *kernel, const kir_kernel *other, uint32_t v) {
    for (uint32_t i = 0; i < kernel->static_count; i++)
        if (!strcmp(kernel->statics[i].name, other->statics[v].name))
            return i;
    return KIR_NONE;
}

static void take_args(hd_arena *arena, hd_launch *launch, const hd_launch *from) {
    uint32_t kept = 0;
    launch->args = hd_new_array(arena, hd_arg, from->arg_count);
    for (uint32_t a = 0; a < from->arg_count; a++) {
        hd_arg arg = from->args[a];
        if (arg.param == KIR_NONE)
            arg.variable = same_variable(launch->kernel, from->kernel, arg.variable);
        if (arg.param != KIR_NONE || arg.variable != KIR_NONE)
            launch->args[kept++] = arg;
    }
    launch->arg_count = kept;
}

hd_status hd_nvcc_job(hd_arena *arena, const hd_diag *diag, const hd_job *job, const char *source,
                      const char *options, const char *ptx, hd_job **made) {
    kir_module *module;
    hd_status status = hd_nvcc_ptx(arena, diag, source, options, ptx);
    if (!status)
        status = hd_frontend(arena, diag, ptx, NULL, &module);
    if (status)
        return status;
    *made = hd_new(arena, hd_job);
    **made = *job;
    (*made)->module = module;
    (*made)->launches = hd_new_array(arena, hd_launch, job->launch_count);
    for (uint32_t l = 0; l < job->launch_count; l++) {
        hd_launch *launch = &(*made)->launches[l];
        *launch = job->launches[l];
        if (reads_texture(launch->kernel))
            return hd_fail(diag, HD_EUNSUPPORTED, NULL,
                           "kernel %s reads a texture, and the job has no object for nvcc's code",
                           launch->kernel->name);
        launch->kernel = same_kernel(module, launch->kernel->name);
        if (!launch->kernel || launch->kernel->param_count != job->launches[l].kernel->param_count)
            return hd_fail(diag, HD_EINPUT, NULL, "the PTX has no kernel %s",
                           job->launches[l].kernel->name);
        take_args(arena, launch, &job->launches[l]);
    }
    return HD_OK;
}
