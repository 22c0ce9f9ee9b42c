/*
 * The trace file: how it is read.
 *
 * A finished file is opened through its directory: every chunk but the parts is read, and
 * the pages among them say where each block is. A file without one, which a killed run left,
 * is walked through from chunk to chunk up to where it was cut off. Both ways call the same
 * functions for the same chunks, in the order of the file; only where blocks are comes from
 * pages in the one and from parts in the other.
 *
 * Every chunk's checksum covers its bytes and its place, so damage is found before anything
 * is believed; lengths, ids and sums are compared all the same, since a file may be made to
 * deceive. Reading is by pread, not mapped memory: a file cut short meanwhile is an error,
 * not a signal.
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "chunk.h"
#include "table.h"
#include "trace/trace.h"

/* A launch and its blocks. */
typedef struct open_launch {
    hd_event_launch launch;
    hd_vec(hd_trace_block) blocks;
    size_t paged;  /* blocks that pages have listed */
    uint64_t next; /* block number expected next, at least */
    uint64_t mis, lane_accesses, bytes;
    bool ended, complete;
} open_launch;

/* Where in a block a reading is. */
typedef struct block_reader {
    decoder decoder;
    const open_launch *launch;
    const hd_trace_block *block;
    uint64_t at, part_at, end; /* bytes of the file: after its last part, and of that part */
    uint64_t mis, lane_accesses, position;
    uint32_t part;
} block_reader;

/* What reading blocks needs; each thread takes one of its own. */
typedef struct reader {
    chunk_source source;
    block_reader block;
    struct reader *next_idle;
} reader;

/* A block that is read event by event, beside many others: it holds the columns of one part, and
 * takes a reader only to get the next one. */
struct hd_trace_stream {
    hd_trace *trace;
    block_reader block;
    bytes columns;
    hd_event event;
    hd_trace_stream *next_idle;
};

struct hd_trace {
    const char *path;
    int fd;
    uint64_t size;
    hd_trace_contents contents;
    hd_vec(open_launch) launches;
    pthread_mutex_t lock; /* of `idle` */
    reader *idle;
    hd_trace_stream *idle_streams;
};

/* A file being opened. */
typedef struct opening {
    hd_trace *trace;
    hd_arena *arena;
    const hd_diag *diag;
    chunk_source source;
    hd_vec(hd_event_launch) tables; /* only what tables have is filled */
    uint64_t at;                    /* end of the chunks read so far */
    bool walking;                   /* parts are visited */
    bool whole, complete;           /* has a directory; which says that the run ended */
    /* The block whose parts are being walked over. */
    hd_trace_block block;
    uint32_t block_part;
} opening;

static hd_status damaged(const char *path, const hd_diag *diag, uint64_t offset, const char *what) {
    hd_place place = {.file = path};
    return hd_fail(diag, HD_EINPUT, &place,
                   "the trace is damaged at byte %llu: %s; make it anew, or use a copy",
                   (unsigned long long)offset, what);
}

static hd_status fault_at(const opening *o, uint64_t offset, const char *what) {
    return damaged(o->trace->path, o->diag, offset, what);
}

static open_launch *current(opening *o) {
    size_t count = o->trace->launches.count;
    return count && !o->trace->launches.data[count - 1].ended ? &o->trace->launches.data[count - 1]
                                                              : NULL;
}

/* ---- blocks --------------------------------------------------------------------- */

/* Events are counted before anybody has seen them, and memory is asked for by these counts: each
 * takes a byte of its part's columns, and has at most as many lanes as a block. */
static const char *part_fault(const open_launch *l, const chunk *c, const part_head *head) {
    if ((uint64_t)head->events + COLUMN_COUNT > c->body_count)
        return "a part has more events than bytes";
    return head->lane_accesses <= (uint64_t)head->events * l->launch.block_threads
               ? NULL
               : "a part has more lane accesses than its events have lanes";
}

/* NULL, or why the block cannot come next. */
static const char *add_block(opening *o, open_launch *l, const hd_trace_block *block) {
    if (block->block < l->next || block->block >= l->launch.block_count)
        return "a block is not of the launch, or not in order";
    if (__builtin_add_overflow(l->mis, block->mis, &l->mis) ||
        __builtin_add_overflow(l->lane_accesses, block->lane_accesses, &l->lane_accesses))
        return "there are more events than can be counted";
    l->next = block->block + 1;
    l->bytes += block->bytes;
    hd_push(o->arena, &l->blocks, *block);
    return NULL;
}

/* An entry of a page: a block that parts have shown, or one to believe. */
static const char *list_block(opening *o, open_launch *l, cursor *in) {
    hd_trace_block block = {.offset = o->at};
    uint64_t before = l->paged ? l->blocks.data[l->paged - 1].block + 1 : 0;
    block.block = before + get_varint(in);
    block.bytes = get_varint(in);
    block.mis = get_varint(in);
    block.lane_accesses = get_varint(in);
    if (in->failed || block.block < before)
        return "a page is too short";
    if (o->walking) {
        const hd_trace_block *seen = l->paged < l->blocks.count ? &l->blocks.data[l->paged] : NULL;
        l->paged++;
        return seen && seen->block == block.block && seen->bytes == block.bytes &&
                       seen->mis == block.mis && seen->lane_accesses == block.lane_accesses
                   ? NULL
                   : "a page does not list the blocks before it";
    }
    if (block.bytes < PART_CHUNK_LEAST || block.bytes > o->source.size - o->at)
        return "a page has a block that is not in the file";
    if (block.mis > block.bytes / PART_CHUNK_LEAST * (PART_BYTES_MAX - COLUMN_COUNT))
        return "a page has a block with more events than its parts can hold";
    o->at += block.bytes;
    l->paged++;
    return add_block(o, l, &block);
}

static const char *list_blocks(opening *o, open_launch *l, cursor *in) {
    uint64_t number = get_varint(in), count = get_varint(in);
    if (in->failed || number != l->launch.number)
        return "a page is of another launch";
    const char *fault = NULL;
    for (uint64_t i = 0; i < count && !fault; i++)
        fault = list_block(o, l, in);
    if (!fault && o->walking && l->paged != l->blocks.count)
        fault = "a page does not list all blocks before it";
    return fault;
}

/* ---- chunks --------------------------------------------------------------------- */

static const char *take_launch(opening *o, cursor *in) {
    open_launch l = {0};
    if (!launch_get(in, o->tables.data, o->tables.count, &l.launch))
        return "a launch is not complete, or its table is not there";
    size_t count = o->trace->launches.count;
    if (count && l.launch.number <= o->trace->launches.data[count - 1].launch.number)
        return "launches are not in order";
    const char *fault = sizes_fault(&l.launch);
    if (!fault)
        hd_push(o->arena, &o->trace->launches, l);
    return fault;
}

static const char *take_end(opening *o, open_launch *l, cursor *in) {
    const char *fault = list_blocks(o, l, in);
    if (fault)
        return fault;
    uint64_t blocks = get_varint(in), mis = get_varint(in), lane_accesses = get_varint(in);
    uint8_t complete = get_byte(in);
    if (!cursor_done(in) || blocks != l->blocks.count || mis != l->mis ||
        lane_accesses != l->lane_accesses || complete > 1)
        return "a launch's sums are not those of its blocks";
    l->ended = true;
    l->complete = complete;
    return NULL;
}

/* A part that is walked over, without its body. */
static const char *take_part(opening *o, open_launch *l, const chunk *c) {
    part_head head;
    part_head_load(c->head, &head);
    if (head.launch != l->launch.number || head.part != o->block_part ||
        (head.part && head.block != o->block.block))
        return "a part is not the one that comes next";
    const char *fault = part_fault(l, c, &head);
    if (fault)
        return fault;
    if (!head.part)
        o->block = (hd_trace_block){.block = head.block, .offset = c->offset};
    o->block_part++;
    o->block.bytes += c->bytes;
    o->block.mis += head.events;
    if (__builtin_add_overflow(o->block.lane_accesses, head.lane_accesses, &o->block.lane_accesses))
        return "there are more events than can be counted";
    if (!head.last)
        return NULL;
    o->block_part = 0;
    return add_block(o, l, &o->block);
}

static const char *take_chunk(opening *o, const chunk *c) {
    open_launch *l = current(o);
    if (c->type == CHUNK_PART)
        return l ? take_part(o, l, c) : "a part is outside any launch";
    if (o->block_part)
        return "a block has no last part";
    const uint8_t *body = chunk_body(&o->source, c);
    if (!body)
        return "a chunk cannot be unpacked";
    cursor in = {body, body + c->body_count, false};
    bool inside = c->type == CHUNK_PAGE || c->type == CHUNK_END;
    if (inside != (l != NULL))
        return "a chunk does not belong here";
    switch (c->type) {
    case CHUNK_TABLE: {
        hd_event_launch table = {0};
        const char *fault =
            table_get(o->arena, &in, &table) ? tables_fault(&table) : "a table is not complete";
        if (!fault)
            hd_push(o->arena, &o->tables, table);
        return fault;
    }
    case CHUNK_LAUNCH: return take_launch(o, &in);
    case CHUNK_PAGE: {
        const char *fault = list_blocks(o, l, &in);
        return fault ? fault : cursor_done(&in) ? NULL : "a page is too long";
    }
    case CHUNK_END: return take_end(o, l, &in);
    case CHUNK_DIRECTORY: /* walked into: its launches have been read */
        o->whole = get_byte(&in) <= 1 && !in.failed;
        return o->whole ? NULL : "the directory is not complete";
    default: return "there is a second header";
    }
}

/* ---- the two ways to open ------------------------------------------------------- */

/* The chunk at `offset`, which the directory names. A page that lists blocks moves o->at over
 * them, so that it must then stand there itself. */
static hd_status read_named(opening *o, uint64_t offset) {
    chunk c;
    const char *fault = chunk_read(&o->source, offset, &c);
    if (!fault)
        fault = c.type == CHUNK_PART || c.type == CHUNK_DIRECTORY ? "the directory names a part"
                                                                  : take_chunk(o, &c);
    if (!fault && o->at != offset)
        fault = "the directory leaves something out";
    if (fault)
        return fault_at(o, offset, fault);
    o->at += c.bytes;
    return HD_OK;
}

static hd_status read_directory(opening *o, uint64_t offset) {
    chunk c;
    const char *fault = chunk_read(&o->source, offset, &c);
    if (!fault &&
        (c.type != CHUNK_DIRECTORY || c.offset + c.bytes + FILE_FOOT_BYTES != o->source.size))
        fault = "there is no directory";
    const uint8_t *packed = fault ? NULL : chunk_body(&o->source, &c);
    if (!packed)
        return fault_at(o, offset,
                        fault && fault != chunk_cut ? fault : "the directory cannot be read");
    uint8_t *body = hd_alloc(o->arena, c.body_count + 1); /* chunks are read meanwhile */
    memcpy(body, packed, c.body_count);
    cursor in = {body, body + c.body_count, false};
    uint8_t complete = get_byte(&in);
    uint64_t count = get_varint(&in), named = 0;
    for (uint64_t i = 0; i < count && !in.failed; i++) {
        named += get_varint(&in);
        if (in.failed || named < o->at || named > offset)
            return fault_at(o, offset, "the directory is not in order");
        hd_status status = read_named(o, named);
        if (status)
            return status;
    }
    if (!cursor_done(&in) || complete > 1 || o->at != offset || current(o))
        return fault_at(o, offset, "the directory is not complete");
    o->whole = true;
    o->complete = complete;
    return HD_OK;
}

/* Reads by the directory when the file's last bytes say where that is. */
static hd_status read_chunks(opening *o) {
    uint64_t size = o->source.size;
    const uint8_t *foot = size < o->at + FILE_FOOT_BYTES
                              ? NULL
                              : source_read(&o->source, size - FILE_FOOT_BYTES, FILE_FOOT_BYTES);
    /* Else from chunk to chunk, up to the end or to where the file was cut off. */
    o->walking = !foot || memcmp(foot + 24, foot_magic, sizeof foot_magic) != 0;
    while (o->walking && !o->whole) {
        chunk c;
        const char *fault = chunk_read(&o->source, o->at, &c);
        if (fault == chunk_cut)
            return HD_OK;
        if (!fault)
            fault = take_chunk(o, &c);
        if (fault)
            return fault_at(o, o->at, fault);
        o->at += c.bytes;
    }
    if (o->walking)
        return HD_OK;
    if (load64(foot + 16) != file_hash(foot, 16) || load64(foot + 8) != size ||
        load64(foot) < o->at || load64(foot) > size)
        return fault_at(o, size - FILE_FOOT_BYTES, "the file's end is not that of a trace");
    return read_directory(o, load64(foot));
}

/* ---- what is there, and what is not --------------------------------------------- */

static const char *missing_words(opening *o) {
    hd_str words = {.arena = o->arena};
    if (o->whole && !o->walking)
        hd_str_add(&words, "the run was stopped before its end");
    else if (o->whole)
        hd_str_add(&words, "the file's last 32 bytes are damaged or missing");
    else
        hd_str_printf(&words, "the run was killed before its end: the file breaks off at byte %llu",
                      (unsigned long long)o->trace->size);
    if (o->block_part)
        hd_str_printf(&words, ", inside block %llu", (unsigned long long)o->block.block);
    enum { SHOWN = 4 }; /* of the launches that are not complete */
    const hd_trace *t = o->trace;
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

static void describe(opening *o) {
    hd_trace *t = o->trace;
    hd_trace_launch *launches = hd_new_array(o->arena, hd_trace_launch, t->launches.count);
    for (size_t i = 0; i < t->launches.count; i++) {
        const open_launch *l = &t->launches.data[i];
        launches[i] =
            (hd_trace_launch){l->launch,        l->blocks.data, l->blocks.count,        l->mis,
                              l->lane_accesses, l->bytes,       l->ended && l->complete};
    }
    t->contents.version = HD_TRACE_VERSION;
    t->contents.launches = launches;
    t->contents.launch_count = (uint32_t)t->launches.count;
    t->contents.complete = o->complete;
    t->contents.missing = o->complete ? NULL : missing_words(o);
    t->contents.bytes = t->size;
}

/* ---- opening -------------------------------------------------------------------- */

static hd_status read_file_head(opening *o) {
    const hd_trace *t = o->trace;
    hd_place place = {.file = t->path};
    const uint8_t *head = source_read(&o->source, 0, FILE_HEAD_BYTES);
    if (!head || memcmp(head, file_magic, sizeof file_magic) != 0)
        return hd_fail(o->diag, HD_EINPUT, &place,
                       "this is no trace file: byte 0 does not begin one; 'heddle trace' makes "
                       "one, and 'heddle trace import' makes one of text");
    if (load32(head + 8) != BYTE_ORDER_MARK)
        return fault_at(o, 8, "its bytes are in an unknown order");
    uint32_t version = load32(head + 12);
    if (version > HD_TRACE_VERSION)
        return hd_fail(o->diag, HD_EINPUT, &place,
                       "the trace is of version %u (byte 12), and this program reads up to %d; use "
                       "a later Heddle, or make the trace anew",
                       version, HD_TRACE_VERSION);
    if (version < 1 || load64(head + 24) != file_hash(head, 24))
        return fault_at(o, 0, "a checksum is wrong");
    if (load64(head + 16) & ~FILE_FEATURES)
        return hd_fail(o->diag, HD_EINPUT, &place,
                       "the trace has features (byte 16) that this program does not know; use a "
                       "later Heddle, or make the trace anew");
    chunk c;
    o->at = FILE_HEAD_BYTES;
    const char *fault = chunk_read(&o->source, o->at, &c);
    if (fault == chunk_cut)
        fault = "the file ends inside its header";
    else if (!fault && c.type != CHUNK_HEADER)
        fault = "there is no header";
    const uint8_t *body = fault ? NULL : chunk_body(&o->source, &c);
    if (!body)
        return fault_at(o, o->at, fault ? fault : "the header cannot be unpacked");
    cursor in = {body, body + c.body_count, false};
    o->trace->contents.source = get_text(&in, o->arena);
    o->trace->contents.spaces = (uint32_t)get_limited(&in, UINT32_MAX);
    if (!cursor_done(&in))
        return fault_at(o, o->at, "the header is not complete");
    o->at += c.bytes;
    return HD_OK;
}

hd_status hd_trace_open(hd_arena *arena, const hd_diag *diag, const char *path, hd_trace **trace) {
    hd_trace *t = hd_new(arena, hd_trace);
    t->path = hd_strdup(arena, path);
    hd_status status = hd_open_file(diag, path, &t->fd, &t->size);
    if (status)
        return status;
    opening o = {
        .trace = t, .arena = arena, .diag = diag, .source = {.fd = t->fd, .size = t->size}};
    status = read_file_head(&o);
    if (!status)
        status = read_chunks(&o);
    if (!status)
        describe(&o);
    source_free(&o.source);
    if (status) {
        close(t->fd);
        return status;
    }
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

static reader *take_reader(hd_trace *t) {
    pthread_mutex_lock(&t->lock);
    reader *r = t->idle;
    if (r)
        t->idle = r->next_idle;
    pthread_mutex_unlock(&t->lock);
    if (!r) {
        r = memory_grow(NULL, sizeof *r);
        *r = (reader){.source = {.fd = t->fd, .size = t->size}};
    }
    return r;
}

static void keep_reader(hd_trace *t, reader *r) {
    pthread_mutex_lock(&t->lock);
    r->next_idle = t->idle;
    t->idle = r;
    pthread_mutex_unlock(&t->lock);
}

void hd_trace_close(hd_trace *t) {
    for (reader *r; (r = t->idle);) {
        t->idle = r->next_idle;
        source_free(&r->source);
        part_model_free(&r->block.decoder.model);
        free(r);
    }
    for (hd_trace_stream *stream; (stream = t->idle_streams);) {
        t->idle_streams = stream->next_idle;
        bytes_free(&stream->columns);
        part_model_free(&stream->block.decoder.model);
        free(stream);
    }
    pthread_mutex_destroy(&t->lock);
    close(t->fd);
}

/* ---- blocks, event by event ------------------------------------------------------ */

static void begin_block(block_reader *b, const open_launch *l, const hd_trace_block *block) {
    part_model_launch(&b->decoder.model, &l->launch);
    b->decoder.left = 0;
    b->launch = l;
    b->block = block;
    b->at = b->part_at = block->offset;
    b->end = b->at + block->bytes;
    b->mis = b->lane_accesses = b->position = 0;
    b->part = 0;
}

static bool has_part(const block_reader *b) { return b->at < b->end; }

/* The next part's head, and its columns, valid until the source reads again. NULL, or what is wrong
 * with it. */
static const char *load_part(block_reader *b, chunk_source *source, part_head *head,
                             const uint8_t **columns, size_t *count) {
    chunk c;
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
    if (head->first_position < b->position || head->first_position >= UINT64_MAX - 1)
        return "a position goes back";
    fault = part_fault(b->launch, &c, head);
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

/* After the last event of a part. */
static void end_part(block_reader *b) { b->position = b->decoder.model.next_position; }

/* After the last part. */
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
    return damaged(t->path, diag, b->part_at, words);
}

/* ---- replaying ------------------------------------------------------------------ */

static const char *replay_part(reader *r, uint32_t spaces, const hd_sink *sink, void *stream,
                               reading *watched) {
    part_head head;
    const uint8_t *columns;
    size_t count;
    block_reader *b = &r->block;
    const char *fault = load_part(b, &r->source, &head, &columns, &count);
    if (!fault)
        fault = decoder_begin(&b->decoder, &head, columns, count);
    while (!fault && b->decoder.left) {
        hd_event event;
        fault = decoder_next(&b->decoder, &event);
        if (fault)
            return fault;
        if (sink->event && spaces >> b->launch->launch.accesses[event.access].space & 1)
            sink->event(stream, &event);
        if (!reading_goes_on(watched, event.active))
            return NULL;
    }
    end_part(b);
    return fault;
}

static hd_status replay_block(hd_trace *t, const hd_diag *diag, reader *r, const open_launch *l,
                              const hd_trace_block *block, uint32_t spaces, const hd_sink *sink,
                              reading *watched) {
    begin_block(&r->block, l, block);
    void *stream = sink->open_block ? sink->open_block(sink->self, block->block) : NULL;
    const char *fault = NULL;
    while (has_part(&r->block) && !fault && !watched->stopped)
        fault = replay_part(r, spaces, sink, stream, watched);
    if (!fault && !watched->stopped)
        fault = block_fault(&r->block);
    hd_status status = fault ? bad_block(t, diag, &r->block, fault) : HD_OK, closed = HD_OK;
    if (sink->close_block)
        closed = sink->close_block(sink->self, stream, block->block, !fault && !watched->stopped);
    return status ? status : closed;
}

static bool is_chosen(const hd_trace_block *block, const hd_trace_choice *choice) {
    return block->block >= choice->first_block && block->block <= choice->last_block;
}

static hd_status replay_launch(hd_trace *t, const hd_diag *diag, reader *r, const open_launch *l,
                               const hd_trace_choice *choice, const hd_sink *sink,
                               reading *watched) {
    hd_status status = sink->launch ? sink->launch(sink->self, &l->launch) : HD_OK;
    if (status)
        return status;
    uint32_t spaces = choice->spaces ? choice->spaces : UINT32_MAX;
    for (size_t i = 0; i < l->blocks.count && !status && !watched->stopped; i++)
        if (is_chosen(&l->blocks.data[i], choice))
            status = replay_block(t, diag, r, l, &l->blocks.data[i], spaces, sink, watched);
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
    reader *r = take_reader(t);
    hd_status status = HD_OK;
    for (size_t i = 0; i < count && !status && !watched.stopped; i++)
        status = replay_launch(t, diag, r, &l[i], choice, sink, &watched);
    keep_reader(t, r);
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
    reader *r = take_reader(t);
    reading unwatched = {.all = 1};
    status = replay_block(t, diag, r, l, found, UINT32_MAX, sink, &unwatched);
    keep_reader(t, r);
    return status;
}

/* ---- streams -------------------------------------------------------------------- */

static hd_trace_stream *take_stream(hd_trace *t) {
    pthread_mutex_lock(&t->lock);
    hd_trace_stream *stream = t->idle_streams;
    if (stream)
        t->idle_streams = stream->next_idle;
    pthread_mutex_unlock(&t->lock);
    if (!stream) {
        stream = memory_grow(NULL, sizeof *stream);
        *stream = (hd_trace_stream){.trace = t};
    }
    return stream;
}

hd_status hd_trace_stream_open(hd_trace *t, const hd_diag *diag, uint32_t launch, uint64_t block,
                               hd_trace_stream **stream) {
    const open_launch *l;
    const hd_trace_block *found;
    hd_status status = find_block(t, diag, launch, block, &l, &found);
    if (status)
        return status;
    *stream = take_stream(t);
    begin_block(&(*stream)->block, l, found);
    return HD_OK;
}

/* The columns become the stream's own: nobody else needs what was unpacked for it. */
static const char *stream_part(hd_trace_stream *stream) {
    part_head head;
    const uint8_t *columns;
    size_t count;
    reader *r = take_reader(stream->trace);
    const char *fault = load_part(&stream->block, &r->source, &head, &columns, &count);
    if (!fault) {
        stream->columns.count = 0;
        put_data(&stream->columns, columns, count);
    }
    keep_reader(stream->trace, r);
    return fault ? fault
                 : decoder_begin(&stream->block.decoder, &head, stream->columns.data, count);
}

hd_status hd_trace_stream_next(hd_trace_stream *stream, const hd_diag *diag,
                               const hd_event **event) {
    block_reader *b = &stream->block;
    const char *fault = NULL;
    *event = NULL;
    while (!b->decoder.left && has_part(b) && !fault)
        fault = stream_part(stream);
    if (!fault && !b->decoder.left) {
        fault = block_fault(b);
        return fault ? bad_block(stream->trace, diag, b, fault) : HD_OK;
    }
    if (!fault)
        fault = decoder_next(&b->decoder, &stream->event);
    if (fault)
        return bad_block(stream->trace, diag, b, fault);
    if (!b->decoder.left)
        end_part(b);
    *event = &stream->event;
    return HD_OK;
}

void hd_trace_stream_close(hd_trace_stream *stream) {
    hd_trace *t = stream->trace;
    pthread_mutex_lock(&t->lock);
    stream->next_idle = t->idle_streams;
    t->idle_streams = stream;
    pthread_mutex_unlock(&t->lock);
}
