/* A rewriting in place that was interrupted, and apply --recover (base/journal.c has the idea).
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

void cli_journals_in(cli *c, const char *folder, cli_texts *journals) {
    size_t before = journals->count;
    DIR *entries = opendir(folder);
    for (struct dirent *e; entries && (e = readdir(entries));)
        if (hd_ends_in(e->d_name, ending)) {
            const char *path = strcmp(folder, ".") ? hd_format(c->arena, "%s/%s", folder, e->d_name)
                                                   : hd_strdup(c->arena, e->d_name);
            hd_push(c->arena, journals, path);
        }
    if (entries)
        closedir(entries);
    if (journals->count > before)
        qsort(journals->data + before, journals->count - before, sizeof *journals->data,
              compare_texts);
}

/* Those beside a kernel or a header, or beside a job and its kernel. */
static void add_journals(cli *c, const char *path, cli_texts *journals) {
    hd_job *job;
    const char *own = hd_path_folder(c->arena, path);
    cli_journals_in(c, own, journals);
    if (!cli_is_job(path) || hd_job_read(c->arena, &hd_silent, path, &job))
        return;
    const char *kernel = hd_path_folder(c->arena, job->kernel_path);
    if (strcmp(kernel, own) != 0)
        cli_journals_in(c, kernel, journals);
}

static const char *names(cli *c, const hd_taken_back *done) {
    hd_str text = {.arena = c->arena};
    for (size_t f = 0; f < done->count; f++)
        hd_str_printf(&text, "%s%s", f ? ", " : "", done->files[f]);
    return done->count ? hd_str_text(&text) : "no file had changed";
}

hd_status cli_take_back(cli *c, const char *path) {
    cli_texts journals = {0};
    add_journals(c, path, &journals);
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

/* ---- apply --recover ------------------------------------------------------------------ */

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
    struct stat at;
    if (hd_ends_in(path, ending))
        hd_push(c->arena, &journals, path);
    else if (stat(path, &at))
        return cli_status(cli_fail_at(c, path, "cannot open: %s", strerror(errno)));
    else if (S_ISDIR(at.st_mode))
        cli_journals_in(c, path, &journals);
    else
        add_journals(c, path, &journals);
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
