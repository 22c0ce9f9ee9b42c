#include "cli/program.h"

#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

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

/* `bytes` of the file from `at`; a text ends in '\0'. NULL where it has not so many. */
static void *part(hd_arena *arena, FILE *in, uint64_t at, uint64_t bytes) {
    if (bytes > HD_TEXT_MOST || fseeko(in, (off_t)at, SEEK_SET))
        return NULL;
    char *data = hd_alloc(arena, (size_t)bytes + 1);
    return fread(data, 1, (size_t)bytes, in) == bytes ? data : NULL;
}

static const char *text_at(const char *texts, uint64_t length, uint64_t at) {
    return at < length ? texts + at : "";
}

/* The dynamic section asks for a libcudart. */
static bool needs_cudart(hd_arena *arena, FILE *in, const Elf64_Shdr *sections, uint32_t count,
                         const Elf64_Shdr *dynamic) {
    if (dynamic->sh_link >= count)
        return false;
    const Elf64_Shdr *texts = &sections[dynamic->sh_link];
    const char *names = part(arena, in, texts->sh_offset, texts->sh_size);
    const Elf64_Dyn *entries = part(arena, in, dynamic->sh_offset, dynamic->sh_size);
    for (size_t i = 0; names && entries && i < dynamic->sh_size / sizeof *entries; i++)
        if (entries[i].d_tag == DT_NEEDED &&
            !strncmp(text_at(names, texts->sh_size, entries[i].d_un.d_val), "libcudart.so", 12))
            return true;
    return false;
}

static cli_cuda_use use_of(hd_arena *arena, FILE *in) {
    const Elf64_Ehdr *head = part(arena, in, 0, sizeof *head);
    if (!head || memcmp(head->e_ident, ELFMAG, SELFMAG) || head->e_ident[EI_CLASS] != ELFCLASS64 ||
        head->e_shentsize != sizeof(Elf64_Shdr) || head->e_shstrndx >= head->e_shnum)
        return CLI_NO_CUDA;
    const Elf64_Shdr *sections =
        part(arena, in, head->e_shoff, (uint64_t)head->e_shnum * sizeof *sections);
    if (!sections)
        return CLI_NO_CUDA;
    const Elf64_Shdr *texts = &sections[head->e_shstrndx];
    const char *names = part(arena, in, texts->sh_offset, texts->sh_size);
    bool has_kernels = false, needs = false;
    for (uint32_t i = 0; names && i < head->e_shnum; i++) {
        has_kernels |= !strcmp(text_at(names, texts->sh_size, sections[i].sh_name), ".nv_fatbin");
        needs |= sections[i].sh_type == SHT_DYNAMIC &&
                 needs_cudart(arena, in, sections, head->e_shnum, &sections[i]);
    }
    return needs ? CLI_CUDA_SHARED : has_kernels ? CLI_CUDA_STATIC : CLI_NO_CUDA;
}

cli_cuda_use cli_cuda_use_of(const char *file) {
    FILE *in = fopen(file, "rb");
    if (!in)
        return CLI_NO_CUDA;
    hd_arena *arena = hd_arena_new();
    cli_cuda_use use = use_of(arena, in);
    hd_arena_free(arena);
    fclose(in);
    return use;
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
    return hd_own_file(arena, "lib/heddle", NULL);
}

static void become(char **words, const cli_setting *settings, bool quiet_output) {
    for (; settings->name; settings++)
        setenv(settings->name, settings->value, 1);
    if (quiet_output)
        dup2(STDERR_FILENO, STDOUT_FILENO);
    execvp(words[0], words);
    fprintf(stderr, "heddle: error: cannot run %s: %s\n", words[0], strerror(errno));
    _exit(127);
}

hd_status cli_run_program(cli *c, char **words, const cli_setting *settings, bool quiet_output,
                          int *how) {
    const char *folder = library_folder(c->arena), *before = getenv("LD_LIBRARY_PATH");
    if (!folder)
        return hd_fail(&c->diag, HD_ESYSTEM, NULL,
                       "Heddle's libraries for CUDA programs are not there; install them: cmake "
                       "--install, or ./run install");
    const char *path = before && *before ? hd_format(c->arena, "%s:%s", folder, before) : folder;
    fflush(NULL);
    pid_t child = fork();
    if (child < 0)
        return hd_fail_errno(&c->diag, HD_ESYSTEM, NULL, "start a process");
    if (!child) {
        setenv("LD_LIBRARY_PATH", path, 1);
        become(words, settings, quiet_output);
    }
    while (waitpid(child, how, 0) < 0 && errno == EINTR)
        ;
    return HD_OK;
}
