/* heddle rewrite: the kernels in another layout, and a header for their host. */
#include "cli/cli.h"
#include "report/json.h"

static int show(cli *c, const hd_job *job, const hd_layout *layout, const hd_rewritten *rewritten,
                const cli_output *paths) {
    const char *notation = hd_layout_print(c->arena, job->record, layout);
    if (c->json)
        return cli_print_json(
            c, json_pack("{s:o, s:o, s:o, s:o, s:I}", "record", hd_json_record(job->record),
                         "layout", hd_json_layout(c->arena, job->record, layout), "kernel",
                         hd_json_text(paths->kernel), "header", hd_json_text(paths->header),
                         "edits", (json_int_t)rewritten->edit_count));
    hd_str out = {.arena = c->arena};
    hd_str_printf(&out, "%s as %s: %u places changed\n  %s\n  %s\n", job->record->spelling,
                  notation, rewritten->edit_count, paths->kernel, paths->header);
    return cli_print(c, &out);
}

static int rewrite(cli *c, const char *path, const cli_source *source, const char *notation,
                   const char *folder) {
    hd_job *job;
    hd_layout *layout;
    hd_rewritten *rewritten;
    if (cli_load_layout(c, path, source, notation, &job, &layout))
        return CLI_WRONG;
    cli_output paths;
    if (cli_output_paths(c, "out", folder, job->kernel_path, &paths) ||
        hd_rewrite_job(c->arena, &c->diag, job, &(hd_record_layout){job->record, layout}, 1,
                       &rewritten) ||
        cli_write_rewritten(c, &paths, rewritten))
        return CLI_WRONG;
    return show(c, job, layout, rewritten, &paths);
}

int cmd_rewrite(cli *c, int argc, char **argv) {
    const char *notation = NULL, *folder = NULL;
    cli_source source = {.any_entry = true};
    cli_option job_options[CLI_JOB_OPTION_COUNT];
    const cli_option options[] = {
        {"layout", 'l', "L", "the layout to write; 'heddle help layout' has the notation", CLI_TEXT,
         &notation},
        {"out", 'd', "DIR", "the folder to write into; it must exist", CLI_TEXT, &folder},
        {0}};
    const cli_page page = {
        "--layout L --out DIR [OPTIONS] JOB|FILE.cl",
        "Writes the kernel file with the record in layout L into DIR, under its own name, and "
        "beside it a C header with the buffers, their sizes and the converters that the host "
        "needs. What cannot be rewritten safely is an error that names the place, and nothing is "
        "written.",
        options,
        cli_job_options(&source, job_options),
        1,
        1};
    char **words;
    uint32_t word_count;
    int status;
    if (!cli_parse(c, &page, argc, argv, &words, &word_count, &status))
        return status;
    if (!folder) {
        hd_fail(&c->diag, HD_EINPUT, NULL, "where to? Name a folder with --out DIR");
        return CLI_WRONG;
    }
    return rewrite(c, words[0], &source, notation, folder);
}
