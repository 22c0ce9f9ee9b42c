/* A rewriting in place that was interrupted, and rewrite --recover (base/journal.c has the idea).
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "cli/cli.h"

static const char ending[] = ".heddle-journal";

const char *cli_journal_of(cli *c, const char *kernel_path) {
    return hd_format(c->arena, "%s%s", kernel_path, ending);
}

static int compare_texts(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

cli_texts cli_journals_in(cli *c, const char *folder) {
    cli_texts journals = {0};
    DIR *entries = opendir(folder);
    for (struct dirent *e; entries && (e = readdir(entries));)
        if (hd_ends_in(e->d_name, ending)) {
            const char *path = strcmp(folder, ".") ? hd_format(c->arena, "%s/%s", folder, e->d_name)
                                                   : hd_strdup(c->arena, e->d_name);
            hd_push(c->arena, &journals, path);
        }
    if (entries)
        closedir(entries);
    if (journals.count)
        qsort(journals.data, journals.count, sizeof *journals.data, compare_texts);
    return journals;
}

/* The folders of a kernel or a header, or of a job and its kernel. */
static void add_folders(cli *c, const char *path, cli_texts *folders) {
    static const hd_diag silent = {NULL, NULL};
    hd_job *job;
    hd_push(c->arena, folders, hd_path_folder(c->arena, path));
    if (!cli_is_job(path) || hd_job_read(c->arena, &silent, path, &job))
        return;
    const char *kernel = hd_path_folder(c->arena, job->kernel_path);
    if (strcmp(kernel, folders->data[0]) != 0)
        hd_push(c->arena, folders, kernel);
}

/* The journals in these folders. */
static void add_journals(cli *c, const cli_texts *folders, cli_texts *journals) {
    for (size_t f = 0; f < folders->count; f++) {
        cli_texts found = cli_journals_in(c, folders->data[f]);
        for (size_t j = 0; j < found.count; j++)
            hd_push(c->arena, journals, found.data[j]);
    }
}

static const char *names(cli *c, const hd_taken_back *done) {
    hd_str text = {.arena = c->arena};
    for (size_t f = 0; f < done->count; f++)
        hd_str_printf(&text, "%s%s", f ? ", " : "", done->files[f]);
    return done->count ? hd_str_text(&text) : "no file had changed";
}

hd_status cli_take_back(cli *c, const char *path) {
    cli_texts folders = {0}, journals = {0};
    add_folders(c, path, &folders);
    add_journals(c, &folders, &journals);
    for (size_t j = 0; j < journals.count; j++) {
        hd_taken_back done;
        hd_status status = hd_take_back(c->arena, &c->diag, journals.data[j], &done);
        if (status != HD_OK)
            return status;
        hd_note(&c->diag, &(hd_place){.file = journals.data[j]},
                "a rewrite in place was interrupted and is taken back: %s", names(c, &done));
    }
    return HD_OK;
}

/* ---- rewrite --recover ------------------------------------------------------------------ */

static hd_status journals_of(cli *c, const char *path, cli_texts *journals) {
    cli_texts folders = {0};
    struct stat at;
    if (hd_ends_in(path, ending)) {
        hd_push(c->arena, journals, path);
        return HD_OK;
    }
    if (stat(path, &at))
        return hd_fail(&c->diag, HD_EINPUT, &(hd_place){.file = path}, "cannot open: %s",
                       strerror(errno));
    if (S_ISDIR(at.st_mode))
        hd_push(c->arena, &folders, path);
    else
        add_folders(c, path, &folders);
    add_journals(c, &folders, journals);
    return HD_OK;
}

/* What a journal was taken back of. */
typedef struct taken_back {
    const char *journal;
    hd_taken_back done;
} taken_back;

typedef struct recovery {
    taken_back *data;
    size_t count;
} recovery;

static const hd_member taken_back_members[] = {
    {"journal", HD_AT(taken_back, journal)},
    {"files", HD_NUMBERS(taken_back, done.files, done.count)},
    {0}};
static const hd_member recovery_members[] = {
    {"taken_back", HD_MANY(recovery, data, count), .of = taken_back_members}, {0}};

int cli_recover(cli *c, const char *path) {
    cli_texts journals = {0};
    hd_str out = {.arena = c->arena};
    if (journals_of(c, path, &journals) != HD_OK)
        return CLI_WRONG;
    recovery all = {hd_new_array(c->arena, taken_back, journals.count), 0};
    int status = CLI_FINE;
    for (size_t j = 0; j < journals.count; j++) {
        taken_back *one = &all.data[all.count];
        one->journal = journals.data[j];
        if (hd_take_back(c->arena, &c->diag, one->journal, &one->done) != HD_OK) {
            status = CLI_WRONG;
            continue;
        }
        all.count++;
        hd_str_printf(&out, "taken back (%s): %s\n", one->journal, names(c, &one->done));
    }
    if (!journals.count)
        hd_str_add(&out, "no rewrite was interrupted here\n");
    int printed = c->json ? cli_print_row(c, recovery_members, hd_row(&all)) : cli_print(c, &out);
    return status ? status : printed;
}
