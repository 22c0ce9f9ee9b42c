/* heddle rewrite: the kernels in another layout, and a header for their host. */
#include "cli/cli.h"
#include "report/json.h"

typedef struct request {
    cli_source source;
    cli_texts notations;
    const char *folder;
    bool diff, in_place, unverified;
} request;

/* What was done. */
typedef struct outcome {
    const hd_job *job;
    const hd_record_layout *layouts;
    uint32_t layout_count;
    const hd_rewritten *rewritten;
    bool checked;
    cli_output paths;
    const char *patch; /* or NULL */
} outcome;

/* ---- showing ------------------------------------------------------------------------- */

static json_t *layouts_json(cli *c, const outcome *o) {
    json_t *list = json_array();
    for (uint32_t l = 0; l < o->layout_count; l++)
        json_array_append_new(
            list, json_pack("{s:o, s:o}", "record", hd_json_record(o->layouts[l].record), "layout",
                            hd_json_layout(c->arena, o->layouts[l].record, o->layouts[l].layout)));
    return list;
}

static json_t *files_json(cli *c, const outcome *o) {
    json_t *list = json_array();
    for (uint32_t f = 0; f < o->rewritten->file_count; f++) {
        const hd_rewritten_file *file = &o->rewritten->files[f];
        const char *at = o->paths.folder ? hd_format(c->arena, "%s/%s", o->paths.folder, file->name)
                                         : file->path;
        json_array_append_new(list,
                              json_pack("{s:o, s:o, s:I}", "from", hd_json_text(file->path), "file",
                                        hd_json_text(at), "edits", (json_int_t)file->edit_count));
    }
    return list;
}

static int show_json(cli *c, const outcome *o) {
    json_t *value = json_pack("{s:o, s:o, s:o, s:o, s:b, s:I}", "layouts", layouts_json(c, o),
                              "kernel", hd_json_text(o->paths.kernel), "header",
                              hd_json_text(o->paths.header), "files", files_json(c, o), "verified",
                              (int)o->checked, "edits", (json_int_t)o->rewritten->edit_count);
    if (o->patch)
        json_object_set_new(value, "patch", hd_json_text(o->patch));
    return cli_print_json(c, value);
}

static int show(cli *c, const request *r, const outcome *o) {
    if (c->json)
        return show_json(c, o);
    hd_str out = {.arena = c->arena};
    if (o->patch) {
        hd_str_add(&out, o->patch);
        return cli_print(c, &out);
    }
    for (uint32_t l = 0; l < o->layout_count; l++)
        hd_str_printf(&out, "%s%s as %s", l ? ", " : "", o->layouts[l].record->spelling,
                      hd_layout_print(c->arena, o->layouts[l].record, o->layouts[l].layout));
    hd_str_printf(&out, ": %u places changed%s\n", o->rewritten->edit_count,
                  o->checked ? ", checked on the machine" : ", not checked");
    for (uint32_t f = 0; f < o->rewritten->file_count; f++) {
        const hd_rewritten_file *file = &o->rewritten->files[f];
        if (r->in_place)
            hd_str_printf(&out, "  %s\n", file->path);
        else
            hd_str_printf(&out, "  %s/%s\n", o->paths.folder, file->name);
    }
    hd_str_printf(&out, "  %s\n", o->paths.header);
    return cli_print(c, &out);
}

/* ---- doing ----------------------------------------------------------------------------- */

static hd_status write_out(cli *c, const request *r, outcome *o) {
    if (r->in_place)
        return cli_replace_rewritten(c, &o->paths, o->rewritten);
    if (!r->diff)
        return cli_write_rewritten(c, &o->paths, o->rewritten);
    hd_str patch = {.arena = c->arena};
    hd_status status = cli_diff_rewritten(c, &o->paths, o->rewritten, &patch);
    o->patch = hd_str_text(&patch);
    return status;
}

static int rewrite(cli *c, const char *path, const request *r) {
    hd_job *job;
    hd_record_layout *layouts;
    hd_rewritten *rewritten;
    uint32_t count;
    outcome o = {0};
    if (cli_load_layouts(c, path, &r->source, &r->notations, &job, &layouts, &count) ||
        (r->folder && cli_output_paths(c, "out", r->folder, job->kernel_path, &o.paths)) ||
        hd_rewrite_job(c->arena, &c->diag, job, layouts, count, &rewritten))
        return CLI_WRONG;
    hd_status status =
        r->unverified ? HD_OK
                      : cli_verify(c, path, &r->source, job, layouts, count, rewritten, &o.checked);
    if (status != HD_OK)
        return cli_status(status);
    o.job = job;
    o.layouts = layouts;
    o.layout_count = count;
    o.rewritten = rewritten;
    return write_out(c, r, &o) ? CLI_WRONG : show(c, r, &o);
}

static bool check_target(cli *c, const request *r) {
    int targets = (r->folder != NULL) + r->diff + r->in_place;
    if (targets == 1)
        return true;
    hd_fail(&c->diag, HD_EINPUT, NULL,
            targets ? "--out, --diff and --in-place are three ways to get one result; choose one"
                    : "where to? Name a folder with --out DIR, or say --diff or --in-place");
    return false;
}

int cmd_rewrite(cli *c, int argc, char **argv) {
    request r = {.source = {.any_entry = true}};
    cli_option job_options[CLI_JOB_OPTION_COUNT];
    const cli_option options[] = {
        {"layout", 'l', "L",
         "the layout to write; RECORD=L for another record of the job (may be repeated); 'heddle "
         "help layout' has the notation",
         CLI_TEXTS, &r.notations, "aos soa da"},
        {"out", 'o', "DIR", "the folder to write into; it must exist", CLI_TEXT, &r.folder},
        {"diff", 0, NULL, "print the change as a patch instead, for 'patch -p1'", CLI_FLAG,
         &r.diff},
        {"in-place", 0, NULL, "change the files themselves", CLI_FLAG, &r.in_place},
        {"no-verify", 0, NULL,
         "do not run the original and the rewritten kernels on the machine to compare them",
         CLI_FLAG, &r.unverified},
        {0}};
    const cli_page page = {
        "--layout L (--out DIR | --diff | --in-place) [OPTIONS] JOB|FILE",
        "Writes the kernel file with records in other layouts, what it includes where that "
        "changes, and a C header with the buffers, their sizes and the converters that the host "
        "needs. What cannot be rewritten safely is an error that names the place, and nothing is "
        "written. Before anything is written, both versions run on the machine on the job's "
        "contents (random numbers where it gives none) and every buffer is compared: exit status "
        "1 when they differ.",
        options,
        cli_job_options(&r.source, job_options),
        1,
        1};
    char **words;
    uint32_t word_count;
    int status;
    if (!cli_parse(c, &page, argc, argv, &words, &word_count, &status))
        return status;
    return check_target(c, &r) ? rewrite(c, words[0], &r) : CLI_WRONG;
}
