/*
 * Damage to trace files (docs/trace-format.md). A file is taken apart into chunks, unpacked; what
 * is in them is changed, or they are; and it is put together as a sound file is, packed, listed
 * and summed: so that what is wrong is where the reader looks last. Some files get changed bytes
 * after that, whose checksums are made right again, too.
 */
#include <stdlib.h>
#include <zstd.h>

#include "files.h"
#include "trace_sums.h"

enum { HEAD = 32, CHUNK = 24, FOOT = 32, PART_HEAD = 40, MOST_RAW = 8 << 20, MOST_CHUNKS = 4096 };
enum { MOST_GROWN = 3 << 20, COLUMNS = 18 };

static const char foot_end[] = "HDTINDEX";

static uint32_t load32(const uint8_t *at) {
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static void store(uint8_t *at, uint64_t value, size_t width) {
    for (size_t i = 0; i < width; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

static uint64_t load64(const uint8_t *at) { return load32(at) | (uint64_t)load32(at + 4) << 32; }

static uint64_t below(uint64_t *random, uint64_t limit) {
    return limit ? hd_next_random(random) % limit : 0;
}

static void append(bytes *b, const void *data, size_t length) {
    bytes_replace(b, b->length, 0, data, length);
}

static void append_varint(bytes *b, uint64_t value) {
    uint8_t byte;
    do {
        byte = value & 0x7f;
        value >>= 7;
        byte |= value ? 0x80 : 0;
        append(b, &byte, 1);
    } while (value);
}

/* The varint at *at, which then is behind it. */
static uint64_t take_varint(const bytes *b, size_t *at) {
    uint64_t value = 0;
    for (unsigned shift = 0; *at < b->length; shift += 7) {
        uint8_t byte = b->data[(*at)++];
        value |= shift < 64 ? (uint64_t)(byte & 0x7f) << shift : 0;
        if (byte < 0x80)
            break;
    }
    return value;
}

/* ---- chunks --------------------------------------------------------------------------- */

typedef struct piece {
    char type[4];
    uint8_t head[PART_HEAD]; /* of a part */
    bytes body;
    bool damaged;
    size_t stored; /* bytes of the whole chunk in the file */
} piece;

typedef struct pieces {
    uint8_t head[HEAD];
    piece data[MOST_CHUNKS];
    size_t count;
} pieces;

static bool is(const piece *p, const char *type) { return !memcmp(p->type, type, 4); }

/* False: the chunk is not sound. */
static bool take_piece(const uint8_t *chunk, size_t left, piece *p) {
    *p = (piece){0};
    memcpy(p->type, chunk, 4);
    size_t head = is(p, "PART") ? PART_HEAD : 0;
    size_t stored = load32(chunk + 4), raw = load32(chunk + 8);
    if (stored < head || stored > left - CHUNK || raw > MOST_RAW)
        return false;
    const uint8_t *body = chunk + CHUNK + head;
    memcpy(p->head, chunk + CHUNK, head);
    append(&p->body, NULL, raw);
    if (load32(chunk + 12))
        return ZSTD_decompress(p->body.data, raw, body, stored - head) == raw;
    memcpy(p->body.data, body, stored - head < raw ? stored - head : raw);
    return true;
}

static void take_apart(const bytes *file, pieces *all) {
    size_t end = file->length;
    if (end > FOOT && !memcmp(file->data + end - 8, foot_end, 8))
        end -= FOOT;
    memcpy(all->head, file->data, end < HEAD ? end : HEAD);
    for (size_t at = HEAD; at + CHUNK <= end && all->count < MOST_CHUNKS;
         at += CHUNK + load32(file->data + at + 4))
        if (!take_piece(file->data + at, end - at, &all->data[all->count++]))
            break;
}

static void let_go(pieces *all) {
    for (size_t i = 0; i < all->count; i++)
        free(all->data[i].body.data);
    free(all);
}

/* As writers do: packed when that is shorter, and a reader may take it. */
static void put_piece(piece *p, bytes *to) {
    size_t head = is(p, "PART") ? PART_HEAD : 0, raw = p->body.length;
    size_t room = ZSTD_compressBound(raw), begin = to->length;
    uint8_t *packed = hd_checked(malloc(room));
    size_t count = ZSTD_compress(packed, room, p->body.data, raw, 3);
    bool pack = count < raw && (head || (raw <= 65536 && !is(p, "TABL")) || raw / count <= 8);
    append(to, NULL, CHUNK);
    append(to, p->head, head);
    append(to, pack ? packed : p->body.data, pack ? count : raw);
    free(packed);
    uint8_t *chunk = to->data + begin;
    memcpy(chunk, p->type, 4);
    store(chunk + 4, to->length - begin - CHUNK, 4);
    store(chunk + 8, raw, 4);
    store(chunk + 12, pack, 4);
    p->stored = to->length - begin;
}

/* Lists blocks, which stand before chunk `at`, with the bytes that they have now. */
static void list_blocks(pieces *all, size_t at) {
    const bytes *old = &all->data[at].body;
    bytes body = {0};
    size_t read = 0, part = at;
    while (part && is(&all->data[part - 1], "PART"))
        part--;
    append_varint(&body, take_varint(old, &read));
    uint64_t blocks = take_varint(old, &read);
    append_varint(&body, blocks);
    for (uint64_t b = 0; b < blocks && read < old->length; b++) {
        uint64_t number = part < at ? load64(all->data[part].head + 8) : 0, stored = 0;
        append_varint(&body, take_varint(old, &read));
        take_varint(old, &read);
        for (; part < at && load64(all->data[part].head + 8) == number; part++)
            stored += all->data[part].stored;
        append_varint(&body, stored);
        append_varint(&body, take_varint(old, &read));
        append_varint(&body, take_varint(old, &read));
    }
    append(&body, old->data + read, old->length - read);
    free(all->data[at].body.data);
    all->data[at].body = body;
}

static void list_chunks(piece *directory, const bytes *places, uint64_t count) {
    bytes body = {0};
    append(&body, directory->body.data, directory->body.length > 0);
    append_varint(&body, count);
    append(&body, places->data, places->length);
    free(directory->body.data);
    directory->body = body;
}

static void put_together(pieces *all, bool whole, bytes *to) {
    bytes places = {0};
    uint64_t listed = 0, last = 0, directory = 0;
    bytes_set(to, all->head, HEAD);
    for (size_t i = 0; i < all->count; i++) {
        piece *p = &all->data[i];
        if (!whole && (is(p, "PAGE") || is(p, "ENDL") || is(p, "DIRE")))
            continue;
        if (is(p, "DIRE")) {
            directory = to->length;
            if (!p->damaged)
                list_chunks(p, &places, listed);
        } else if (!p->damaged && (is(p, "PAGE") || is(p, "ENDL"))) {
            list_blocks(all, i);
        }
        if (!is(p, "PART") && !is(p, "HEAD")) {
            append_varint(&places, to->length - last);
            last = to->length;
            listed++;
        }
        put_piece(p, to);
    }
    free(places.data);
    if (!whole)
        return;
    append(to, NULL, FOOT);
    uint8_t *foot = to->data + to->length - FOOT;
    store(foot, directory, 8);
    store(foot + 8, to->length, 8);
    memcpy(foot + 24, foot_end, 8);
}

/* ---- damage to what is in a chunk ------------------------------------------------------ */

static const uint64_t values[] = {0,          1,          2,          0x7f,       0x80,
                                  0xff,       0xffff,     65536,      65537,      131072,
                                  0x7fffffff, 0x80000000, 0xffffffff, 0x3fffffff, 0x100000000,
                                  INT64_MAX,  1ull << 63, UINT64_MAX, 3,          64};

static uint64_t some_value(uint64_t *random, uint64_t old) {
    switch (below(random, 6)) {
    case 0: return old + 1;
    case 1: return old - 1;
    case 2: return old << below(random, 24);
    case 3: return below(random, 300);
    default: return values[below(random, sizeof values / sizeof *values)];
    }
}

/* Another number in the place of one. */
static void change_varint(uint64_t *random, bytes *b) {
    size_t at = below(random, b->length), end;
    while (at && b->data[at - 1] >= 0x80)
        at--;
    end = at;
    uint64_t old = take_varint(b, &end);
    bytes varint = {0};
    append_varint(&varint, some_value(random, old));
    if (!below(random, 20))
        bytes_set(&varint, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 11);
    bytes_replace(b, at, end - at, varint.data, varint.length);
    free(varint.data);
}

static void store_extreme(uint64_t *random, bytes *b) {
    size_t width = (size_t)1 << below(random, 4);
    if (width <= b->length)
        store(b->data + below(random, b->length - width + 1),
              values[below(random, sizeof values / sizeof *values)], width);
}

static void flip(uint64_t *random, bytes *b) {
    b->data[below(random, b->length)] = (uint8_t)hd_next_random(random);
}

/* Drops or doubles a stretch. */
static void move(uint64_t *random, bytes *b) {
    size_t at = below(random, b->length);
    size_t count = below(random, b->length - at) % 512;
    size_t to = below(random, b->length);
    bytes copy = {0};
    bytes_set(&copy, b->data + at, count);
    if (below(random, 2))
        bytes_replace(b, to, 0, copy.data, copy.length);
    else
        bytes_replace(b, at, count, NULL, 0);
    free(copy.data);
}

static void change_bytes(uint64_t *random, bytes *b) {
    static void (*const ways[])(uint64_t *, bytes *) = {flip,          flip,          store_extreme,
                                                        change_varint, change_varint, move};
    if (b->length)
        ways[below(random, sizeof ways / sizeof *ways)](random, b);
}

/* Columns of a part as they are, but for changed bytes: their lengths stay right. */
static void change_columns(uint64_t *random, piece *p) {
    size_t at = 0;
    for (int c = 0; c < COLUMNS; c++)
        take_varint(&p->body, &at);
    for (uint64_t n = 1 + below(random, 4); n && at < p->body.length; n--)
        p->body.data[at + below(random, p->body.length - at)] =
            (uint8_t)(below(random, 2) ? below(random, 16) : hd_next_random(random));
}

/* Many more events, each as predicted: a byte of 0. */
static void grow(uint64_t *random, piece *p) {
    size_t at = 0;
    uint64_t lengths[COLUMNS], events = load32(p->head + 32), lanes = load64(p->head + 24);
    uint64_t more = below(random, (uint64_t)1 << below(random, 22));
    for (int c = 0; c < COLUMNS; c++)
        lengths[c] = take_varint(&p->body, &at);
    if (!events || lengths[0] > p->body.length - at || p->body.length + more > MOST_GROWN)
        return;
    bytes body = {0};
    lengths[0] += more;
    for (int c = 0; c < COLUMNS; c++)
        append_varint(&body, lengths[c]);
    append(&body, p->body.data + at, lengths[0] - more);
    append(&body, NULL, more);
    append(&body, p->body.data + at + lengths[0] - more, p->body.length - at - lengths[0] + more);
    free(p->body.data);
    p->body = body;
    store(p->head + 24, lanes + more * (lanes / events), 8);
    store(p->head + 32, events + more, 4);
}

static void change_head(uint64_t *random, piece *p) {
    static const struct {
        size_t at, width;
    } fields[] = {{0, 4}, {4, 4}, {8, 8}, {16, 8}, {24, 8}, {32, 4}, {36, 4}};
    size_t f = below(random, sizeof fields / sizeof *fields);
    uint8_t *at = p->head + fields[f].at;
    uint64_t old = fields[f].width == 8 ? load64(at) : load32(at);
    store(at, some_value(random, old), fields[f].width);
}

static void change_piece(uint64_t *random, piece *p) {
    bool part = is(p, "PART");
    p->damaged = true;
    switch (part ? below(random, 6) : 0) {
    case 1: change_head(random, p); break;
    case 2: grow(random, p); break;
    case 3:
    case 4: change_columns(random, p); break;
    default: change_bytes(random, &p->body);
    }
}

/* ---- damage to a file ------------------------------------------------------------------- */

/* A chunk; one of a kind of which there are few as often as one of which there are many. */
static piece *some_piece(uint64_t *random, pieces *all) {
    static const char *const types[] = {"HEAD", "TABL", "TABL", "TABL", "LNCH", "LNCH",
                                        "PART", "PART", "PART", "PART", "PART", "PART",
                                        "PART", "PART", "PAGE", "ENDL", "DIRE"};
    const char *type = types[below(random, sizeof types / sizeof *types)];
    size_t start = below(random, all->count);
    for (size_t i = 0; i < all->count; i++) {
        piece *p = &all->data[(start + i) % all->count];
        if (is(p, type))
            return p;
    }
    return &all->data[start];
}

/* Another's contents in a chunk of the same kind. */
static void take_from_another(uint64_t *random, const bytes_list *seeds, piece *p) {
    pieces *other = hd_checked(calloc(1, sizeof *other));
    take_apart(&seeds->data[below(random, seeds->count)], other);
    const piece *from = other->count ? some_piece(random, other) : p;
    if (is(from, p->type)) {
        bytes_set(&p->body, from->body.data, from->body.length);
        if (below(random, 2))
            memcpy(p->head, from->head, sizeof p->head);
        p->damaged = true;
    }
    let_go(other);
}

static void exchange(uint64_t *random, pieces *all) {
    piece *a = &all->data[below(random, all->count)], *b = some_piece(random, all), copy = *a;
    *a = *b;
    *b = copy;
}

static void damage_pieces(uint64_t *random, const bytes_list *seeds, pieces *all) {
    for (uint64_t n = 1 + below(random, below(random, 2) ? 2 : 6); n && all->count; n--)
        switch (below(random, 12)) {
        case 0: exchange(random, all); break;
        case 1: take_from_another(random, seeds, some_piece(random, all)); break;
        default: change_piece(random, some_piece(random, all));
        }
}

void damage_trace(uint64_t *random, const bytes_list *seeds, bytes *input) {
    bool apart = below(random, 8) > 0;
    if (apart) {
        pieces *all = hd_checked(calloc(1, sizeof *all));
        take_apart(input, all);
        damage_pieces(random, seeds, all);
        put_together(all, below(random, 3) > 0, input);
        let_go(all);
    }
    if (!apart || !below(random, 15))
        for (uint64_t n = 1 + below(random, 5); n && input->length > 64; n--)
            (below(random, 2) ? flip : store_extreme)(random, input);
    fix_trace_checksums(input->data, input->length);
}
