/* --dump and --check. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/buffer_contents.h"

/* ---- BUFFER=FILE ---------------------------------------------------------------------- */

/* Splits "BUFFER=FILE" at its first '='. */
static hd_status split(cli *c, const char *option, const char *text, const hd_job *job,
                       uint32_t *buffer, const char **path) {
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || !equals[1])
        return cli_refuse(c, "--%s takes %sBUFFER=FILE, not '%s'", option,
                          strcmp(option, "check") ? "" : "opencl or ", text);
    const char *name = hd_strndup(c->arena, text, (size_t)(equals - text));
    const char **names = hd_new_array(c->arena, const char *, job->buffer_count + 1);
    hd_str all = {.arena = c->arena};
    *path = equals + 1;
    for (*buffer = 0; *buffer < job->buffer_count; ++*buffer) {
        names[*buffer] = job->buffers[*buffer].name;
        hd_str_printf(&all, "%s%s", *buffer ? ", " : "", names[*buffer]);
        if (!strcmp(names[*buffer], name))
            return HD_OK;
    }
    const char *near = cli_nearest(name, names, job->buffer_count);
    if (!job->buffer_count)
        return cli_refuse(c, "--%s names the buffer '%s', but there are no buffers", option, name);
    if (near)
        return cli_refuse(c, "--%s names the buffer '%s', which is not there; did you mean '%s'?",
                          option, name, near);
    return cli_refuse(c, "--%s names the buffer '%s', which is not there; the buffers are: %s",
                      option, name, hd_str_text(&all));
}

static uint64_t bytes_of(const hd_buffer *buffer) { return buffer->count * buffer->element_bytes; }

/* ---- files to write --------------------------------------------------------------------- */

hd_status cli_check_output(cli *c, const char *option, const char *path, const char *const *inputs,
                           size_t input_count) {
    const hd_place place = {.file = path};
    const char *target;
    struct stat at;
    if (!*path)
        return cli_refuse(c, "--%s: the name is empty; name a file", option);
    /* Renaming would put a file in the place of a device or a pipe. Where there is none, it may be
     * a link to nothing yet, or hd_output_target() tells. */
    bool there = !stat(path, &at);
    if (there && S_ISDIR(at.st_mode))
        return hd_fail(&c->diag, HD_EINPUT, &place, "--%s: this is a folder; name a file in it",
                       option);
    if (there && !S_ISREG(at.st_mode))
        return hd_fail(&c->diag, HD_EINPUT, &place, "--%s: this is no regular file; name a file",
                       option);
    for (size_t i = 0; there && i < input_count; i++)
        if (inputs[i] && hd_same_file(path, inputs[i]))
            return hd_fail(&c->diag, HD_EINPUT, &place,
                           "--%s: this is the input, and it would be replaced; choose another "
                           "name",
                           option);
    hd_status status = hd_output_target(c->arena, &c->diag, path, &target);
    if (status != HD_OK)
        return status;
    const char *folder = hd_path_folder(c->arena, target);
    if (stat(folder, &at) || !S_ISDIR(at.st_mode))
        return hd_fail(&c->diag, HD_EINPUT, &place, "--%s: there is no folder %s; make it first",
                       option, folder);
    if (access(folder, W_OK))
        return hd_fail(&c->diag, HD_ESYSTEM, &place, "--%s: cannot write into %s: %s", option,
                       folder, strerror(errno));
    return HD_OK;
}

hd_status cli_read_dumps(cli *c, const cli_texts *texts, const hd_job *job, cli_dump **dumps) {
    const char *const inputs[] = {job->path, job->kernel_path};
    *dumps = hd_new_array(c->arena, cli_dump, texts->count);
    for (size_t i = 0; i < texts->count; i++) {
        cli_dump *dump = &(*dumps)[i];
        hd_status status = split(c, "dump", texts->data[i], job, &dump->buffer, &dump->path);
        if (status == HD_OK)
            status = cli_check_output(c, "dump", dump->path, inputs, 2);
        if (status != HD_OK)
            return status;
        for (size_t k = 0; k < i; k++) { /* the same name in the same folder, whatever the way */
            const char *a = (*dumps)[k].path, *b = dump->path;
            if (!hd_output_target(c->arena, &c->diag, a, &a) &&
                !hd_output_target(c->arena, &c->diag, b, &b) &&
                !strcmp(hd_path_name(a), hd_path_name(b)) &&
                hd_same_file(hd_path_folder(c->arena, a), hd_path_folder(c->arena, b)))
                return cli_refuse(c, "--dump writes two buffers to %s; give each a file of its own",
                                  dump->path);
        }
    }
    return HD_OK;
}

hd_status cli_write_dumps(cli *c, const cli_dump *dumps, size_t count, const hd_job *job,
                          void *const *contents) {
    hd_output *files = hd_new_array(c->arena, hd_output, count);
    for (size_t i = 0; i < count; i++)
        files[i] = (hd_output){dumps[i].path, contents[dumps[i].buffer],
                               bytes_of(&job->buffers[dumps[i].buffer])};
    return hd_write_files(&c->diag, files, count);
}

/* ---- comparing -------------------------------------------------------------------------- */

hd_status cli_read_check(cli *c, const cli_texts *texts, const char *on, const hd_job *job,
                         cli_check *check) {
    *check = (cli_check){.on = on};
    check->reference = hd_new_array(c->arena, void *, job->buffer_count);
    for (size_t i = 0; i < texts->count; i++) {
        uint32_t buffer;
        const char *path;
        if (!strcmp(texts->data[i], "opencl")) {
            check->opencl = true;
            continue;
        }
        if (!strcmp(texts->data[i], "expected")) {
            check->expected = true;
            continue;
        }
        hd_status status = split(c, "check", texts->data[i], job, &buffer, &path);
        if (status == HD_OK && check->reference[buffer])
            status = cli_refuse(c, "--check has two files for buffer '%s'; keep one",
                                job->buffers[buffer].name);
        if (status != HD_OK)
            return status;
        const hd_buffer *of = &job->buffers[buffer];
        const hd_place place = {.file = path};
        const uint64_t wanted = bytes_of(of);
        struct stat at;
        char *text;
        size_t length;
        if (!stat(path, &at) && S_ISREG(at.st_mode) && (uint64_t)at.st_size != wanted)
            return hd_fail(&c->diag, HD_EINPUT, &place,
                           "this file has %llu bytes, buffer '%s' %llu (%llu elements of %u); give "
                           "a file with its bytes in C's layout",
                           (unsigned long long)at.st_size, of->name, (unsigned long long)wanted,
                           (unsigned long long)of->count, of->element_bytes);
        status = hd_read_long_file(c->arena, &c->diag, path, wanted, &text, &length);
        if (status == HD_OK && length != wanted)
            status = hd_fail(&c->diag, HD_EINPUT, &place,
                             "this does not hold the %llu bytes of buffer '%s'",
                             (unsigned long long)wanted, of->name);
        if (status != HD_OK)
            return status;
        check->reference[buffer] = text;
        check->files = true;
    }
    if (on && !check->opencl)
        return cli_refuse(c, "--on goes with --check opencl");
    if (check->opencl && (!job->module->device || strcmp(job->module->device, "opencl")))
        return cli_fail_at(c, job->kernel_path,
                           "no OpenCL device runs the kernels of this file; compare with files: "
                           "--check BUFFER=FILE");
    return HD_OK;
}

static hd_status compare_with(cli *c, cli_check *check, const hd_job *job, void *const *contents,
                              const char *where, void *const *others) {
    bool equal, bit_equal;
    hd_status status =
        hd_contents_compare(c->arena, &c->diag, job, &(hd_contents){"on the machine", contents},
                            &(hd_contents){where, others}, &equal, &bit_equal);
    check->equal = check->equal && equal;
    check->bit_equal = check->bit_equal && bit_equal;
    return status;
}

hd_status cli_compare(cli *c, cli_check *check, const hd_job *job, void *const *contents) {
    hd_status files = HD_OK, device = HD_OK;
    check->equal = check->bit_equal = true;
    if (check->files)
        files = compare_with(c, check, job, contents, "in the file", check->reference);
    if (!check->opencl)
        return files;
    void **others = hd_new_array(c->arena, void *, job->buffer_count);
    const hd_measure_options options = {.device = check->on};
    cli_progress(c, "running on the OpenCL device");
    /* Kernels that print do so on the device, too, straight to our standard output, where their
     * text stands already and where --json promises an object and nothing else. */
    fflush(stdout);
    int kept = dup(STDOUT_FILENO), nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (kept >= 0 && nowhere >= 0)
        dup2(nowhere, STDOUT_FILENO);
    if (nowhere >= 0)
        close(nowhere);
    device = hd_measure_run(c->arena, &c->diag, job, &options, others, NULL);
    fflush(stdout);
    if (kept >= 0) {
        dup2(kept, STDOUT_FILENO);
        close(kept);
    }
    cli_progress(c, NULL);
    if (device == HD_OK)
        device = compare_with(c, check, job, contents, "on the OpenCL device", others);
    return device ? device : files;
}
