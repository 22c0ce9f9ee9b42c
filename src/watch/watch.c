#include "watch/watch.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/analysis.h"
#include "analysis/sampling.h"
#include "base/table.h"
#include "recording/recording.h"

/* What is known of the launches of one kernel. */
typedef struct row {
    const char *name;
    uint64_t launches;
    double seconds; /* on the machine */
    hd_launch_counts counts;
    uint32_t *lines; /* [line_count] of the kernel's accesses: rows of hd_watch.lines */
    uint32_t line_count;
} row;

/* All accesses of a kind that a line of a kernel makes to one space, to whatever memory. */
typedef struct line {
    const char *kernel, *file; /* file: NULL where it is not known */
    uint32_t number;
    hd_access_kind kind;
    kir_space space;
    hd_launch_counts counts;
} line;

typedef struct fault {
    const char *message, *memory; /* memory: what is known of the address; "" for nothing */
    const char *kernel;
    uint64_t launch; /* from 0 */
} fault;

/* Launches of a kernel that did not run on the machine. */
typedef struct left_out {
    const char *kernel, *why;
    uint64_t launches;
} left_out;

/* What an allocation held at its end. */
typedef struct kept_memory {
    uint64_t number, bytes;
    const char *file; /* in the folder */
} kept_memory;

struct hd_watch {
    const hd_watch_host *host;
    const char *folder; /* NULL: nothing is counted */
    pid_t pid;
    bool races, uninitialised, leaks, memory;
    hd_vec(kept_memory) kept; /* of `memory` */
    hd_sampling *sampling;
    uint64_t launches, sample;
    hd_arena *arena;
    hd_vec(left_out) left_out;
    hd_vec(row) rows;
    hd_hash_table by_name;
    hd_vec(fault) faults;
    hd_vec(line) lines;
    hd_hash_table by_line;
    hd_sampled *sampled; /* of the launch that runs */
    bool is_whole;       /* all its blocks are counted */
    /* of the launch that is being analysed; NULL: none is */
    hd_arena *launch_arena;
    hd_tally *counters;
    hd_sink counting; /* of them */
    double spent;     /* seconds, on it and not on its blocks */
    hd_launch_counts launch_counts;
    const hd_event_launch *heard;
    const char *kernel;
};

/* ---- what is asked for -------------------------------------------------------------------------- */

static bool option_is(const char *word, size_t length, const char *name) {
    return strlen(name) == length && !strncmp(word, name, length);
}

static void read_options(hd_watch *w, const char *text) {
    double overhead = -1; /* all is counted */
    while (text && *text) {
        size_t length = strcspn(text, " ");
        w->races |= option_is(text, length, "races");
        w->uninitialised |= option_is(text, length, "uninitialised");
        w->leaks |= option_is(text, length, "leaks");
        w->memory |= option_is(text, length, "memory");
        if (!strncmp(text, "overhead=", 9))
            overhead = strtod(text + 9, NULL);
        if (!strncmp(text, "sample=", 7))
            w->sample = strtoull(text + 7, NULL, 10);
        text += length + strspn(text + length, " ");
    }
    w->sampling = hd_sampling_new(w->arena, overhead);
}

hd_watch *hd_watch_new(hd_arena *arena, const hd_watch_host *host) {
    const char *folder = getenv("HEDDLE_WATCH");
    hd_watch *w = hd_new(arena, hd_watch);
    w->host = host;
    w->folder = folder && *folder ? hd_strdup(arena, folder) : NULL;
    w->pid = getpid();
    w->arena = arena;
    w->sample = 1;
    w->by_name = (hd_hash_table){.arena = arena, .key_bytes = HD_TEXT_KEYS};
    w->by_line = w->by_name;
    if (w->folder)
        read_options(w, getenv("HEDDLE_WATCH_OPTIONS"));
    return w;
}

bool hd_watch_is_on(const hd_watch *w) { return w->folder != NULL; }

uint64_t hd_watch_sample(const hd_watch *w) { return w->sample ? w->sample : 1; }

void hd_watch_options(const hd_watch *w, hd_ptx_options *options) {
    options->check_races = w->races;
    options->check_uninitialised = w->uninitialised;
}

/* ---- a launch ------------------------------------------------------------------------------------ */

static hd_status hear_launch(void *self, const hd_event_launch *launch) {
    hd_watch *w = self;
    w->heard = launch;
    if (w->is_whole)
        hd_sampled_count_all(w->sampled, launch->block_count);
    return w->counting.launch(w->counting.self, launch);
}

static bool wants_block(void *self, uint64_t block) {
    hd_watch *w = self;
    uint64_t weight = hd_sampled_next(w->sampled);
    (void)block;
    if (weight)
        hd_tally_weigh(w->counters, weight);
    return weight != 0;
}

static bool wants_none(void *self, uint64_t block) {
    (void)self;
    (void)block;
    return false;
}

static void block_took(void *self, bool heard, double seconds) {
    hd_sampled_ran(((hd_watch *)self)->sampled, heard, seconds);
}

static void *open_block(void *self, uint64_t block) {
    const hd_sink *counting = &((hd_watch *)self)->counting;
    return counting->open_block(counting->self, block);
}

static hd_status close_block(void *self, void *stream, uint64_t block, bool complete) {
    const hd_sink *counting = &((hd_watch *)self)->counting;
    return counting->close_block(counting->self, stream, block, complete);
}

static row *row_of(hd_watch *w, const char *name) {
    uint64_t at = hd_hash_get_key(&w->by_name, name);
    if (at == HD_NO_VALUE) {
        const char *own = hd_strdup(w->arena, name);
        at = w->rows.count;
        hd_push(w->arena, &w->rows, (row){.name = own});
        hd_hash_add_key(&w->by_name, own, at);
    }
    return &w->rows.data[at];
}

static uint32_t line_of(hd_watch *w, const hd_event_access *a) {
    const hd_event_launch *launch = w->heard;
    const char *file = a->line && a->file < launch->file_count ? launch->files[a->file] : NULL;
    const char *key = hd_format(w->arena, "%s\n%s\n%u %d %d", w->kernel, file ? file : "", a->line,
                                (int)a->kind, (int)a->space);
    uint64_t at = hd_hash_add_key(&w->by_line, key, w->lines.count);
    if (at == w->lines.count)
        hd_push(w->arena, &w->lines,
                (line){.kernel = hd_strdup(w->arena, w->kernel),
                       .file = file ? hd_strdup(w->arena, file) : NULL,
                       .number = a->line,
                       .kind = a->kind,
                       .space = a->space});
    return (uint32_t)at;
}

/* A kernel has the same accesses in all its launches. */
static void find_lines(hd_watch *w, row *r) {
    if (r->lines && r->line_count == w->heard->access_count)
        return;
    r->line_count = w->heard->access_count;
    r->lines = hd_new_array(w->arena, uint32_t, r->line_count + 1);
    for (uint32_t a = 0; a < r->line_count; a++)
        r->lines[a] = line_of(w, &w->heard->accesses[a]);
}

static hd_status end_launch(void *self, bool complete) {
    hd_watch *w = self;
    double start = hd_clock();
    hd_status status = w->counting.end_launch(w->counting.self, complete);
    hd_counters_add(w->counters, w->heard->number, &w->launch_counts);
    row *r = row_of(w, w->kernel);
    find_lines(w, r);
    for (uint32_t a = 0; a < r->line_count; a++)
        if (w->heard->accesses[a].space != KIR_CONSTANT) /* nor do kernels' sums have it */
            hd_counters_add_access(w->counters, w->heard->number, a,
                                   &w->lines.data[r->lines[a]].counts);
    w->spent += hd_clock() - start;
    return status;
}

/* Blocks of a cooperative launch, or of clusters, take turns, all or none of them counted. */
void hd_watch_launch(hd_watch *w, const hd_watched_launch *launch) {
    const hd_ptx_launch_size *size = launch->size;
    if (!w->folder)
        return;
    double start = hd_clock();
    w->sampled = hd_sampling_of(w->sampling, launch->kernel, size->grid, size->block);
    w->is_whole =
        size->cooperative || (uint64_t)size->cluster[0] * size->cluster[1] * size->cluster[2] > 1;
    if (!w->is_whole &&
        hd_sampled_skips(w->sampled, (uint64_t)size->grid[0] * size->grid[1] * size->grid[2])) {
        hd_ptx_set_sink(launch->machine,
                        &(hd_sink){.self = w, .wants_block = wants_none, .block_took = block_took});
        return;
    }
    w->launch_arena = hd_arena_new();
    w->counters = hd_counters_new(w->launch_arena, w->host->device);
    w->counting = hd_tally_sink(w->counters);
    w->launch_counts = (hd_launch_counts){0};
    w->kernel = launch->kernel;
    const hd_sink sink = {.self = w,
                          .launch = hear_launch,
                          .open_block = open_block,
                          .event = w->counting.event,
                          .close_block = close_block,
                          .end_launch = end_launch,
                          .wants_block = w->is_whole ? NULL : wants_block,
                          .block_took = w->is_whole ? NULL : block_took};
    hd_ptx_set_sink(launch->machine, &sink);
    w->spent = hd_clock() - start;
}

/* ---- faults ---------------------------------------------------------------------------------------- */

static bool holds(const hd_watched_memory *m, uintptr_t address) {
    return address - m->address < (m->bytes ? m->bytes : 1);
}

/* Bytes from an address to the memory; 0: it is there, or just behind. */
static uint64_t distance_to(const hd_watched_memory *m, uintptr_t address) {
    return address < m->address               ? m->address - address
           : address >= m->address + m->bytes ? address - m->address - m->bytes
                                              : 0;
}

/* The memory that the address is closest to; false: there is none. */
static bool find_nearest(const hd_watch *w, uintptr_t address, hd_watched_memory *best) {
    bool found = false;
    hd_watched_memory m;
    for (size_t i = 0; w->host->memory(w->host->user, false, i, &m); i++) {
        if (!found || distance_to(&m, address) < distance_to(best, address))
            *best = m;
        found = true;
    }
    return found;
}

/* The last memory that held the address and is gone. */
static bool find_gone(const hd_watch *w, uintptr_t address, hd_watched_memory *last) {
    bool found = false;
    hd_watched_memory m;
    for (size_t i = 0; w->host->memory(w->host->user, true, i, &m); i++)
        if (holds(&m, address)) {
            *last = m;
            found = true;
        }
    return found;
}

static void describe_memory(const hd_watch *w, hd_str *text, const hd_watched_memory *m) {
    hd_str_printf(text, "%s %llu of %zu bytes of %s at 0x%llx, %s at\n%s", w->host->memory_name,
                  (unsigned long long)m->number, m->bytes, m->kind, (unsigned long long)m->address,
                  w->host->made_name, hd_stack_text(text->arena, &m->made, "    "));
}

/* What the program did with the memory that the fault's address is in, or next to. */
static const char *about_memory(const hd_watch *w, const hd_ptx_fault *f) {
    enum { NEAR = 1 << 20 };
    hd_str text = {.arena = w->arena};
    if (!f->is_access)
        return "";
    uintptr_t address = (uintptr_t)f->address, meant = (uintptr_t)f->base;
    hd_watched_memory gone, near, here;
    bool is_gone = find_gone(w, address, &gone);
    /* What the program meant, as far as its pointers say. */
    bool is_near = f->base && !f->is_freed && find_nearest(w, meant, &near) && holds(&near, meant);
    if (!is_near)
        is_near = find_nearest(w, address, &near);
    if (find_nearest(w, address, &here) && here.is_closed && holds(&here, address)) {
        near = here;
        is_near = true;
    }
    uint64_t distance = is_near ? distance_to(&near, address) : 0;
    if (is_gone && (f->is_freed || !is_near || distance)) {
        hd_str_printf(&text, "  byte %llu of ", (unsigned long long)(address - gone.address));
        describe_memory(w, &text, &gone);
        hd_str_printf(&text, "  and freed at\n%s", hd_stack_text(w->arena, &gone.freed, "    "));
    } else if (is_near && distance < NEAR) {
        if (distance)
            hd_str_printf(&text, "  %llu bytes %s ", (unsigned long long)distance,
                          address < near.address ? "before" : "behind");
        else if (address >= near.address + near.bytes)
            hd_str_add(&text, "  just behind ");
        else
            hd_str_printf(&text, "  byte %llu of ", (unsigned long long)(address - near.address));
        describe_memory(w, &text, &near);
    }
    return hd_str_text(&text);
}

/* ---- the file ---------------------------------------------------------------------------------------- */

/* What ends up in the file is text that may have any bytes; what is no UTF-8 becomes "?". */
static json_t *text_value(const char *text) {
    json_t *value = text ? json_string(text) : json_null();
    return value ? value : json_string("?");
}

/* Numbers as hd_launch_counts.of has them, of all blocks. */
static json_t *counts_value(const hd_launch_counts *c, double scale) {
    json_t *list = json_array();
    for (size_t i = 0; i < HD_ANALYSIS_COUNT * HD_MOST_COUNTS; i++) {
        double count = (double)c->of[i / HD_MOST_COUNTS][i % HD_MOST_COUNTS] * scale;
        json_array_append_new(list, json_integer(llround(count)));
    }
    return list;
}

static json_t *kernels_value(const hd_watch *w) {
    json_t *list = json_array();
    for (size_t i = 0; i < w->rows.count; i++) {
        const row *r = &w->rows.data[i];
        const hd_sampling_share share = hd_sampling_share_of(w->sampling, r->name);
        json_array_append_new(
            list, json_pack("{s:o, s:o, s:I, s:I, s:I, s:f}", "counts",
                            counts_value(&r->counts, share.scale), "name", text_value(r->name),
                            "launches", (json_int_t)r->launches, "blocks", (json_int_t)share.blocks,
                            "counted", (json_int_t)share.counted, "seconds", r->seconds));
    }
    return list;
}

static json_t *lines_value(const hd_watch *w) {
    json_t *list = json_array();
    for (size_t i = 0; i < w->lines.count; i++) {
        const line *l = &w->lines.data[i];
        if (hd_weight(&l->counts, 0))
            json_array_append_new(
                list, json_pack("{s:o, s:o, s:o, s:o, s:I}", "counts",
                                counts_value(&l->counts,
                                             hd_sampling_share_of(w->sampling, l->kernel).scale),
                                "kernel", text_value(l->kernel), "kind",
                                text_value(hd_access_kind_name(l->kind)), "file",
                                text_value(l->file), "line", (json_int_t)l->number));
    }
    return list;
}

static json_t *faults_value(const hd_watch *w) {
    json_t *list = json_array();
    for (size_t i = 0; i < w->faults.count; i++) {
        const fault *f = &w->faults.data[i];
        json_array_append_new(list,
                              json_pack("{s:o, s:o, s:o, s:I}", "message", text_value(f->message),
                                        "memory", text_value(f->memory), "kernel",
                                        text_value(f->kernel), "launch", (json_int_t)f->launch));
    }
    return list;
}

static json_t *leaks_value(const hd_watch *w) {
    json_t *list = json_array();
    hd_watched_memory m;
    for (size_t i = 0; w->host->memory(w->host->user, false, i, &m); i++)
        if (m.is_of_program)
            json_array_append_new(
                list, json_pack("{s:I, s:o, s:I, s:o}", "bytes", (json_int_t)m.bytes, "kind",
                                text_value(m.kind), "number", (json_int_t)m.number, "stack",
                                text_value(hd_stack_text(w->arena, &m.made, "    "))));
    return list;
}

static json_t *left_out_value(const hd_watch *w) {
    json_t *list = json_array();
    for (size_t i = 0; i < w->left_out.count; i++) {
        const left_out *l = &w->left_out.data[i];
        json_array_append_new(list,
                              json_pack("{s:o, s:o, s:I}", "kernel", text_value(l->kernel), "why",
                                        text_value(l->why), "launches", (json_int_t)l->launches));
    }
    return list;
}

static json_t *memory_value(const hd_watch *w) {
    json_t *list = json_array();
    for (size_t i = 0; i < w->kept.count; i++) {
        const kept_memory *k = &w->kept.data[i];
        json_array_append_new(list, json_pack("{s:I, s:I, s:s}", "number", (json_int_t)k->number,
                                              "bytes", (json_int_t)k->bytes, "file", k->file));
    }
    return list;
}

void hd_watch_memory(hd_watch *w, const hd_watched_memory *m) {
    if (!w->folder || !w->memory || getpid() != w->pid || !m->is_of_device)
        return;
    const kept_memory k = {
        m->number, m->bytes,
        hd_format(w->arena, "%ld-%llu.memory", (long)w->pid, (unsigned long long)m->number)};
    if (!hd_write_file(w->host->diag, hd_format(w->arena, "%s/%s", w->folder, k.file),
                       (const void *)m->address, m->bytes)) /* NOLINT: the program's memory */
        hd_push(w->arena, &w->kept, k);
}

static void write_results(const hd_watch *w) {
    json_t *all = json_pack(
        "{s:o, s:I, s:o, s:o, s:o, s:o, s:I, s:o*, s:o*}", "device",
        text_value(w->host->device->name), "launches", (json_int_t)w->launches, "kernels",
        kernels_value(w), "lines", lines_value(w), "faults", faults_value(w), "left_out",
        left_out_value(w), "most_memory", (json_int_t)w->host->most_memory(w->host->user), "leaks",
        w->leaks ? leaks_value(w) : NULL, "memory", w->memory ? memory_value(w) : NULL);
    hd_write_program_results(w->arena, all, w->folder, w->host->interface);
}

/* A process that was forked off has launched nothing here. */
void hd_watch_end(hd_watch *w) {
    hd_watched_memory m;
    if (!w->folder || getpid() != w->pid)
        return;
    for (size_t i = 0; w->host->memory(w->host->user, false, i, &m); i++)
        hd_watch_memory(w, &m);
    write_results(w);
}

/* ---- after a launch -------------------------------------------------------------------------- */

static void tell_fault(hd_watch *w, const hd_watched_launch *launch, const char *message) {
    const hd_ptx_fault f = hd_ptx_last_fault(launch->machine);
    const char *memory = about_memory(w, &f);
    fputs(memory, stderr);
    if (w->folder)
        hd_push(w->arena, &w->faults,
                (fault){message ? message : "the kernel failed", memory,
                        hd_strdup(w->arena, launch->kernel), w->launches});
}

/* What was counted of a launch that was analysed. */
static void end_analysis(hd_watch *w, row *r) {
    double start = hd_clock();
    hd_launch_counts_add(&r->counts, &w->launch_counts);
    hd_tally_free(w->counters);
    hd_arena_free(w->launch_arena);
    w->launch_arena = NULL;
    hd_sampled_spent(w->sampled, w->spent + hd_clock() - start);
}

void hd_watch_launched(hd_watch *w, const hd_watched_launch *launch, const hd_ptx_counts *counts,
                       hd_status status, const char *message) {
    if (status)
        tell_fault(w, launch, message);
    if (!w->folder)
        return;
    row *r = row_of(w, launch->kernel);
    r->launches++;
    r->seconds += counts->seconds;
    w->launches++;
    hd_ptx_set_sink(launch->machine, NULL);
    if (w->launch_arena)
        end_analysis(w, r);
    if (status) /* the program may go on to abort() */
        write_results(w);
}

void hd_watch_left_out(hd_watch *w, const char *kernel, const char *why) {
    size_t i = 0;
    while (i < w->left_out.count && (strcmp(w->left_out.data[i].kernel, kernel) != 0 ||
                                     strcmp(w->left_out.data[i].why, why) != 0))
        i++;
    if (i == w->left_out.count)
        hd_push(w->arena, &w->left_out,
                (left_out){hd_strdup(w->arena, kernel), hd_strdup(w->arena, why), 0});
    w->left_out.data[i].launches++;
}
