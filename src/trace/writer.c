/*
 * The trace file: how it is written.
 *
 *     head  HEAD  { TABL  LNCH  { PART ... [ PAGE ] }  ENDL }  DIRE  foot
 *
 * Every thread that delivers events of a block has a stream with an encoder: it makes the
 * columns of a part, and at the end of the part packs them into a chunk, all without a
 * lock. machine/in_order.c then puts chunks of different blocks in their order, whoever comes
 * first, so that the file depends on the events alone. Blocks are listed in a PAGE after each
 * 1024 and in the launch's ENDL; the directory at the end has the place of everything that is
 * no part. Memory is bounded: a part for each thread, what waits in in_order.c, and a few bytes
 * for each launch.
 *
 * Until it is finished the file has another name, PATH.part. When the process is killed, a
 * reader finds the complete blocks by walking from chunk to chunk. So that they are there, a
 * thread of the writer flushes the file ten times a second, whether events come or not.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "chunk.h"
#include "encode.h"
#include "machine/in_order.h"
#include "trace_output.h"
#include "trace_table.h"
#include "trace/trace.h"

/* One block on its way. */
typedef struct stream {
    hd_in_order_stream base;
    encoder encoder;
    uint64_t ready_for; /* 1 + number of the launch that the encoder knows, 0: none */
    part_head head;
    uint64_t next_position;
    const char *fault; /* of the producer */
    ZSTD_CCtx *packer;
    bytes columns, chunk;
} stream;

/* Tables that the file has already, by what they would be written as. */
typedef struct known_table {
    uint64_t hash;
    size_t count;
} known_table;

/* What is listed in pages: of blocks, or summed over them. */
typedef struct tally {
    uint64_t blocks, mis, lane_accesses;
} tally;

struct hd_trace_writer {
    hd_arena *arena;
    hd_diag diag;
    const char *path, *part_path;
    hd_in_order *order;
    _Atomic hd_status status;
    pthread_t flusher;
    bool flushing;          /* there is that thread */
    pthread_cond_t no_more; /* `flushed_enough` was set */
    hd_vec(known_table) tables;

    const hd_event_launch *launch; /* NULL between launches */
    uint64_t next_number;          /* of a launch, at least */
    uint64_t next_block;           /* no block before it can be opened any more */

    pthread_mutex_t lock; /* of what follows */
    output file;
    bool flushed_enough;   /* the flusher shall end */
    uint64_t block_offset; /* where the oldest block starts in the file */
    tally block, total;    /* of that block, of the launch */
    bytes page;            /* entries not yet written */
    uint32_t page_blocks;
    uint64_t page_next; /* number expected next */
    bytes directory;
    uint64_t directory_count, directory_last;
    ZSTD_CCtx *packer;
    bytes body, chunk;
};

/* ---- errors --------------------------------------------------------------------- */

/* Keeps the first error and reports it; all later ones follow from it. */
static void writer_fail(hd_trace_writer *w, hd_status status, const char *doing, const char *what) {
    hd_status none = HD_OK;
    if (atomic_compare_exchange_strong(&w->status, &none, status))
        hd_fail(&w->diag, status, &(hd_place){.file = w->path}, "cannot %s: %s", doing, what);
}

static void check_file(hd_trace_writer *w) {
    if (w->file.error)
        writer_fail(w, HD_ESYSTEM, "write the trace", strerror(w->file.error));
}

/* ---- chunks other than parts ---------------------------------------------------- */

static void write_chunk(hd_trace_writer *w, uint32_t type) {
    if (w->body.count > CHUNK_BODY_MAX) {
        writer_fail(w, HD_EUNSUPPORTED, "write the trace",
                    "its tables are larger than 64 MiB; trace fewer launches");
        return;
    }
    uint64_t offset = output_size(&w->file);
    chunk_make(w->packer, type, NULL, 0, &w->body, &w->chunk);
    chunk_seal(w->chunk.data, offset);
    output_write(&w->file, w->chunk.data, w->chunk.count);
    if (type != CHUNK_HEADER && type != CHUNK_DIRECTORY) {
        put_varint(&w->directory, offset - w->directory_last);
        w->directory_last = offset;
        w->directory_count++;
    }
    check_file(w);
}

static void write_file_head(hd_trace_writer *w, const hd_trace_header *header) {
    uint8_t head[FILE_HEAD_BYTES];
    memcpy(head, file_magic, sizeof file_magic);
    store32(head + 8, BYTE_ORDER_MARK);
    store32(head + 12, HD_TRACE_VERSION);
    store64(head + 16, FILE_FEATURES);
    store64(head + 24, file_hash(head, 24));
    output_write(&w->file, head, sizeof head);
    w->body.count = 0;
    put_text(&w->body, header->source);
    put_varint(&w->body, header->spaces);
    write_chunk(w, CHUNK_HEADER);
}

/* The blocks listed since the last page, as PAGE and ENDL begin. */
static void begin_list(hd_trace_writer *w) {
    w->body.count = 0;
    put_varint(&w->body, w->launch->number);
    put_varint(&w->body, w->page_blocks);
    put_data(&w->body, w->page.data, w->page.count);
    w->page.count = 0;
    w->page_blocks = 0;
}

/* ---- blocks, in order ------------------------------------------------------------ */

static void write_part(void *self, uint64_t block, void *part, size_t count) {
    hd_trace_writer *w = self;
    uint8_t *data = part;
    (void)block;
    if (w->status)
        return;
    part_head head;
    part_head_load(data + CHUNK_HEAD_BYTES, &head);
    pthread_mutex_lock(&w->lock);
    w->block.mis += head.events;
    w->block.lane_accesses += head.lane_accesses;
    chunk_seal(data, output_size(&w->file));
    output_write(&w->file, data, count);
    check_file(w);
    pthread_mutex_unlock(&w->lock);
}

/* A block that was stopped leaves nothing in the file. */
static hd_status end_block(void *self, uint64_t block, bool complete) {
    hd_trace_writer *w = self;
    pthread_mutex_lock(&w->lock);
    if (complete && !w->status) {
        put_varint(&w->page, block - w->page_next);
        put_varint(&w->page, output_size(&w->file) - w->block_offset);
        put_varint(&w->page, w->block.mis);
        put_varint(&w->page, w->block.lane_accesses);
        w->page_next = block + 1;
        w->total.blocks++;
        w->total.mis += w->block.mis;
        w->total.lane_accesses += w->block.lane_accesses;
        if (++w->page_blocks == PAGE_BLOCKS) {
            begin_list(w);
            write_chunk(w, CHUNK_PAGE);
        }
    } else {
        output_truncate(&w->file, w->block_offset);
    }
    check_file(w);
    w->block = (tally){0};
    w->block_offset = output_size(&w->file);
    pthread_mutex_unlock(&w->lock);
    return w->status;
}

/* ---- launches ------------------------------------------------------------------- */

static hd_status begin_launch(void *self, const hd_event_launch *launch) {
    hd_trace_writer *w = self;
    const char *fault = launch_fault(launch);
    if (!fault && launch->number < w->next_number)
        fault = "a launch has not a higher number than the one before";
    if (fault)
        writer_fail(w, HD_EINPUT, "trace this launch", fault);
    if (w->status)
        return w->status;
    pthread_mutex_lock(&w->lock);
    w->body.count = 0;
    table_put(launch, &w->body);
    known_table own = {file_hash(w->body.data, w->body.count), w->body.count};
    size_t table = 0; /* written unless the file has it */
    while (table < w->tables.count &&
           (w->tables.data[table].hash != own.hash || w->tables.data[table].count != own.count))
        table++;
    if (table == w->tables.count) {
        hd_push(w->arena, &w->tables, own);
        write_chunk(w, CHUNK_TABLE);
    }
    w->body.count = 0;
    launch_put(launch, table, &w->body);
    write_chunk(w, CHUNK_LAUNCH);
    w->launch = launch;
    w->next_number = (uint64_t)launch->number + 1;
    w->next_block = w->page_next = 0;
    w->block = w->total = (tally){0};
    w->block_offset = output_size(&w->file);
    pthread_mutex_unlock(&w->lock);
    return w->status;
}

static hd_status end_launch(void *self, bool complete) {
    hd_trace_writer *w = self;
    pthread_mutex_lock(&w->lock);
    if (w->launch && !w->status) {
        begin_list(w);
        put_varint(&w->body, w->total.blocks);
        put_varint(&w->body, w->total.mis);
        put_varint(&w->body, w->total.lane_accesses);
        put_byte(&w->body, complete);
        write_chunk(w, CHUNK_END);
    }
    w->launch = NULL;
    pthread_mutex_unlock(&w->lock);
    return w->status;
}

/* ---- blocks, in their threads ----------------------------------------------------- */

static void open_block(void *state) {
    stream *s = state;
    hd_trace_writer *w = s->base.self;
    if (!s->packer && !(s->packer = ZSTD_createCCtx()))
        hd_no_memory(0);
    s->fault = NULL;
    if (s->base.block < w->next_block)
        s->fault = "blocks do not come in ascending order";
    else if (s->base.block >= w->launch->block_count)
        s->fault = "a block is not of the launch";
    w->next_block = s->base.block + 1;
    s->head = (part_head){.launch = w->launch->number, .block = s->base.block};
    s->next_position = 0;
    if (s->ready_for != (uint64_t)w->launch->number + 1)
        part_model_launch(&s->encoder.model, w->launch);
    s->ready_for = (uint64_t)w->launch->number + 1;
    encoder_begin(&s->encoder, 0);
}

/* Packs the current part and puts it. */
static void end_part(stream *s, bool last) {
    const hd_trace_writer *w = s->base.self;
    if (w->status)
        return;
    s->head.last = last;
    s->head.first_position = s->encoder.first_position;
    s->head.events = s->encoder.events;
    s->head.lane_accesses = s->encoder.lane_accesses;
    uint8_t head[PART_HEAD_BYTES];
    part_head_store(head, &s->head);
    encoder_finish(&s->encoder, &s->columns);
    chunk_make(s->packer, CHUNK_PART, head, sizeof head, &s->columns, &s->chunk);
    hd_in_order_put(&s->base, s->chunk.data, s->chunk.count);
    s->head.part++;
}

static void write_event(void *stream_state, const hd_event *event) {
    stream *s = stream_state;
    if (s->fault)
        return;
    /* What a producer must not do; a reader would refuse it. */
    const part_model *m = &s->encoder.model;
    uint64_t any = 0;
    if (event->access >= m->launch->access_count)
        s->fault = "an event has an access that is not in the table";
    else if (event->threads != m->threads)
        s->fault = "an event has not the lanes of its launch";
    else if (event->position < s->next_position || event->position >= UINT64_MAX - 1)
        s->fault = "a position goes back";
    for (uint32_t w = 0; w < m->words && !s->fault; w++)
        any |= event->mask[w];
    if (!s->fault && (!any || event->mask[m->words - 1] & ~part_mask(m, 0)[m->words - 1]))
        s->fault = "an event has no active lane, or one beyond the block";
    if (s->fault)
        return;
    if (s->encoder.full) {
        end_part(s, false);
        encoder_begin(&s->encoder, s->next_position);
    }
    encoder_event(&s->encoder, event);
    s->next_position = event->position + 1;
}

static bool close_block(void *state, bool complete) {
    stream *s = state;
    if (s->fault)
        writer_fail(s->base.self, HD_EINPUT, "trace these events", s->fault);
    complete &= !s->fault;
    if (complete)
        end_part(s, true);
    return complete;
}

static void free_stream(void *state) {
    stream *s = state;
    encoder_free(&s->encoder);
    bytes_free(&s->columns);
    bytes_free(&s->chunk);
    ZSTD_freeCCtx(s->packer);
}

hd_sink hd_trace_sink(hd_trace_writer *writer) { return hd_in_order_sink(writer->order); }

/* ---- flushing -------------------------------------------------------------------- */

enum { FLUSH_NANOSECONDS = 100000000 };

static struct timespec next_flush(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_nsec += FLUSH_NANOSECONDS;
    t.tv_sec += t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    return t;
}

/* The writer's thread: what has come goes to the file, also while a long block or a barrier
 * lets no events come, since a run that is killed should leave what it has done. */
static void *flush_regularly(void *self) {
    hd_trace_writer *w = self;
    pthread_mutex_lock(&w->lock);
    struct timespec until = next_flush();
    while (!w->flushed_enough) {
        if (pthread_cond_timedwait(&w->no_more, &w->lock, &until) != ETIMEDOUT)
            continue;
        output_flush(&w->file);
        check_file(w);
        until = next_flush();
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

static void stop_flushing(hd_trace_writer *w) {
    if (w->flushing) {
        pthread_mutex_lock(&w->lock);
        w->flushed_enough = true;
        pthread_cond_signal(&w->no_more);
        pthread_mutex_unlock(&w->lock);
        pthread_join(w->flusher, NULL);
    }
    pthread_cond_destroy(&w->no_more);
}

/* ---- from beginning to end --------------------------------------------------------- */

static void writer_free(hd_trace_writer *w) {
    hd_in_order_free(w->order);
    bytes_free(&w->page);
    bytes_free(&w->directory);
    bytes_free(&w->body);
    bytes_free(&w->chunk);
    ZSTD_freeCCtx(w->packer);
    pthread_mutex_destroy(&w->lock);
}

hd_status hd_trace_create(hd_arena *arena, const hd_diag *diag, const char *path,
                          const hd_trace_header *header, hd_trace_writer **writer) {
    hd_trace_writer *w = hd_new(arena, hd_trace_writer);
    w->arena = arena;
    w->diag = diag ? *diag : (hd_diag){0};
    *writer = NULL;
    hd_status status = hd_output_target(arena, diag, path, &w->path);
    if (status != HD_OK)
        return status;
    w->path = hd_strdup(arena, w->path);
    w->part_path = hd_format(arena, "%s.part", w->path);
    if (output_is_written(w->part_path))
        return hd_fail(diag, HD_EINPUT, &(hd_place){.file = path},
                       "another heddle is writing this trace; wait until it is done, or name "
                       "another file");
    pthread_mutex_init(&w->lock, NULL);
    w->order = hd_in_order_new(arena, &(hd_in_order_work){.self = w,
                                                          .stream_bytes = sizeof(stream),
                                                          .queues = 1,
                                                          .most_waiting = HD_TRACE_WAITING,
                                                          .launch = begin_launch,
                                                          .end_launch = end_launch,
                                                          .open_block = open_block,
                                                          .event = write_event,
                                                          .close_block = close_block,
                                                          .free_stream = free_stream,
                                                          .piece = write_part,
                                                          .end_block = end_block});
    w->packer = ZSTD_createCCtx();
    if (!w->packer)
        hd_no_memory(0);
    write_file_head(w, header);
    if (!w->status && output_open(&w->file, arena, w->part_path)) {
        pthread_condattr_t clock;
        pthread_condattr_init(&clock);
        pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
        pthread_cond_init(&w->no_more, &clock);
        pthread_condattr_destroy(&clock);
        /* Without the thread the file is as good, only later on the disk. */
        w->flushing = !pthread_create(&w->flusher, NULL, flush_regularly, w);
        *writer = w;
        return HD_OK;
    }
    check_file(w);
    status = w->status;
    bytes_free(&w->file.buffer);
    writer_free(w);
    return status;
}

const char *hd_trace_name(const hd_trace_writer *w, bool complete) {
    return complete ? w->path : w->part_path;
}

hd_status hd_trace_finish(hd_trace_writer *w, bool complete) {
    if (w->launch)
        end_launch(w, false);
    stop_flushing(w);
    uint64_t directory = output_size(&w->file);
    w->body.count = 0;
    put_byte(&w->body, complete);
    put_varint(&w->body, w->directory_count);
    put_data(&w->body, w->directory.data, w->directory.count);
    write_chunk(w, CHUNK_DIRECTORY);
    uint8_t foot[FILE_FOOT_BYTES];
    store64(foot, directory);
    store64(foot + 8, output_size(&w->file) + sizeof foot);
    store64(foot + 16, file_hash(foot, 16));
    memcpy(foot + 24, foot_magic, sizeof foot_magic);
    output_write(&w->file, foot, sizeof foot);
    if (complete && !hd_output_keep_rights(w->file.fd, w->path) && !w->file.error)
        w->file.error = errno;
    if (!output_close(&w->file) || (complete && !w->status && rename(w->part_path, w->path) != 0)) {
        w->file.error = w->file.error ? w->file.error : errno;
        check_file(w);
    }
    if (w->status)
        unlink(w->part_path);
    hd_status status = w->status;
    writer_free(w);
    return status;
}

void hd_trace_abandon(hd_trace_writer *w) {
    stop_flushing(w);
    output_close(&w->file);
    unlink(w->part_path);
    writer_free(w);
}

hd_status hd_trace_end(hd_trace_writer *writer, hd_status status, bool complete) {
    if (status == HD_OK)
        return hd_trace_finish(writer, complete);
    hd_trace_abandon(writer);
    return status;
}
