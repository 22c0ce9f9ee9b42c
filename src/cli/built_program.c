#include "cli/built_program.h"

#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/whole_program.h"

/* A file of a folder, or what a program left. */
typedef struct item {
    const char *name;
    char *data;
    size_t length;
    struct timespec written;
} item;

typedef hd_vec(item) items;

/* What one run left. */
typedef struct left {
    int how; /* as waitpid() says it */
    items lines, files, memory;
    hd_launch_counts counts;
    uint32_t processes;
} left;

typedef struct builder {
    cli *c;
    const char *command;
    const char *folders[2]; /* of the original, and of what was made; whole paths */
    char **words;           /* the program as seen from both */
    const hd_record_layout *layouts;
    uint32_t layout_count;
    const hd_rewritten *rewritten;
    const char *header;
} builder;

static const char *whole(cli *c, const char *path) {
    char *found = realpath(path, NULL);
    const char *kept = found ? hd_strdup(c->arena, found) : path;
    free(found);
    return kept;
}

/* ---- files -------------------------------------------------------------------------------------- */

static bool is_recording(cli *c, const char *folder) {
    return !access(hd_format(c->arena, "%s/contents", folder), R_OK) &&
           !access(hd_format(c->arena, "%s/job.yaml", folder), R_OK);
}

/* Regular files below a folder, as "name/of/file"; not below `but`, in recordings, or hidden. */
static void list_files(cli *c, const char *folder, const char *prefix, const char *but,
                       items *files) {
    struct dirent **entries;
    int count = scandir(folder, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        struct stat at;
        const char *name = entries[i]->d_name;
        const char *path = hd_format(c->arena, "%s/%s", folder, name);
        const char *shown = hd_format(c->arena, "%s%s", prefix, name);
        bool is_there = *name != '.' && !lstat(path, &at);
        if (is_there && S_ISREG(at.st_mode))
            hd_push(c->arena, files, (item){.name = shown, .written = at.st_mtim});
        else if (is_there && S_ISDIR(at.st_mode) && strcmp(path, but) != 0 &&
                 !is_recording(c, path))
            list_files(c, path, hd_format(c->arena, "%s/", shown), but, files);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
}

static const item *find(const items *all, const char *name) {
    for (size_t i = 0; i < all->count; i++)
        if (!strcmp(all->data[i].name, name))
            return &all->data[i];
    return NULL;
}

static items files_of(const builder *b, int which) {
    items files = {0};
    list_files(b->c, b->folders[which], "", b->folders[!which], &files);
    return files;
}

static bool is_made(const builder *b, const char *name) {
    bool made = !strcmp(hd_path_name(b->header), name);
    for (uint32_t f = 0; f < b->rewritten->file_count; f++)
        made |= !strcmp(b->rewritten->files[f].name, name);
    return made;
}

/* What the command needs beside the sources, and what the program reads. What it builds itself is
 * left out: it would be taken for new. */
static hd_status complete_folder(const builder *b) {
    cli *c = b->c;
    hd_folders made = {0};
    hd_status status = HD_OK;
    const items files = files_of(b, 0);
    for (size_t i = 0; i < files.count && !status; i++) {
        const char *name = files.data[i].name;
        const char *from = hd_format(c->arena, "%s/%s", b->folders[0], name);
        const char *to = hd_format(c->arena, "%s/%s", b->folders[1], name);
        struct stat at;
        char *text;
        size_t length;
        if (is_made(b, name) || hd_ends_in(name, ".o") || !strcmp(name, b->words[0]))
            continue;
        status = hd_folders_make(c->arena, &c->diag, hd_path_folder(c->arena, to), &made);
        if (!status)
            status = hd_read_long_file(c->arena, &c->diag, from, SIZE_MAX, &text, &length);
        if (!status)
            status = hd_write_file(&c->diag, to, text, length);
        if (!status && !stat(from, &at))
            (void)chmod(to, at.st_mode & 07777);
    }
    return status;
}

/* ---- building ----------------------------------------------------------------------------------- */

/* nvcc links the shared runtime and says where lines come from, whatever the command says, and finds
 * the headers that stay where they are. */
static const char *nvcc_flags(const builder *b, int which) {
    const char *before = getenv("NVCC_APPEND_FLAGS");
    hd_str flags = {.arena = b->c->arena};
    hd_str_printf(&flags, "%s%s", before ? before : "", before && *before ? " " : "");
    hd_str_add(&flags, "-cudart shared -lineinfo");
    for (uint32_t e = 0; which && e < b->rewritten->elsewhere_count; e++)
        if (b->rewritten->elsewhere[e].folder)
            hd_str_printf(&flags, " -I %s", whole(b->c, b->rewritten->elsewhere[e].folder));
    return hd_str_text(&flags);
}

static hd_status build(const builder *b, int which) {
    char *const words[] = {"sh", "-c", (char *)b->command, NULL};
    const char *flags = nvcc_flags(b, which);
    int how = 0;
    cli_progress(b->c, which ? "building the new program" : "building the program");
    pid_t child = fork();
    if (!child) {
        setenv("NVCC_APPEND_FLAGS", flags, 1);
        dup2(STDERR_FILENO, STDOUT_FILENO);
        if (!chdir(b->folders[which]))
            execvp(words[0], words);
        _exit(127);
    }
    if (child < 0)
        return hd_fail_errno(&b->c->diag, HD_ESYSTEM, NULL, "start a process");
    while (waitpid(child, &how, 0) < 0 && errno == EINTR)
        ;
    cli_progress(b->c, NULL);
    return WIFEXITED(how) && !WEXITSTATUS(how)
               ? HD_OK
               : hd_fail(&b->c->diag, HD_EINPUT, &(hd_place){.file = b->folders[which]},
                         "--build: '%s' fails in this folder%s", b->command,
                         which ? ", where the rewritten program is; in that of the original it "
                                 "does not"
                               : "; say what builds the program there");
}

/* ---- running ------------------------------------------------------------------------------------ */

typedef struct taking {
    cli *c;
    const char *folder;
    left *to;
} taking;

static void take_results(hd_arena *arena, const json_t *all, void *user) {
    taking *t = user;
    size_t i;
    json_t *o;
    t->to->processes++;
    json_array_foreach(json_object_get(all, "kernels"), i, o) {
        const hd_launch_counts counts = cli_counts_of(o);
        hd_launch_counts_add(&t->to->counts, &counts);
    }
    json_array_foreach(json_object_get(all, "memory"), i, o) {
        item m = {.written.tv_sec = (time_t)cli_number_of(o, "number")};
        const char *file = hd_format(arena, "%s/%s", t->folder, cli_text_of(arena, o, "file"));
        if (hd_read_long_file(arena, &t->c->diag, file, SIZE_MAX, &m.data, &m.length))
            continue;
        hd_push(arena, &t->to->memory, m);
    }
}

/* In the order in which it was allocated. */
static int by_number(const void *x, const void *y) {
    const item *a = x, *b = y;
    return (a->written.tv_sec > b->written.tv_sec) - (a->written.tv_sec < b->written.tv_sec);
}

static void take_lines(cli *c, const char *stream, char *text, items *lines) {
    for (unsigned n = 1; *text; n++) {
        size_t length = strcspn(text, "\n");
        hd_push(c->arena, lines,
                (item){hd_format(c->arena, "line %u of %s", n, stream), text, length, {0}});
        text += length + (text[length] == '\n');
    }
}

/* The files that were written since `before`. */
static void take_files(const builder *b, int which, const items *before, items *files) {
    const items after = files_of(b, which);
    for (size_t i = 0; i < after.count; i++) {
        item f = after.data[i];
        const item *was = find(before, f.name);
        bool same = was && was->written.tv_sec == f.written.tv_sec &&
                    was->written.tv_nsec == f.written.tv_nsec;
        if (!same && !hd_read_long_file(b->c->arena, &b->c->diag,
                                        hd_format(b->c->arena, "%s/%s", b->folders[which], f.name),
                                        SIZE_MAX, &f.data, &f.length))
            hd_push(b->c->arena, files, f);
    }
}

static hd_status run_into(const builder *b, int which, const char *scratch, left *l) {
    cli *c = b->c;
    const hd_device *device;
    hd_status status = cli_find_device(c, &device);
    if (status)
        return status;
    const char *streams[] = {hd_format(c->arena, "%s/output", scratch),
                             hd_format(c->arena, "%s/errors", scratch)};
    const cli_setting settings[] = {{"HEDDLE_WATCH", scratch},
                                    {"HEDDLE_WATCH_OPTIONS", "memory"},
                                    {"HEDDLE_DEVICE", cli_device_setting(c, device)},
                                    {0}};
    const cli_program_run run = {.words = b->words,
                                 .settings = settings,
                                 .folder = b->folders[which],
                                 .output = streams[0],
                                 .errors = streams[1]};
    const items before = files_of(b, which);
    cli_progress(c, which ? "running the new program" : "running the program");
    status = cli_run_program(c, &run, &l->how);
    cli_progress(c, NULL);
    if (!status)
        status = cli_read_results(c, scratch, take_results, &(taking){c, scratch, l});
    for (int s = 0; s < 2 && !status; s++) {
        char *text;
        size_t length;
        status = hd_read_long_file(c->arena, &c->diag, streams[s], SIZE_MAX, &text, &length);
        if (!status)
            take_lines(c, s ? "standard error" : "standard output", text, &l->lines);
    }
    if (l->memory.count)
        qsort(l->memory.data, l->memory.count, sizeof *l->memory.data, by_number);
    if (!status)
        take_files(b, which, &before, &l->files);
    return status;
}

static hd_status run(const builder *b, int which, left *l) {
    char *scratch;
    hd_status status = hd_scratch_make(b->c->arena, &b->c->diag, &scratch);
    *l = (left){0};
    if (!status)
        status = run_into(b, which, scratch, l);
    hd_scratch_remove(scratch);
    return status;
}

/* ---- comparing ---------------------------------------------------------------------------------- */

static bool same_data(const item *a, const item *b) {
    return a->length == b->length && !memcmp(a->data, b->data, a->length);
}

/* Adds the names of those that are not the same in both. */
static void compare_named(hd_arena *arena, const items *a, const items *b, cli_texts *different) {
    for (size_t i = 0; i < a->count; i++) {
        const item *other = find(b, a->data[i].name);
        if (!other || !same_data(&a->data[i], other))
            hd_push(arena, different, a->data[i].name);
    }
    for (size_t i = 0; i < b->count; i++)
        if (!find(a, b->data[i].name))
            hd_push(arena, different, b->data[i].name);
}

/* Whether the allocations from `made` on can be `original` in this layout, by their sizes; and how
 * many they are. `same`: they hold the same elements. */
static uint32_t in_layout(hd_arena *arena, const hd_record_layout *l, const item *original,
                          const item *made, size_t left_over, bool *same) {
    hd_map *map;
    uint64_t size = l->record->size, count = size ? original->length / size : 0;
    if (!count || original->length % size ||
        hd_map_make(arena, &hd_silent, l->record, l->layout, count, &map) ||
        map->allocation_count > left_over)
        return 0;
    void **parts = hd_new_array(arena, void *, map->allocation_count);
    for (uint32_t a = 0; a < map->allocation_count; a++) {
        if (made[a].length < map->allocation_bytes[a])
            return 0;
        parts[a] = made[a].data;
    }
    char *elements = hd_alloc_items(arena, count, size);
    hd_map_gather(map, parts, elements);
    *same = true;
    for (uint64_t e = 0; e < count && *same; e++)
        for (uint32_t f = 0; f < l->record->field_count; f++) {
            const hd_field *field = &l->record->fields[f];
            uint64_t at = e * size + field->offset;
            *same &= !memcmp(elements + at, original->data + at, field->size);
        }
    return map->allocation_count;
}

/* Memory of the original beside that of the new program, which allocates in the same order. */
static void compare_memory(const builder *b, const items *first, const items *second,
                           cli_texts *different) {
    hd_arena *arena = b->c->arena;
    size_t at = 0;
    for (size_t i = 0; i < first->count; i++) {
        const item *a = &first->data[i];
        const char *name = hd_format(arena, "allocation %zu, of %zu bytes", i + 1, a->length);
        bool same = at < second->count && same_data(a, &second->data[at]);
        uint32_t taken = same;
        for (uint32_t l = 0; l < b->layout_count && !same; l++) {
            uint32_t parts =
                in_layout(arena, &b->layouts[l], a, &second->data[at], second->count - at, &same);
            taken = parts ? parts : taken;
        }
        if (!same)
            hd_push(arena, different, name);
        at += taken ? taken : at < second->count;
    }
    if (at < second->count)
        hd_push(arena, different, "the number of allocations");
}

static const char *end_of(hd_arena *arena, int how) {
    return WIFEXITED(how) ? hd_format(arena, "status %d", WEXITSTATUS(how))
                          : hd_format(arena, "signal %d", WTERMSIG(how));
}

static void compare(const builder *b, const left *first, const left *second, cli_texts *different) {
    hd_arena *arena = b->c->arena;
    if (first->how != second->how)
        hd_push(arena, different,
                hd_format(arena, "the end: %s, and then %s", end_of(arena, first->how),
                          end_of(arena, second->how)));
    compare_named(arena, &first->lines, &second->lines, different);
    compare_named(arena, &first->files, &second->files, different);
    if (first->processes == 1 && second->processes == 1)
        compare_memory(b, &first->memory, &second->memory, different);
}

/* Times and the like, in which no two runs are equal, tell nothing. */
static hd_status leave_unsteady_out(const builder *b, const left *first, cli_texts *different,
                                    cli_built_program *result) {
    left again;
    cli_texts unsteady = {0};
    hd_status status = different->count ? run(b, 0, &again) : HD_OK;
    if (!status && different->count)
        compare(b, first, &again, &unsteady);
    for (size_t d = 0; d < different->count && !status; d++) {
        bool is_unsteady = false;
        for (size_t u = 0; u < unsteady.count; u++)
            is_unsteady |= !strcmp(unsteady.data[u], different->data[d]);
        result->unsteady += is_unsteady;
        if (!is_unsteady)
            hd_push(b->c->arena, &result->differences, different->data[d]);
    }
    return status;
}

/* ---- all of it ---------------------------------------------------------------------------------- */

const char *cli_sources_folder(cli *c, const hd_job *job) {
    const char *folder = hd_path_folder(c->arena, hd_job_source(job));
    for (uint32_t s = 1; s < job->source_count; s++)
        while (!hd_path_below(folder, job->sources[s]) && strcmp(folder, "/") != 0)
            folder = hd_path_folder(c->arena, folder);
    return folder;
}

void cli_add_built_sources(cli *c, const char *command, hd_job *job) {
    const char *folder = cli_sources_folder(c, job);
    cli_texts all = {0};
    uint32_t count;
    char **words = hd_split_words(c->arena, command, &count);
    for (uint32_t s = 0; s < job->source_count; s++)
        hd_push(c->arena, &all, job->sources[s]);
    for (uint32_t w = 0; w < count; w++) {
        glob_t found;
        const char *pattern =
            *words[w] == '/' ? words[w] : hd_format(c->arena, "%s/%s", folder, words[w]);
        if (!cli_is_host_code(words[w]) || glob(pattern, 0, NULL, &found))
            continue;
        for (size_t g = 0; g < found.gl_pathc; g++) {
            const char *path = whole(c, found.gl_pathv[g]);
            bool known = false;
            for (size_t s = 0; s < all.count; s++)
                known |= !strcmp(all.data[s], path);
            if (!known)
                hd_push(c->arena, &all, path);
        }
        globfree(&found);
    }
    job->sources = all.data;
    job->source_count = (uint32_t)all.count;
}

/* The program as seen from the folder that it is built in. */
static hd_status find_words(builder *b, const hd_job *job) {
    uint32_t count;
    char **words = hd_split_words(b->c->arena, job->program, &count);
    const char *name = hd_path_below(b->folders[0], whole(b->c, words[0]));
    if (!name)
        return hd_fail(&b->c->diag, HD_EINPUT, &(hd_place){.file = words[0]},
                       "the program is not below %s, the folder of its sources, in which --build "
                       "builds it; record one that is",
                       b->folders[0]);
    b->words = hd_new_array(b->c->arena, char *, count + 1);
    memcpy(b->words, words, count * sizeof *words);
    b->words[0] = hd_format(b->c->arena, "./%s", name);
    return HD_OK;
}

hd_status cli_build_program(cli *c, const char *command, const hd_job *job,
                            const hd_record_layout *layouts, uint32_t layout_count,
                            const hd_rewritten *rewritten, const cli_output *made,
                            cli_built_program *result) {
    builder b = {.c = c,
                 .command = command,
                 .folders = {whole(c, cli_sources_folder(c, job)), whole(c, made->folder)},
                 .layouts = layouts,
                 .layout_count = layout_count,
                 .rewritten = rewritten,
                 .header = made->header};
    left first, second;
    cli_texts different = {0};
    hd_status status;
    *result = (cli_built_program){0};
    if ((status = find_words(&b, job)) || (status = build(&b, 0)) ||
        (status = complete_folder(&b)) || (status = build(&b, 1)) ||
        (status = run(&b, 0, &first)) || (status = run(&b, 1, &second)))
        return status;
    result->both[0] = (cli_built){"the program", b.folders[0], first.counts};
    result->both[1] = (cli_built){"the new one", made->folder, second.counts};
    result->lines = (uint32_t)first.lines.count;
    result->files = (uint32_t)first.files.count;
    result->allocations =
        first.processes == 1 && second.processes == 1 ? (uint32_t)first.memory.count : 0;
    compare(&b, &first, &second, &different);
    return leave_unsteady_out(&b, &first, &different, result);
}

/* ---- showing ------------------------------------------------------------------------------------ */

static const hd_member both_members[] = {
    {"program", "", HD_PLAIN, HD_AT(cli_built, name)},
    {"folder", HD_AT(cli_built, folder)},
    {"transactions", "transactions", HD_COUNT, HD_AT(cli_built, counts.moved.transactions)},
    {"requests", "requests", HD_COUNT, HD_AT(cli_built, counts.moved.requests)},
    {"bytes_moved", "bytes", HD_COUNT, HD_AT(cli_built, counts.moved.bytes_moved)},
    {0}};

static hd_value both_of(const hd_view *view, const void *at) {
    (void)view;
    return hd_rows(((const cli_built_program *)at)->both, 2);
}
HD_GETTER(are_equal, cli_built_program, hd_bool(!row->differences.count))

const hd_member cli_built_members[] = {
    {"programs", .get = both_of, .of = both_members},
    {"equal", .get = are_equal},
    HD_SAME(cli_built_program, lines, files, allocations, unsteady),
    {"differences", HD_NUMBERS(cli_built_program, differences.data, differences.count)},
    {0}};

void cli_show_built(cli *c, const cli_built_program *built, hd_str *out) {
    enum { SHOWN = 8 };
    cli_show_rows(c, "\nBoth built, and run on the machine", both_members, hd_rows(built->both, 2),
                  out);
    hd_str_printf(out, "  outputs equal: %s (%s, %s, %s)\n",
                  built->differences.count ? "no" : "yes",
                  hd_show_counted(c->arena, built->lines, "line", "s"),
                  hd_show_counted(c->arena, built->files, "file", "s"),
                  hd_show_counted(c->arena, built->allocations, "allocation", "s"));
    if (built->unsteady)
        hd_str_printf(out, "  left out: %u in which runs of the original differ, too\n",
                      built->unsteady);
    for (size_t d = 0; d < built->differences.count && d < SHOWN; d++)
        hd_str_printf(out, "  differs: %s\n", built->differences.data[d]);
    if (built->differences.count > SHOWN)
        hd_str_printf(out, "  and %zu more\n", built->differences.count - SHOWN);
}
