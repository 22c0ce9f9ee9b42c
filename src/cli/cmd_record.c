/*
 * heddle record: the launches of a CUDA program as job files (docs/record.md). The program runs as
 * under heddle run; its processes write the folder, and leave files that say what is in it.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/whole_program.h"

typedef struct request {
    char **words; /* the program */
    const char *folder, *kernel, *range;
    cli_source source; /* its options and files */
    uint64_t every, limit, first, last;
    const hd_device *device;
} request;

/* ---- results ---------------------------------------------------------------------------------- */

typedef struct job_row {
    const char *file;
    uint64_t launches, buffers;
    cli_source_job source;
    bool is_opencl; /* its kernels are the program's source */
} job_row;

typedef struct left_row {
    const char *why;
    uint64_t launches;
} left_row;

typedef struct recorded {
    const char *program, *folder;
    int32_t status; /* that the program ended with; -1: a signal ended it */
    bool was_stopped;
    uint64_t launches, bytes;
    hd_vec(job_row) jobs;
    hd_vec(left_row) left_out;
} recorded;

static const hd_member job_members[] = {
    {"file", "job", HD_PLAIN, HD_AT(job_row, file)},
    {"launches", "launches", HD_COUNT, HD_AT(job_row, launches)},
    {"buffers", "buffers", HD_COUNT, HD_AT(job_row, buffers)},
    {"source", "over the source", HD_PLAIN, HD_AT(job_row, source.file)},
    {"source_launches", "launches", HD_COUNT, HD_AT(job_row, source.launches)},
    {"source_misses", HD_AT(job_row, source.why)},
    {0}};
static const hd_member left_members[] = {
    {"why", "left out because of", HD_PLAIN, HD_AT(left_row, why)},
    {"launches", "launches", HD_COUNT, HD_AT(left_row, launches)},
    {0}};
static const hd_member result_members[] = {
    HD_SAME(recorded, program, status, folder, launches, bytes),
    {"jobs", HD_MANY(recorded, jobs.data, jobs.count), .of = job_members},
    {"left_out", HD_MANY(recorded, left_out.data, left_out.count), .of = left_members},
    {0}};

static void take_results(hd_arena *arena, const json_t *all, void *user) {
    recorded *r = user;
    size_t i;
    json_t *o;
    json_array_foreach(json_object_get(all, "left_out"), i, o) {
        const char *said = cli_text_of(arena, o, "why"), *why = said ? said : "";
        size_t at = 0;
        while (at < r->left_out.count && strcmp(r->left_out.data[at].why, why) != 0)
            at++;
        if (at == r->left_out.count)
            hd_push(arena, &r->left_out, (left_row){why, 0});
        r->left_out.data[at].launches += cli_number_of(o, "launches");
    }
}

/* ---- jobs of what the program has left ---------------------------------------------------------- */

static uint64_t entries_in(const char *list) {
    uint64_t count = 0;
    for (const char *at = list; at; at = strchr(at, '\n')) {
        at += *at == '\n';
        count += !strncmp(at, "  - ", 4);
    }
    return count;
}

/* A list that the program may not have left; NULL: it is not there. */
static hd_status read_list(cli *c, const char *path, const char *end, char **text) {
    size_t length;
    const char *list = hd_format(c->arena, "%s.%s", path, end);
    *text = NULL;
    return access(list, R_OK)
               ? HD_OK
               : hd_read_long_file(c->arena, &c->diag, list, SIZE_MAX, text, &length);
}

/* Makes a job of what the program has left of it, where it has launches. */
static hd_status make_job(cli *c, const char *folder, const char *number, job_row *row) {
    const char *name = hd_format(c->arena, "job%s.yaml", number);
    const char *path = hd_format(c->arena, "%s/%s", folder, name);
    static const char *const ends[] = {"head", "buffers", "launches"};
    char *texts[] = {NULL, NULL, NULL};
    hd_status status = HD_OK;
    for (int i = 0; i < 3 && !status; i++)
        status = read_list(c, path, ends[i], &texts[i]);
    const char *head = texts[0], *buffers = texts[1], *launches = texts[2];
    if (status || !head || !launches)
        return status;
    hd_str out = {.arena = c->arena};
    hd_str_printf(&out, "%s%s%slaunches:\n%s", head, buffers ? "buffers:\n" : "",
                  buffers ? buffers : "", launches);
    status = hd_write_file(&c->diag, path, out.data, out.length);
    if (status)
        return status;
    for (int i = 0; i < 3; i++)
        unlink(hd_format(c->arena, "%s.%s", path, ends[i]));
    *row = (job_row){.file = name,
                     .launches = entries_in(launches),
                     .buffers = entries_in(buffers),
                     .is_opencl = !strstr(head, ".ptx\n")};
    return HD_OK;
}

/* The same over the source, where that is known. */
static hd_status make_jobs(cli *c, const char *folder, const char *number, const cli_source *source,
                           job_row *row) {
    hd_status status = make_job(c, folder, number, row);
    if (status || !row->launches)
        return status;
    return row->is_opencl ? cli_make_opencl_job(c, folder, number, &row->source)
                          : cli_make_source_job(c, folder, number, source, &row->source);
}

hd_status cli_finish_recording(cli *c, const char *path) {
    const char *folder = hd_path_folder(c->arena, path), *name = hd_path_name(path);
    job_row row = {0};
    if (strncmp(name, "job", 3) != 0 || !hd_ends_in(name, ".yaml") || !access(path, F_OK) ||
        access(hd_format(c->arena, "%s.head", path), R_OK))
        return HD_OK;
    const char *number = hd_strndup(c->arena, name + 3, strlen(name) - strlen("job.yaml"));
    return make_jobs(c, folder, number, &(cli_source){0}, &row);
}

/* The folder stands for its job.yaml: of an OpenCL program, where libraries launch kernels of their own,
 * that is the first job that has structs. */
static hd_status put_records_first(cli *c, recorded *r) {
    size_t j = 0;
    while (j < r->jobs.count && !(r->jobs.data[j].is_opencl && r->jobs.data[j].source.has_records))
        j++;
    if (!j || j == r->jobs.count)
        return HD_OK;
    job_row *first = &r->jobs.data[0], *other = &r->jobs.data[j];
    const char *at = hd_format(c->arena, "%s/%s", r->folder, first->file);
    const char *from = hd_format(c->arena, "%s/%s", r->folder, other->file);
    const char *aside = hd_format(c->arena, "%s.aside", at);
    if (rename(at, aside) || rename(from, at) || rename(aside, from))
        return hd_fail_errno(&c->diag, HD_ESYSTEM, NULL, "rename a job of the recording");
    const job_row moved = *other;
    *other = *first;
    *first = moved;
    const char *name = other->file;
    other->file = first->file;
    first->file = name;
    other->source.file = other->source.file ? other->file : NULL;
    first->source.file = first->file;
    return HD_OK;
}

/* ---- what is asked for -------------------------------------------------------------------------- */

/* "A-B", from 1, or one number. */
static hd_status read_range(cli *c, request *r) {
    r->first = 0;
    r->last = UINT64_MAX;
    if (!r->range)
        return HD_OK;
    const char *end;
    uint64_t first, last;
    bool fine = cli_whole(r->range, &end, &first) && first;
    last = first;
    if (fine && *end == '-')
        fine = cli_whole(end + 1, &end, &last) && last >= first;
    if (!fine || *end)
        return cli_refuse(c,
                          "--launches takes the numbers of launches, from 1: 3 or 10-20, not "
                          "'%s'",
                          r->range);
    r->first = first - 1;
    r->last = last - 1;
    return HD_OK;
}

/* The compiler's options as a job in another folder takes them. */
static hd_status place_options(cli *c, request *r) {
    char *here = getcwd(NULL, 0);
    hd_job job = {.path = hd_format(c->arena, "%s/--options", here ? here : "."),
                  .options = r->source.options ? r->source.options : "",
                  .options_place.file = "--options"};
    free(here);
    hd_status status = hd_job_check_options(c->arena, &c->diag, &job);
    if (!status)
        hd_job_place_options(c->arena, &job);
    r->source.options = job.options;
    return status;
}

/* A folder of its own, which is there and empty afterwards. */
static hd_status make_folder(cli *c, request *r) {
    hd_folders made = {0};
    if (!r->folder)
        return cli_refuse(c, "which folder? Say -o FOLDER; it is made");
    hd_status status = hd_folders_make(c->arena, &c->diag, r->folder, &made);
    if (status != HD_OK)
        return status;
    struct dirent **entries;
    int count = scandir(r->folder, &entries, NULL, NULL);
    for (int i = 0; i < count; i++)
        free(entries[i]);
    if (count >= 0)
        free(entries);
    if (count > 2)
        return cli_refuse(c, "%s: there is something in this folder; name a new one", r->folder);
    char *whole = realpath(r->folder, NULL); /* the program may change its own */
    r->folder = whole ? hd_strdup(c->arena, whole) : r->folder;
    free(whole);
    return hd_folders_make(c->arena, &c->diag, hd_format(c->arena, "%s/contents", r->folder),
                           &made);
}

static hd_status run_program(cli *c, const request *r, const char *results, recorded *found) {
    int how;
    const char *options = hd_format(
        c->arena, "%sfirst=%llu last=%llu every=%llu limit=%llu%s%s", c->quiet ? "quiet " : "",
        (unsigned long long)r->first, (unsigned long long)r->last, (unsigned long long)r->every,
        (unsigned long long)r->limit, r->kernel ? " kernel=" : "", r->kernel ? r->kernel : "");
    const cli_setting settings[] = {{"HEDDLE_RECORD", r->folder},
                                    {"HEDDLE_RECORD_RESULTS", results},
                                    {"HEDDLE_RECORD_OPTIONS", options},
                                    {"HEDDLE_DEVICE", cli_device_setting(c, r->device)},
                                    {0}};
    const cli_program_run run = {.words = r->words, .settings = settings, .quiet_output = c->json};
    hd_status status = cli_run_program(c, &run, &how);
    if (status)
        return status;
    found->status = cli_ended(c, r->words[0], how);
    found->was_stopped = cli_was_stopped(how);
    return cli_read_results(c, results, take_results, found);
}

static void show(cli *c, const recorded *r, hd_str *out) {
    const char *title = hd_format(c->arena, "%s in %s, %s of contents",
                                  hd_show_counted(c->arena, r->launches, "launch", "es"), r->folder,
                                  hd_show_bytes(c->arena, r->bytes));
    if (r->jobs.count)
        cli_show_rows(c, title, job_members, hd_rows(r->jobs.data, r->jobs.count), out);
    else
        hd_str_printf(out, "%s\n", title);
    for (size_t j = 0; j < r->jobs.count; j++) {
        const job_row *job = &r->jobs.data[j];
        if (job->source.why)
            hd_str_printf(out, "\n%s over the source: %s\n",
                          job->source.file ? "Not all launches" : "No job", job->source.why);
    }
    if (r->left_out.count)
        cli_show_rows(c, "\nNot recorded", left_members,
                      hd_rows(r->left_out.data, r->left_out.count), out);
}

static hd_status record(cli *c, request *r, recorded *found) {
    char *results;
    if (cli_find_device(c, &r->device) || cli_check_program(c, r->words[0]) || read_range(c, r) ||
        place_options(c, r) || make_folder(c, r) || hd_scratch_make(c->arena, &c->diag, &results))
        return HD_EINPUT;
    *found = (recorded){.program = r->words[0], .folder = r->folder};
    hd_status status = run_program(c, r, results, found);
    hd_scratch_remove(results);
    for (unsigned n = 1; !status; n++) { /* of what the program has left */
        const char *number = n == 1 ? "" : hd_format(c->arena, "-%u", n);
        job_row row = {0};
        if (access(hd_format(c->arena, "%s/job%s.yaml.head", r->folder, number), R_OK))
            break;
        status = make_jobs(c, r->folder, number, &r->source, &row);
        if (!status && row.launches) {
            found->launches += row.launches;
            hd_push(c->arena, &found->jobs, row);
        }
    }
    if (!status)
        status = put_records_first(c, found);
    cli_source_job *sources = hd_new_array(c->arena, cli_source_job, found->jobs.count);
    size_t count = 0;
    for (size_t j = 0; j < found->jobs.count; j++)
        if (!found->jobs.data[j].is_opencl)
            sources[count++] = found->jobs.data[j].source;
    return status || !count ? status
                            : cli_add_sources(c, r->folder, sources, count, &r->source, r->words);
}

hd_status cli_record_program(cli *c, char **words, const char *folder) {
    request r = {.words = words,
                 .folder = folder,
                 .source = c->given->input.source,
                 .every = 1,
                 .limit = UINT64_MAX};
    recorded found;
    hd_status status = record(c, &r, &found);
    for (size_t j = 0; j < found.jobs.count && !status; j++)
        if (!found.jobs.data[j].source.file && found.jobs.data[j].source.why)
            hd_note(&c->diag, NULL, "nothing is known of the structs of %s: %s", words[0],
                    found.jobs.data[j].source.why);
    if (status || found.launches)
        return status;
    return cli_refuse(
        c, "%s has launched no kernels that can be run again; 'heddle record' says why", words[0]);
}

int cmd_record(cli *c) {
    const cli_options *o = c->given;
    request r = {.words = c->words,
                 .folder = o->input.out,
                 .kernel = o->kernel,
                 .range = o->launches,
                 .source = o->input.source,
                 .every = o->every ? o->every : 1,
                 .limit = o->limit ? o->limit : UINT64_MAX};
    recorded found;
    hd_status status = record(c, &r, &found);
    if (status)
        return cli_status(status);
    struct dirent **entries;
    struct stat at;
    int count = scandir(hd_format(c->arena, "%s/contents", r.folder), &entries, NULL, NULL);
    for (int i = 0; i < count; i++) {
        const char *path = hd_format(c->arena, "%s/contents/%s", r.folder, entries[i]->d_name);
        found.bytes += !stat(path, &at) && S_ISREG(at.st_mode) ? (uint64_t)at.st_size : 0;
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    hd_str out = {.arena = c->arena};
    show(c, &found, &out);
    int printed = c->json ? cli_print_row(c, result_members, hd_row(&found)) : cli_print(c, &out);
    return printed                           ? printed
           : found.was_stopped               ? CLI_STOPPED
           : found.status || !found.launches ? CLI_WRONG
                                             : CLI_FINE;
}
