/*
 * The trace file: how it is opened.
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
#include <stdio.h>
#include <unistd.h>

#include "open_file.h"
#include "trace_table.h"

/* A file being opened. */
typedef struct opening {
    open_file *file;
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

hd_status trace_damaged(const char *path, const hd_diag *diag, uint64_t offset, const char *what) {
    hd_place place = {.file = path};
    return hd_fail(diag, HD_EINPUT, &place,
                   "the trace is damaged at byte %llu: %s; make it anew, or use a copy",
                   (unsigned long long)offset, what);
}

static hd_status fault_at(const opening *o, uint64_t offset, const char *what) {
    return trace_damaged(o->file->path, o->diag, offset, what);
}

static open_launch *current(opening *o) {
    size_t count = o->file->launches.count;
    return count && !o->file->launches.data[count - 1].ended ? &o->file->launches.data[count - 1]
                                                             : NULL;
}

/* ---- blocks --------------------------------------------------------------------- */

/* Events are counted before anybody has seen them, and memory is asked for by these counts: each
 * takes a byte of its part's columns, and has at most as many lanes as a block. */
const char *open_part_fault(const open_launch *l, const chunk *c, const part_head *head) {
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
    size_t count = o->file->launches.count;
    if (count && l.launch.number <= o->file->launches.data[count - 1].launch.number)
        return "launches are not in order";
    const char *fault = sizes_fault(&l.launch);
    if (!fault)
        hd_push(o->arena, &o->file->launches, l);
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
    const char *fault = open_part_fault(l, c, &head);
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
                      (unsigned long long)o->file->size);
    if (o->block_part)
        hd_str_printf(&words, ", inside block %llu", (unsigned long long)o->block.block);
    return hd_str_text(&words);
}

/* ---- opening -------------------------------------------------------------------- */

static hd_status read_file_head(opening *o) {
    const open_file *t = o->file;
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
    o->file->source = get_text(&in, o->arena);
    o->file->spaces = (uint32_t)get_limited(&in, UINT32_MAX);
    if (!cursor_done(&in))
        return fault_at(o, o->at, "the header is not complete");
    o->at += c.bytes;
    return HD_OK;
}

hd_status open_file_open(hd_arena *arena, const hd_diag *diag, const char *path, open_file *file) {
    *file = (open_file){.path = hd_strdup(arena, path)};
    hd_status status = hd_open_file(diag, path, &file->fd, &file->size);
    if (status)
        return status;
    opening o = {
        .file = file, .arena = arena, .diag = diag, .source = {.fd = file->fd, .size = file->size}};
    status = read_file_head(&o);
    if (!status)
        status = read_chunks(&o);
    if (!status && !o.complete)
        file->missing = missing_words(&o);
    source_free(&o.source);
    if (status)
        close(file->fd);
    return status;
}
