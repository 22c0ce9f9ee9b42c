/* Where rewritten kernels go: a folder that exists and is not the kernel's own. */
#include <sys/stat.h>

#include "cli/cli.h"

hd_status cli_output_paths(cli *c, const char *option, const char *folder, const char *kernel_path,
                           cli_output *output) {
    const char *slash = strrchr(kernel_path, '/');
    const char *name = slash ? slash + 1 : kernel_path, *dot = strrchr(name, '.');
    int stem = dot ? (int)(dot - name) : (int)strlen(name);
    output->kernel = hd_format(c->arena, "%s/%s", folder, name);
    output->header = hd_format(c->arena, "%s/%.*s.h", folder, stem, name);

    const hd_place place = {.file = folder};
    struct stat at, source, target;
    if (stat(folder, &at) || !S_ISDIR(at.st_mode))
        return hd_fail(&c->diag, HD_EINPUT, &place,
                       "--%s needs a folder that exists; make it first", option);
    if (!stat(kernel_path, &source) && !stat(output->kernel, &target) &&
        source.st_dev == target.st_dev && source.st_ino == target.st_ino)
        return hd_fail(&c->diag, HD_EINPUT, &place,
                       "the kernel itself is in this folder and would be replaced; choose another "
                       "with --%s",
                       option);
    return HD_OK;
}

hd_status cli_write_rewritten(cli *c, const cli_output *output, const hd_rewritten *rewritten) {
    const hd_output files[] = {
        {output->kernel, rewritten->files[0].text, strlen(rewritten->files[0].text)},
        {output->header, rewritten->host_header, strlen(rewritten->host_header)}};
    return hd_write_files(&c->diag, files, 2);
}
