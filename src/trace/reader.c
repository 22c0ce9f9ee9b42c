/*
 * A trace: how it is read. It is one file (open_file.c), or a folder with a file of each rank
 * (folder.c), whose launches are put together here: block by block they stand in ascending order,
 * as if one file had them all.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "folder.h"
#include "open_file.h"
#include "trace_table.h"

/* Where in a block a reading is. */
typedef struct block_reader {
    decoder decoder;
    const open_launch *launch;
    const hd_trace_block *block;
    uint64_t at, part_at, end; /* bytes of the file: after its last part, and of that part */
    uint64_t mis, lane_accesses;
    uint32_t part;
} block_reader;

/* What reading blocks needs; each thread takes one of its own. Where a block is read event by event,
 * beside many others, it holds the columns of one part, and takes a stream with a source only to get
 * the next one. */
typedef struct hd_trace_stream {
    hd_trace *trace;
    bool has_source;
    chunk_source source;
    block_reader block;
    bytes columns;
    hd_event event;
    struct hd_trace_stream *next_idle;
} stream;

struct hd_trace {
    const char *path;
    open_file *files; /* one, or one of each rank */
    uint32_t file_count;
    bool is_folder;
    hd_trace_contents contents;
    hd_vec(open_launch) launches;
    pthread_mutex_t lock; /* of `idle` */
    stream *idle[2];      /* [has_source] */
};

/* ---- launches of several files ---------------------------------------------------- */

static int by_own_number(const void *a, const void *b) {
    uint64_t x = ((const hd_trace_block *)a)->block, y = ((const hd_trace_block *)b)->block;
    return x < y ? -1 : x > y;
}

static void put_launch(const hd_event_launch *launch, bytes *out) {
    out->count = 0;
    table_put(launch, out);
    launch_put(launch, 0, out);
}

/* Adds a file's part of a launch to the whole. */
static hd_status add_part(hd_arena *arena, const hd_diag *diag, const open_file *file,
                          const open_launch *part, open_launch *whole) {
    bytes own = {0}, other = {0};
    put_launch(&whole->launch, &own);
    put_launch(&part->launch, &other);
    bool is_same = own.count == other.count && !memcmp(own.data, other.data, own.count);
    bytes_free(&own);
    bytes_free(&other);
    hd_place place = {.file = file->path};
    if (!is_same)
        return hd_fail(diag, HD_EINPUT, &place,
                       "launch %u is not the one that other ranks' files have; these files are of "
                       "different runs",
                       part->launch.number);
    if (__builtin_add_overflow(whole->mis, part->mis, &whole->mis) ||
        __builtin_add_overflow(whole->lane_accesses, part->lane_accesses, &whole->lane_accesses))
        return hd_fail(diag, HD_EINPUT, &place, "there are more events than can be counted");
    whole->bytes += part->bytes;
    for (size_t b = 0; b < part->blocks.count; b++)
        hd_push(arena, &whole->blocks, part->blocks.data[b]);
    whole->complete &= part->ended && part->complete;
    return HD_OK;
}

static hd_status check_blocks(const hd_trace *t, const hd_diag *diag, open_launch *l) {
    qsort(l->blocks.data, l->blocks.count, sizeof *l->blocks.data, by_own_number);
    for (size_t b = 1; b < l->blocks.count; b++)
        if (l->blocks.data[b].block == l->blocks.data[b - 1].block)
            return hd_fail(diag, HD_EINPUT, &(hd_place){.file = t->path},
                           "block %llu of launch %u is in the files of two ranks; these files are "
                           "of different runs",
                           (unsigned long long)l->blocks.data[b].block, l->launch.number);
    return HD_OK;
}

/* Launches ascend in each file; one that a file does not have is not complete. */
static hd_status join_launches(hd_arena *arena, const hd_diag *diag, hd_trace *t) {
    size_t *next = hd_new_array(arena, size_t, t->file_count);
    for (uint32_t f = 0; f < t->file_count; f++)
        for (size_t l = 0; l < t->files[f].launches.count; l++)
            for (size_t b = 0; b < t->files[f].launches.data[l].blocks.count; b++)
                t->files[f].launches.data[l].blocks.data[b].file = f;
    for (;;) {
        const open_launch *first = NULL;
        for (uint32_t f = 0; f < t->file_count; f++) {
            const open_file *file = &t->files[f];
            const open_launch *own =
                next[f] < file->launches.count ? &file->launches.data[next[f]] : NULL;
            if (own && (!first || own->launch.number < first->launch.number))
                first = own;
        }
        if (!first)
            return HD_OK;
        open_launch whole = {.launch = first->launch, .ended = true, .complete = true};
        hd_status status = HD_OK;
        for (uint32_t f = 0; f < t->file_count && !status; f++) {
            const open_file *file = &t->files[f];
            if (next[f] < file->launches.count &&
                file->launches.data[next[f]].launch.number == whole.launch.number)
                status = add_part(arena, diag, file, &file->launches.data[next[f]++], &whole);
            else
                whole.complete = false;
        }
        if (!status)
            status = check_blocks(t, diag, &whole);
        if (status)
            return status;
        hd_push(arena, &t->launches, whole);
    }
}

/* ---- what is there, and what is not --------------------------------------------- */

static const char *missing_words(hd_arena *arena, const hd_trace *t) {
    hd_str words = {.arena = arena};
    for (uint32_t f = 0; f < t->file_count; f++) {
        if (!t->files[f].missing)
            continue;
        if (words.length)
            hd_str_add(&words, "; ");
        if (t->is_folder)
            hd_str_printf(&words, "rank %u: ", f);
        hd_str_add(&words, t->files[f].missing);
    }
    enum { SHOWN = 4 }; /* of the launches that are not complete */
    size_t found = 0;
    for (size_t i = 0; i < t->launches.count; i++) {
        const open_launch *l = &t->launches.data[i];
        if ((l->ended && l->complete) || found++ >= SHOWN)
            continue;
        hd_str_printf(&words, "; launch %u ('%s') has %llu complete block%s of %llu",
                      l->launch.number, l->launch.kernel, (unsigned long long)l->blocks.count,
                      l->blocks.count == 1 ? "" : "s", (unsigned long long)l->launch.block_count);
    }
    if (found > SHOWN)
        hd_str_printf(&words, "; and so on, %zu launches in all", found);
    return hd_str_text(&words);
}

static void describe(hd_arena *arena, hd_trace *t) {
    hd_trace_contents *c = &t->contents;
    hd_trace_launch *launches = hd_new_array(arena, hd_trace_launch, t->launches.count);
    for (size_t i = 0; i < t->launches.count; i++) {
        const open_launch *l = &t->launches.data[i];
        launches[i] =
            (hd_trace_launch){l->launch,        l->blocks.data, l->blocks.count,        l->mis,
                              l->lane_accesses, l->bytes,       l->ended && l->complete};
    }
    *c = (hd_trace_contents){.version = HD_TRACE_VERSION,
                             .launches = launches,
                             .launch_count = (uint32_t)t->launches.count,
                             .complete = true};
    for (uint32_t f = t->file_count; f-- > 0;) {
        const open_file *file = &t->files[f];
        c->bytes += file->size;
        c->complete &= !file->missing;
        if (file->fd < 0)
            continue;
        c->source = file->source;
        c->spaces = file->spaces;
    }
    c->missing = c->complete ? NULL : missing_words(arena, t);
}

/* ---- opening -------------------------------------------------------------------- */

static void close_files(const hd_trace *t, uint32_t count) {
    for (uint32_t f = 0; f < count; f++)
        if (t->files[f].fd >= 0)
            close(t->files[f].fd);
}

/* The files of all ranks; one that is not there is missing, but one must be. */
static hd_status open_files(hd_arena *arena, const hd_diag *diag, hd_trace *t) {
    hd_status status = HD_OK;
    uint32_t there = 0, opened = 0;
    for (; opened < t->file_count && !status; opened++) {
        open_file *file = &t->files[opened];
        const char *path = trace_rank_file(arena, t->path, opened);
        if (path) {
            status = open_file_open(arena, diag, path, file);
            there++;
        } else {
            *file = (open_file){.path = t->path, .fd = -1, .missing = "its file is not there"};
        }
    }
    if (!status && !there)
        status = hd_fail(diag, HD_EINPUT, &(hd_place){.file = t->path},
                         "none of the files of its %u ranks is there; make the trace anew",
                         t->file_count);
    else if (!status)
        status = join_launches(arena, diag, t);
    else
        opened--; /* closed by itself */
    if (status)
        close_files(t, opened);
    return status;
}

hd_status hd_trace_open(hd_arena *arena, const hd_diag *diag, const char *path, hd_trace **trace) {
    hd_trace *t = hd_new(arena, hd_trace);
    t->path = hd_strdup(arena, path);
    t->is_folder = hd_trace_is_folder(path);
    hd_status status = t->is_folder ? trace_folder_ranks(arena, diag, path, &t->file_count) : HD_OK;
    if (status)
        return status;
    t->file_count = t->is_folder ? t->file_count : 1;
    t->files = hd_new_array(arena, open_file, t->file_count);
    status =
        t->is_folder ? open_files(arena, diag, t) : open_file_open(arena, diag, path, &t->files[0]);
    if (status)
        return status;
    if (!t->is_folder) {
        t->launches.data = t->files[0].launches.data;
        t->launches.count = t->files[0].launches.count;
    }
    describe(arena, t);
    pthread_mutex_init(&t->lock, NULL);
    *trace = t;
    return HD_OK;
}

const hd_trace_contents *hd_trace_get(const hd_trace *trace) { return &trace->contents; }

hd_trace_sums hd_trace_sum(const hd_trace_contents *contents) {
    hd_trace_sums sums = {.launches = contents->launch_count};
    for (uint32_t l = 0; l < contents->launch_count; l++) {
        sums.blocks += contents->launches[l].block_count;
        sums.mis += contents->launches[l].mis;
        sums.lane_accesses += contents->launches[l].lane_accesses;
    }
    return sums;
}

static stream *take_stream(hd_trace *t, bool has_source) {
    pthread_mutex_lock(&t->lock);
    stream *s = t->idle[has_source];
    if (s)
        t->idle[has_source] = s->next_idle;
    pthread_mutex_unlock(&t->lock);
    if (!s) {
        s = memory_grow(NULL, sizeof *s);
        *s = (stream){.trace = t, .has_source = has_source, .source.fd = -1};
    }
    return s;
}

void hd_trace_stream_close(hd_trace_stream *s) {
    hd_trace *t = s->trace;
    pthread_mutex_lock(&t->lock);
    s->next_idle = t->idle[s->has_source];
    t->idle[s->has_source] = s;
    pthread_mutex_unlock(&t->lock);
}

void hd_trace_close(hd_trace *t) {
    for (stream *s; (s = t->idle[0] ? t->idle[0] : t->idle[1]);) {
        t->idle[s->has_source] = s->next_idle;
        source_free(&s->source);
        bytes_free(&s->columns);
        part_model_free(&s->block.decoder.model);
        free(s);
    }
    pthread_mutex_destroy(&t->lock);
    close_files(t, t->file_count);
}

/* ---- blocks, event by event ------------------------------------------------------ */

static void begin_block(block_reader *b, const open_launch *l, const hd_trace_block *block) {
    part_model_launch(&b->decoder.model, &l->launch);
    b->decoder.left = 0;
    b->decoder.model.next_position = 0;
    b->launch = l;
    b->block = block;
    b->at = b->part_at = block->offset;
    b->end = b->at + block->bytes;
    b->mis = b->lane_accesses = 0;
    b->part = 0;
}

/* The next part's head, and its columns, valid until the source reads again. NULL, or what is wrong
 * with it. */
static const char *load_part(const hd_trace *t, block_reader *b, chunk_source *source,
                             part_head *head, const uint8_t **columns, size_t *count) {
    chunk c;
    const open_file *file = &t->files[b->block->file];
    if (source->fd != file->fd) {
        source->fd = file->fd;
        source->size = file->size;
        source->window_count = 0;
    }
    b->part_at = b->at;
    const char *fault = chunk_read(source, b->at, &c);
    if (fault)
        return fault == chunk_cut ? "the file ends inside a part" : fault;
    if (c.type != CHUNK_PART)
        return "there is no part of a block";
    part_head_load(c.head, head);
    if (head->launch != b->launch->launch.number || head->block != b->block->block ||
        head->part != b->part)
        return "a part is not the one that comes next";
    if (head->last != (c.offset + c.bytes == b->end) || c.bytes > b->end - b->at)
        return "a block does not end where the index says";
    if (head->events > b->block->mis - b->mis)
        return "a block has not the events that the index says";
    if (head->first_position < b->decoder.model.next_position ||
        head->first_position >= UINT64_MAX - 1)
        return "a position goes back";
    fault = open_part_fault(b->launch, &c, head);
    if (fault)
        return fault;
    *columns = chunk_body(source, &c);
    *count = c.body_count;
    b->at += c.bytes;
    b->part++;
    b->mis += head->events;
    b->lane_accesses += head->lane_accesses;
    return *columns ? NULL : "a part cannot be unpacked";
}

/* The block has no more events. */
static const char *block_fault(const block_reader *b) {
    return b->mis == b->block->mis && b->lane_accesses == b->block->lane_accesses
               ? NULL
               : "a block has not the events that the index says";
}

static hd_status bad_block(const hd_trace *t, const hd_diag *diag, const block_reader *b,
                           const char *fault) {
    char words[200];
    snprintf(words, sizeof words, "block %llu of launch %u: %s",
             (unsigned long long)b->block->block, b->launch->launch.number, fault);
    return trace_damaged(t->files[b->block->file].path, diag, b->part_at, words);
}

/* Of a stream without a source the columns become its own: nobody else needs what was unpacked for
 * it. */
static const char *begin_part(stream *s) {
    part_head head;
    const uint8_t *columns;
    size_t count;
    stream *from = s->has_source ? s : take_stream(s->trace, true);
    const char *fault = load_part(s->trace, &s->block, &from->source, &head, &columns, &count);
    if (!fault && from != s) {
        s->columns.count = 0;
        put_data(&s->columns, columns, count);
        columns = s->columns.data;
    }
    if (from != s)
        hd_trace_stream_close(from);
    return fault ? fault : decoder_begin(&s->block.decoder, &head, columns, count);
}

/* The next event of the block, or NULL at its end; the result is what is wrong, or NULL. */
static const char *next_event(stream *s, const hd_event **event) {
    block_reader *b = &s->block;
    const char *fault = NULL;
    *event = NULL;
    while (!b->decoder.left && b->at < b->end && !fault)
        fault = begin_part(s);
    if (!fault && !b->decoder.left)
        return block_fault(b);
    if (!fault)
        fault = decoder_next(&b->decoder, &s->event);
    if (!fault)
        *event = &s->event;
    return fault;
}

/* ---- replaying ------------------------------------------------------------------ */

static hd_status replay_block(const hd_diag *diag, stream *s, const open_launch *l,
                              const hd_trace_block *block, uint32_t spaces, const hd_sink *sink,
                              reading *watched) {
    begin_block(&s->block, l, block);
    void *state = sink->open_block ? sink->open_block(sink->self, block->block) : NULL;
    const hd_event *event;
    const char *fault = NULL;
    while (!watched->stopped && !(fault = next_event(s, &event)) && event) {
        if (sink->event && spaces >> l->launch.accesses[event->access].space & 1)
            sink->event(state, event);
        reading_goes_on(watched, event->active);
    }
    hd_status status = fault ? bad_block(s->trace, diag, &s->block, fault) : HD_OK, closed = HD_OK;
    if (sink->close_block)
        closed = sink->close_block(sink->self, state, block->block, !fault && !watched->stopped);
    return status ? status : closed;
}

static bool is_chosen(const hd_trace_block *block, const hd_trace_choice *choice) {
    return block->block >= choice->first_block && block->block <= choice->last_block;
}

static hd_status replay_launch(const hd_diag *diag, stream *s, const open_launch *l,
                               const hd_trace_choice *choice, const hd_sink *sink,
                               reading *watched) {
    hd_status status = sink->launch ? sink->launch(sink->self, &l->launch) : HD_OK;
    if (status)
        return status;
    uint32_t spaces = choice->spaces ? choice->spaces : UINT32_MAX;
    for (size_t i = 0; i < l->blocks.count && !status && !watched->stopped; i++)
        if (is_chosen(&l->blocks.data[i], choice))
            status = replay_block(diag, s, l, &l->blocks.data[i], spaces, sink, watched);
    bool complete = !status && l->ended && l->complete && !watched->stopped;
    hd_status ended = sink->end_launch ? sink->end_launch(sink->self, complete) : HD_OK;
    return status ? status : ended;
}

static int by_number(const void *key, const void *launch) {
    int64_t number = ((const open_launch *)launch)->launch.number;
    return *(const int64_t *)key < number ? -1 : *(const int64_t *)key > number;
}

static int by_block(const void *key, const void *block) {
    uint64_t number = ((const hd_trace_block *)block)->block;
    return *(const uint64_t *)key < number ? -1 : *(const uint64_t *)key > number;
}

/* NULL when the trace does not have it. */
static const open_launch *find_launch(const hd_trace *t, int64_t number) {
    return t->launches.count ? bsearch(&number, t->launches.data, t->launches.count,
                                       sizeof(open_launch), by_number)
                             : NULL;
}

hd_status hd_trace_replay(hd_trace *t, const hd_diag *diag, const hd_trace_choice *choice,
                          const hd_sink *sink) {
    bool all = choice->launch < 0;
    const open_launch *l = all ? t->launches.data : find_launch(t, choice->launch);
    hd_place place = {.file = t->path};
    if (!all && !l)
        return hd_fail(diag, HD_EINPUT, &place, "the trace has no launch %lld; it has %zu",
                       (long long)choice->launch, t->launches.count);
    size_t count = all ? t->launches.count : 1;
    reading watched = {.watch = choice->watch, .all = 1};
    for (size_t i = 0; i < count && choice->watch; i++)
        for (size_t b = 0; b < l[i].blocks.count; b++)
            if (is_chosen(&l[i].blocks.data[b], choice))
                watched.all += l[i].blocks.data[b].lane_accesses;
    stream *s = take_stream(t, true);
    hd_status status = HD_OK;
    for (size_t i = 0; i < count && !status && !watched.stopped; i++)
        status = replay_launch(diag, s, &l[i], choice, sink, &watched);
    hd_trace_stream_close(s);
    return status;
}

static hd_status find_block(const hd_trace *t, const hd_diag *diag, uint32_t launch, uint64_t block,
                            const open_launch **l, const hd_trace_block **found) {
    *l = find_launch(t, launch);
    *found = *l && (*l)->blocks.count
                 ? bsearch(&block, (*l)->blocks.data, (*l)->blocks.count, sizeof **found, by_block)
                 : NULL;
    hd_place place = {.file = t->path};
    return *found ? HD_OK
                  : hd_fail(diag, HD_EINPUT, &place, "the trace has no block %llu of launch %u",
                            (unsigned long long)block, launch);
}

hd_status hd_trace_replay_block(hd_trace *t, const hd_diag *diag, uint32_t launch, uint64_t block,
                                const hd_sink *sink) {
    const open_launch *l;
    const hd_trace_block *found;
    hd_status status = find_block(t, diag, launch, block, &l, &found);
    if (status)
        return status;
    stream *s = take_stream(t, true);
    reading unwatched = {.all = 1};
    status = replay_block(diag, s, l, found, UINT32_MAX, sink, &unwatched);
    hd_trace_stream_close(s);
    return status;
}

/* ---- streams -------------------------------------------------------------------- */

hd_status hd_trace_stream_open(hd_trace *t, const hd_diag *diag, uint32_t launch, uint64_t block,
                               hd_trace_stream **s) {
    const open_launch *l;
    const hd_trace_block *found;
    hd_status status = find_block(t, diag, launch, block, &l, &found);
    if (status)
        return status;
    *s = take_stream(t, false);
    begin_block(&(*s)->block, l, found);
    return HD_OK;
}

hd_status hd_trace_stream_next(hd_trace_stream *s, const hd_diag *diag, const hd_event **event) {
    const char *fault = next_event(s, event);
    return fault ? bad_block(s->trace, diag, &s->block, fault) : HD_OK;
}
