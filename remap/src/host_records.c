/*
 * Records to a layout and back.
 *
 * The values of one field of a block of records are a column. Fields have 1, 2, 4, 8 or 16 bytes
 * and lie at multiples of their size, so that columns can be joined by twos into columns of words
 * twice as long, until all words of a record have the size of its longest field:
 *
 *     struct { uint32_t a; uint16_t b; uint8_t c, d; }
 *
 *     a               a0   a1   a2   ...            a0 b0 c0 d0    record 0
 *     b,  c d         b0   b1   b2   ...     <->    a1 b1 c1 d1    record 1
 *         c, d        c0d0 c1d1 c2d2 ...            ...
 *
 * What is left, words of one size side by side, is a matrix that the vector functions transpose; so
 * it goes back. To the layout, words become columns, which are split by twos. Columns that hold
 * nothing but padding are left out, or zero. Fields of other sizes are copied value by value.
 *
 * A block is a power of two of records and stays in the first-level cache. Of a cluster with tiles
 * shorter than a block, it is some whole tiles, and columns are put together from the tiles' runs;
 * in longer tiles, and with `soa`, a column is a piece of its field's run. All that is written goes
 * out in whole lines (host_stream.c), from an area for each run or cluster.
 */
#include <stdlib.h>

#include "remap/remap_host.h"

enum {
    BLOCK_BYTES = 4096,
    SHUFFLED_BYTES = 16384, /* of columns that are joined, each by a call of its own: */
    SHUFFLED_RECORDS = 256,
    AHEAD_BYTES = 8192, /* of longer tiles */
    STEP_BYTES = 1024,
    MOST_RECORDS = 1024,
    MOST_BYTES = 256 << 10,
    MOST_COLUMNS = 2 * HD_MAX_FIELDS,
    FEW_COLUMNS = 4,
    LONGEST = 16,       /* bytes of a column */
    MOST_LINES = 512,   /* of a block that are prefetched */
    MOST_VECTORS = 64,  /* of a round */
    FOLLOWED_TILE = 512 /* bytes; processors see by themselves what is read next */
};

/* A column, of a field or of words that have two halves, which come behind it in the list. */
typedef struct column {
    size_t offset; /* in the record */
    size_t bytes;
    int field;     /* -1: none */
    int halves[2]; /* -1: nothing but padding */
    size_t at;     /* in the scratch */
} column;

/* What is moved at once: columns of words of one size side by side, or, without, bytes that are
 * copied: a field, or fields that lie side by side on both sides. */
typedef struct move {
    uint32_t field;        /* that is copied */
    uint32_t first, count; /* columns; 0 */
    size_t offset, bytes;  /* in the record; of a word, or of all that is copied */
    size_t head;           /* records before the first that begins a line of its run */
    size_t run;            /* bytes from one run to the next */
} move;

/* Where a block's output is put in order: of a cluster's tiles, or of a field's run. */
typedef struct area {
    size_t at; /* in the scratch */
    uint32_t cluster;
    int field; /* -1: all of the cluster */
} area;

typedef struct job {
    const hd_remap *map;
    char *records;
    char *const *parts;
    uint64_t block; /* records */
    uint64_t blocks, tasks;
    uint32_t column_count, move_count, area_count;
    column columns[MOST_COLUMNS];
    move moves[HD_MAX_FIELDS];
    area areas[HD_MAX_FIELDS];
    uint32_t area_of[HD_MAX_FIELDS]; /* of each field */
    uint64_t round;                  /* records that are shuffled at once */
    uint32_t vector_count, word_count;
    size_t steps; /* of a block: vectors that are shuffled, and pairs that are split or joined */
    uint32_t words[HD_MAX_FIELDS]; /* columns of the moves, where all are shuffled */
    hd_remap_shuffle *vectors;
    bool straight;                    /* to runs that begin with lines */
    size_t records_at, scratch_bytes; /* a block's records, in the scratch */
} job;

static const hd_cluster_place *place_of(const job *j, uint32_t field) {
    return &j->map->layout->clusters[j->map->layout->fields[field].cluster];
}

/* Is a block within one tile? */
static bool is_long(const job *j, uint32_t cluster) {
    return j->map->layout->layout->clusters[cluster].tile >= j->block;
}

/* So many records that the lines of a block can wait in the store buffer while the next block is
 * read, but at least `least`, and that the smallest field's values fill a line. */
static uint64_t choose_block(const hd_record *record, uint64_t least, uint64_t bytes) {
    uint64_t records = MOST_RECORDS;
    for (uint32_t f = 0; f < record->field_count; f++)
        while (least * record->fields[f].size < REMAP_LINE)
            least *= 2;
    while (records > least && records * record->size > bytes)
        records /= 2;
    while (records > 1 && records * record->size > MOST_BYTES)
        records /= 2;
    return records;
}

/* ---- columns ------------------------------------------------------------------------------- */

static bool has_column(const job *j, uint32_t f) {
    const hd_field_place *place = &j->map->layout->fields[f];
    uint32_t bytes = j->map->layout->record->fields[f].size;
    return hd_remap_word(bytes) >= 0 && place->size == bytes && place_of(j, f)->tile > 1 &&
           j->block * bytes >= REMAP_LINE;
}

/* Lists the column of the words at `offset`, whose fields are those from `f` on. Returns its
 * number, -1 when they are padding, or -2 when a part of them has no column. */
static int list_column(job *j, uint32_t f, size_t offset, size_t bytes) {
    const hd_record *record = j->map->layout->record;
    while (f < record->field_count && record->fields[f].offset + record->fields[f].size <= offset)
        f++;
    if (f == record->field_count || record->fields[f].offset >= offset + bytes)
        return -1;
    bool own = record->fields[f].offset == offset && record->fields[f].size == bytes;
    if (own ? !has_column(j, f) : bytes == 1 || j->column_count == MOST_COLUMNS)
        return -2;
    int number = (int)j->column_count++;
    column c = {offset, bytes, own ? (int)f : -1, {-1, -1}, 0};
    for (int half = 0; half < 2 && !own; half++) {
        c.halves[half] = list_column(j, f, offset + (size_t)half * bytes / 2, bytes / 2);
        if (c.halves[half] == -2)
            return -2;
    }
    j->columns[number] = c;
    return number;
}

/* The longest word at field `f`, from `end` on, which has a column: its number, or -1. */
static int list_word(job *j, uint32_t f, size_t end, size_t longest) {
    const hd_record *record = j->map->layout->record;
    size_t offset = record->fields[f].offset, own = record->fields[f].size;
    uint32_t before = j->column_count;
    for (size_t bytes = longest; bytes > own; bytes /= 2) {
        size_t begin = offset / bytes * bytes;
        if (begin < end || begin + bytes > record->size)
            continue;
        int number = list_column(j, f, begin, bytes);
        if (number >= 0)
            return number;
        j->column_count = before;
    }
    return has_column(j, f) ? list_column(j, f, offset, own) : -1;
}

/* Can field `f` be copied with the ones before? Their cluster has them side by side, too. */
static bool can_join(const job *j, const move *m, uint32_t f) {
    const hd_map *map = j->map->layout;
    return !m->count && map->fields[f].cluster == map->fields[m->field].cluster &&
           place_of(j, f)->tile == 1 && map->record->fields[f].offset == m->offset + m->bytes &&
           map->fields[f].run == map->fields[m->field].run + m->bytes;
}

/* Joins columns to words of `longest` bytes at most. */
static void list_moves(job *j, size_t longest) {
    const hd_record *record = j->map->layout->record;
    size_t end = 0;
    j->column_count = j->move_count = 0;
    for (uint32_t f = 0; f < record->field_count;) {
        const hd_field *field = &record->fields[f];
        move *last = j->move_count ? &j->moves[j->move_count - 1] : NULL;
        int number = list_word(j, f, end, longest);
        move m = {.field = f, .offset = field->offset, .bytes = field->size};
        if (number >= 0)
            m = (move){
                f, (uint32_t)number, 1, j->columns[number].offset, j->columns[number].bytes, 0, 0};
        end = m.offset + m.bytes;
        while (f < record->field_count && record->fields[f].offset < end)
            f++;
        if (last && number >= 0 && last->count && last->bytes == m.bytes &&
            last->offset + last->count * last->bytes == m.offset)
            last->count++;
        else if (last && number < 0 && can_join(j, last, m.field))
            last->bytes += m.bytes;
        else
            j->moves[j->move_count++] = m;
    }
}

/* The columns of a move: the next one after a column and all its parts. */
static uint32_t next_word(const job *j, uint32_t number) {
    size_t end = j->columns[number].offset + j->columns[number].bytes;
    while (number < j->column_count && j->columns[number].offset < end)
        number++;
    return number;
}

/* ---- shuffles ------------------------------------------------------------------------------ */

/* The next vector is made of nothing yet. */
static hd_remap_shuffle *new_vector(job *j) {
    if (j->vector_count == MOST_VECTORS)
        return NULL;
    hd_remap_shuffle *s = &j->vectors[j->vector_count++];
    s->count = 0;
    for (uint32_t k = 0; k < REMAP_MOST_TAKEN; k++)
        for (uint32_t i = 0; i < REMAP_LINE; i++)
            s->index[k][i] = (unsigned char)i;
    return s;
}

/* Takes byte `i` of the vector from byte `at` of a round of stream `from`. */
static bool take(hd_remap_shuffle *s, uint32_t i, uint32_t from, size_t at) {
    uint32_t k = 0, line = (uint32_t)(at / REMAP_LINE * REMAP_LINE);
    while (k < s->count && (s->from[k] != from || s->at[k] != line))
        k++;
    if (k == REMAP_MOST_TAKEN)
        return false;
    if (k == s->count) {
        s->from[k] = from;
        s->at[k] = line;
        s->count++;
    }
    unsigned char number = (unsigned char)(at - line);
    if (k == 0)
        s->index[0][i] = s->index[1][i] = number;
    else
        s->index[k][i] = (unsigned char)(REMAP_LINE + number);
    return true;
}

/* The vectors of a round of word `w`, from the records; or (back) of the records, from their words,
 * behind which comes the stream of padding. */
static bool list_vectors(job *j, uint32_t w, bool back) {
    size_t record = (size_t)j->map->element_bytes;
    const column *word = &j->columns[j->words[w]];
    size_t bytes = back ? record : word->bytes;
    hd_remap_shuffle *s = NULL;
    for (size_t i = 0; i < j->round * bytes; i++) {
        size_t number = i / bytes, byte = i % bytes, at = 0;
        uint32_t from = 0; /* the word of the byte, or, for padding, the number of words */
        while (back && from < j->word_count &&
               byte - j->columns[j->words[from]].offset >= j->columns[j->words[from]].bytes)
            from++;
        if (!back) {
            at = number * record + word->offset + byte;
        } else if (from < j->word_count) {
            const column *c = &j->columns[j->words[from]];
            at = number * c->bytes + byte - c->offset;
        }
        if (i % REMAP_LINE == 0 && !(s = new_vector(j)))
            return false;
        if (!take(s, i % REMAP_LINE, from, at))
            return false;
    }
    return true;
}

/* Are all of a record words that can be shuffled? As few words as are shuffled fast. */
static bool find_shuffle(job *j, bool back) {
    size_t record = (size_t)j->map->element_bytes;
    for (size_t longest = 1; longest <= LONGEST; longest *= 2) {
        list_moves(j, longest);
        j->word_count = 0;
        for (uint32_t m = 0; m < j->move_count; m++) {
            if (!j->moves[m].count)
                return false;
            uint32_t number = j->moves[m].first;
            for (uint32_t k = 0; k < j->moves[m].count; k++, number = next_word(j, number))
                j->words[j->word_count++] = number;
        }
        if (j->word_count <= FEW_COLUMNS)
            break;
    }
    j->round = REMAP_LINE / (record & -record) > 1 ? REMAP_LINE / (record & -record) : 1;
    for (uint32_t w = 0; w < j->word_count; w++)
        j->round = hd_remap_most(j->round, REMAP_LINE / j->columns[j->words[w]].bytes);
    j->vector_count = 0;
    bool can = j->round <= j->block;
    for (uint32_t w = 0; w < (back ? 1 : j->word_count) && can; w++)
        can = list_vectors(j, w, back);
    return can;
}

/* ---- areas --------------------------------------------------------------------------------- */

/* A line is left before each. */
static size_t new_space(job *j, size_t bytes) {
    size_t at = j->scratch_bytes + REMAP_LINE;
    j->scratch_bytes = at + (size_t)hd_align_up(bytes, REMAP_LINE);
    return at;
}

/* The place that columns of `bytes` share. */
static size_t shared_space(job *j, size_t shared[][2], size_t bytes, int half) {
    size_t *at = &shared[__builtin_ctzll(bytes)][half];
    if (!*at)
        *at = new_space(j, (size_t)j->block * bytes);
    return *at;
}

/* Where columns lie: those of a move's words at equal distances. Columns that have halves are
 * worked on one after another, with all that they are made of, so those of one size share two
 * places: for first and for second halves. Shuffled words do so, too, unless the records are made
 * of them. */
static void place_columns(job *j, bool back) {
    size_t shared[REMAP_WORD_SIZES][2] = {{0}};
    for (uint32_t m = 0; m < j->move_count; m++)
        for (uint32_t k = 0, number = j->moves[m].first; k < j->moves[m].count; k++) {
            column *c = &j->columns[number];
            c->at = j->vectors && !back && c->field < 0 ? shared_space(j, shared, c->bytes, 0)
                                                        : new_space(j, (size_t)j->block * c->bytes);
            number = next_word(j, number);
        }
    for (uint32_t i = 0; i < j->column_count; i++) {
        column *c = &j->columns[i];
        if (!c->at)
            c->at = new_space(j, (size_t)j->block * c->bytes);
        for (int half = 0; half < 2; half++)
            if (c->halves[half] >= 0 && j->columns[c->halves[half]].field < 0)
                j->columns[c->halves[half]].at = shared_space(j, shared, c->bytes / 2, half);
    }
}

static void list_areas(job *j) {
    const hd_map *map = j->map->layout;
    int area_of_cluster[HD_MAX_FIELDS], column_of[HD_MAX_FIELDS];
    memset(area_of_cluster, -1, sizeof area_of_cluster);
    memset(column_of, -1, sizeof column_of);
    for (uint32_t c = 0; c < j->column_count; c++)
        if (j->columns[c].field >= 0)
            column_of[j->columns[c].field] = (int)c;
    for (uint32_t f = 0; f < map->record->field_count; f++) {
        uint32_t c = map->fields[f].cluster;
        const hd_cluster_place *place = &map->clusters[c];
        if (is_long(j, c)) {
            j->areas[j->area_count++] =
                (area){column_of[f] >= 0 ? j->columns[column_of[f]].at
                                         : new_space(j, (size_t)j->block * map->fields[f].size),
                       c, (int)f};
        } else if (area_of_cluster[c] < 0) {
            area_of_cluster[c] = (int)j->area_count;
            j->areas[j->area_count++] =
                (area){new_space(j, (size_t)(j->block / place->tile * place->tile_bytes)), c, -1};
        }
        j->area_of[f] = is_long(j, c) ? j->area_count - 1 : (uint32_t)area_of_cluster[c];
    }
}

/* A field's value in a record. */
static char *run_at(const job *j, uint32_t field, uint64_t record) {
    const hd_field_place *f = &j->map->layout->fields[field];
    const hd_cluster_place *place = place_of(j, field);
    char *part = j->parts[place->allocation];
    if (place->tile >= j->map->elements) /* dividing takes long */
        return part + place->base + f->run + record * f->size;
    return part + hd_map_address(j->map->layout, field, record);
}

/* Where the area's output for the block from record `first` on belongs. */
static char *target_of(const job *j, const area *a, uint64_t first) {
    const hd_cluster_place *place = &j->map->layout->clusters[a->cluster];
    if (a->field >= 0)
        return run_at(j, (uint32_t)a->field, first);
    return j->parts[place->allocation] + place->base + first / place->tile * place->tile_bytes;
}

/* The bytes of it: the last value of a run has no gap after it. */
static size_t bytes_of(const job *j, const area *a, uint64_t first, uint64_t count) {
    const hd_cluster_place *place = &j->map->layout->clusters[a->cluster];
    if (a->field < 0)
        return (size_t)((count + place->tile - 1) / place->tile * place->tile_bytes);
    size_t step = j->map->layout->fields[a->field].size;
    bool last = first + count == j->map->elements || (first + count) % place->tile == 0;
    size_t gap = step - j->map->layout->record->fields[a->field].size;
    return (size_t)count * step - (last ? gap : 0);
}

/* ---- between columns and tiles ------------------------------------------------------------- */

/* Values of the layout become those of the records, or (back) the other way round. */
static void exchange(bool back, char *there, size_t there_step, char *here, size_t here_step,
                     size_t bytes, uint64_t count) {
    if (back)
        hd_remap_copy_values(here, here_step, there, there_step, bytes, (size_t)count);
    else
        hd_remap_copy_values(there, there_step, here, here_step, bytes, (size_t)count);
}

/* `count` values of `bytes` each at `values`, one after another or `step` apart, go to the runs of
 * tiles, or come from there. The first tile is at `tiles`. */
static void copy_tiles(const job *j, uint32_t f, char *tiles, char *values, size_t step,
                       size_t bytes, uint64_t count, bool back) {
    const hd_cluster_place *place = place_of(j, f);
    size_t apart = (size_t)place->tile_bytes, value = j->map->layout->fields[f].size;
    size_t piece = (size_t)place->tile * bytes;
    uint64_t whole = count / place->tile;
    tiles += j->map->layout->fields[f].run;
    if (step == bytes && value == bytes && place->tile > 1) {
        exchange(back, tiles, apart, values, piece, piece, whole);
        tiles += whole * apart;
        values += whole * piece;
        count -= whole * place->tile;
    }
    for (uint64_t n; count; count -= n, tiles += apart, values += n * step) {
        n = place->tile == 1 ? count : hd_remap_least(count, place->tile);
        exchange(back, tiles, place->tile == 1 ? apart : value, values, step, bytes, n);
    }
}

/* What is copied of a move, between `count` records and what their area stands for. */
static void copy_fields(const job *j, const move *m, char *fields, char *records, uint64_t count,
                        bool back) {
    size_t record = (size_t)j->map->element_bytes, step = j->map->layout->fields[m->field].size;
    if (!is_long(j, j->map->layout->fields[m->field].cluster))
        copy_tiles(j, m->field, fields, records + m->offset, record, m->bytes, count, back);
    else
        exchange(back, fields, step, records + m->offset, record, m->bytes, count);
}

/* ---- to the layout ------------------------------------------------------------------------- */

static void unzip_words(const hd_remap_engine *engine, const job *j, const move *m, char *scratch,
                        uint64_t first, uint64_t count) {
    size_t record = (size_t)j->map->element_bytes;
    uint32_t next = next_word(j, m->first);
    size_t at = j->columns[m->first].at;
    engine->lanes->unzip[hd_remap_word(m->bytes)](
        scratch + at, m->count > 1 ? j->columns[next].at - at : 0,
        j->records + first * record + m->offset, record, (size_t)count, m->count,
        j->records + j->map->source_bytes);
}

/* Is it a piece of a field's run? */
static bool is_run(const job *j, const column *c) {
    return c->field >= 0 && is_long(j, j->map->layout->fields[c->field].cluster);
}

/* Where a column of the block from record `first` on goes. */
static char *column_at(const job *j, const column *c, bool straight, char *scratch,
                       uint64_t first) {
    return straight && is_run(j, c) ? run_at(j, (uint32_t)c->field, first) : scratch + c->at;
}

/* What is prefetched for the block from record `first` on: lines of the records or of their
 * columns, as many as there is room for. */
static hd_remap_lines list_ahead(const job *j, const char *lines[], bool back, uint64_t first) {
    size_t n = 0;
    lines[0] = j->records;
    if (!j->vectors || first + j->block > j->map->elements)
        return (hd_remap_lines){lines, 0, 0};
    if (!back)
        for (const char *at = j->records + first * j->map->element_bytes;
             n < MOST_LINES && n < j->block * j->map->element_bytes / REMAP_LINE; n++)
            lines[n] = at + n * REMAP_LINE;
    for (uint32_t i = 0; i < j->column_count && back; i++) {
        const column *c = &j->columns[i];
        if (c->field < 0)
            continue;
        const char *at = run_at(j, (uint32_t)c->field, first);
        size_t end = hd_remap_least(n + j->block * c->bytes / REMAP_LINE, MOST_LINES);
        for (; n < end; n++, at += REMAP_LINE)
            lines[n] = at;
    }
    return (hd_remap_lines){lines, 0, (n << REMAP_PACE_BITS) / j->steps};
}

/* The words of a block, and the columns that they are split to. */
static void apply_columns(const hd_remap_engine *engine, const job *j, char *records, bool straight,
                          char *scratch, uint64_t first, uint64_t count, hd_remap_lines *ahead) {
    hd_remap_strand from = {records, (size_t)(j->round * j->map->element_bytes), false};
    const hd_remap_shuffle *vectors = j->vectors;
    for (uint32_t i = 0, w = 0; i < j->column_count; i++) {
        const column *c = &j->columns[i];
        if (vectors && w < j->word_count && j->words[w] == i) {
            hd_remap_strand to = {column_at(j, c, straight, scratch, first),
                                  (size_t)j->round * c->bytes, straight && is_run(j, c)};
            engine->lanes->shuffle(&to, &from, vectors, to.step / REMAP_LINE,
                                   (size_t)(j->block / j->round), ahead);
            vectors += to.step / REMAP_LINE;
            w++;
        }
        if (c->field >= 0)
            continue;
        char *halves[2] = {NULL, NULL};
        bool streaming[2] = {false, false};
        for (int h = 0; h < 2; h++)
            if (c->halves[h] >= 0) {
                const column *half = &j->columns[c->halves[h]];
                halves[h] = column_at(j, half, straight, scratch, first);
                streaming[h] = straight && is_run(j, half);
            }
        engine->lanes->split[__builtin_ctzll(c->bytes / 2)](halves, streaming, scratch + c->at,
                                                            (size_t)count * c->bytes / 2, ahead);
    }
}

/* Where the block begins another tile, its output does not follow the last one's. */
static void follow(const job *j, const area *a, hd_remap_stream *stream, uint64_t first) {
    char *to = target_of(j, a, first);
    if (stream->to + stream->carried == to)
        return;
    hd_remap_end(stream);
    stream->to = to;
}

/* Records that fill no block come from a copy of theirs. */
static void apply_block(const hd_remap_engine *engine, const job *j, hd_remap_stream *streams,
                        char *scratch, uint64_t first, uint64_t count) {
    size_t record = (size_t)j->map->element_bytes;
    char *records = j->records + first * record;
    bool whole = count == j->block, straight = j->straight && whole;
    const char *lines[MOST_LINES];
    hd_remap_lines ahead = list_ahead(j, lines, false, first + j->block);
    for (uint32_t a = 0; a < j->area_count && !whole; a++)
        memset(scratch + j->areas[a].at, 0, bytes_of(j, &j->areas[a], first, count));
    if (j->vectors && !whole)
        records = memcpy(scratch + j->records_at, records, (size_t)count * record);
    for (uint32_t m = 0; m < j->move_count && !j->vectors; m++)
        if (j->moves[m].count)
            unzip_words(engine, j, &j->moves[m], scratch, first, count);
        else
            copy_fields(j, &j->moves[m], scratch + j->areas[j->area_of[j->moves[m].field]].at,
                        records, count, false);
    apply_columns(engine, j, records, straight, scratch, first, count, &ahead);
    for (uint32_t i = 0; i < j->column_count; i++) {
        const column *c = &j->columns[i];
        if (c->field >= 0 && !is_run(j, c))
            copy_tiles(j, (uint32_t)c->field, scratch + j->areas[j->area_of[c->field]].at,
                       scratch + c->at, c->bytes, c->bytes, count, false);
    }
    for (uint32_t a = 0; a < j->area_count; a++) {
        if (straight && j->areas[a].field >= 0)
            continue;
        follow(j, &j->areas[a], &streams[a], first);
        hd_remap_put(engine, &streams[a], scratch + j->areas[a].at,
                     bytes_of(j, &j->areas[a], first, count));
    }
}

static void apply_task(const hd_remap_engine *engine, void *user, uint64_t task, char *scratch) {
    const job *j = user;
    hd_remap_stream streams[HD_MAX_FIELDS];
    uint64_t begin = j->blocks * task / j->tasks, end = j->blocks * (task + 1) / j->tasks;
    for (uint32_t a = 0; a < j->area_count; a++)
        streams[a] = (hd_remap_stream){.to = target_of(j, &j->areas[a], begin * j->block)};
    for (uint64_t b = begin; b < end; b++) {
        uint64_t left = j->map->elements - b * j->block;
        apply_block(engine, j, streams, scratch, b * j->block, left < j->block ? left : j->block);
    }
    for (uint32_t a = 0; a < j->area_count; a++)
        hd_remap_end(&streams[a]);
}

/* ---- straight to the runs ------------------------------------------------------------------ */

/* Do all runs of a move go on alike, from tile to tile? */
static bool go_on_alike(const job *j, const move *m) {
    const hd_cluster_place *first = place_of(j, m->field);
    for (uint32_t k = 1; k < m->count; k++) {
        const hd_cluster_place *place = place_of(j, m->field + k);
        bool whole = first->tile >= j->map->elements && place->tile >= j->map->elements;
        if (!whole && (place->tile != first->tile || place->tile_bytes != first->tile_bytes))
            return false;
    }
    return true;
}

/* Are a move's words all fields? */
static bool is_of_fields(const job *j, const move *m) {
    for (uint32_t k = 0; k < m->count; k++)
        if (j->columns[m->first + k].field != (int)(m->field + k))
            return false;
    return m->count > 0;
}

/* Do all runs of a move begin alike in their lines, and so do tiles? Then lines of all of them can
 * be written at once. */
static bool find_lines(const job *j, move *m) {
    const hd_map *map = j->map->layout;
    const hd_cluster_place *place = place_of(j, m->field);
    if (!is_of_fields(j, m))
        return false;
    char *first = run_at(j, m->field, 0);
    size_t head = -(uintptr_t)first % REMAP_LINE;
    m->run = m->count > 1 ? (size_t)(run_at(j, m->field + 1, 0) - first) : REMAP_LINE;
    for (uint32_t k = 0; k < m->count; k++)
        if (run_at(j, m->field + k, 0) != first + k * m->run)
            return false;
    if (!go_on_alike(j, m))
        return false;
    if (place->tile < map->count &&
        (head || place->tile * m->bytes % REMAP_LINE || place->tile_bytes % REMAP_LINE))
        return false;
    m->head = head / m->bytes;
    return head % m->bytes == 0 && m->run % REMAP_LINE == 0;
}

/* Word by word; records that lie in one tile. */
static void move_singly(const job *j, const move *m, uint64_t begin, uint64_t end, bool back) {
    size_t record = (size_t)j->map->element_bytes;
    char *words = j->records + begin * record + m->offset;
    for (uint32_t k = 0; k < m->count && begin < end; k++, words += m->bytes)
        exchange(back, run_at(j, m->field + k, begin), m->bytes, words, record, m->bytes,
                 end - begin);
}

/* Whole lines of runs, or of tiles one after another. */
static void move_tiles(const hd_remap_engine *engine, const job *j, const move *m, uint64_t begin,
                       uint64_t end) {
    const hd_cluster_place *place = place_of(j, m->field);
    bool whole = place->tile >= j->map->elements;
    size_t record = (size_t)j->map->element_bytes;
    uint64_t tile = whole ? end - begin : place->tile, first = whole ? 0 : begin % tile;
    const char *from = j->records + begin * record + m->offset;
    char *to = run_at(j, m->field, begin - first);
    for (uint64_t left = end - begin, count; left; left -= count, first = 0) {
        count = hd_remap_least(tile - first, left);
        engine->lanes->unzip_streaming[hd_remap_word(m->bytes)](to + first * m->bytes, m->run, from,
                                                                record, (size_t)count, m->count,
                                                                j->records + j->map->source_bytes);
        from += count * record;
        to += place->tile_bytes;
    }
}

/* The lines that begin in a block. */
static void move_lines(const hd_remap_engine *engine, const job *j, const move *m, uint64_t block) {
    uint64_t all = j->map->elements, head = hd_remap_least(m->head, all),
             group = REMAP_LINE / m->bytes;
    uint64_t last = all - (all - head) % group;
    uint64_t begin = hd_remap_least(block * j->block + head, last);
    uint64_t end = hd_remap_least((block + 1) * j->block + head, last);
    if (begin < end)
        move_tiles(engine, j, m, begin, end);
    if (block == 0) {
        move_singly(j, m, 0, head, false);
        move_singly(j, m, last, all, false);
    }
}

static void lines_task(const hd_remap_engine *engine, void *user, uint64_t task, char *scratch) {
    const job *j = user;
    (void)scratch;
    for (uint64_t b = j->blocks * task / j->tasks; b < j->blocks * (task + 1) / j->tasks; b++)
        for (uint32_t m = 0; m < j->move_count; m++)
            move_lines(engine, j, &j->moves[m], b);
}

/* ---- back ---------------------------------------------------------------------------------- */

/* The columns of the block: fields' runs themselves where they are whole. */
static void find_columns(const hd_remap_engine *engine, const job *j, char *scratch,
                         const char *columns[], uint64_t first, uint64_t count,
                         hd_remap_lines *ahead) {
    for (uint32_t i = j->column_count; i-- > 0;) {
        const column *c = &j->columns[i];
        columns[i] = scratch + c->at;
        if (c->field < 0) {
            const char *halves[2];
            for (int half = 0; half < 2; half++)
                halves[half] = c->halves[half] < 0 ? NULL : columns[c->halves[half]];
            engine->lanes->join[__builtin_ctzll(c->bytes / 2)](scratch + c->at, halves,
                                                               (size_t)count * c->bytes / 2, ahead);
            continue;
        }
        uint32_t f = (uint32_t)c->field;
        if (!is_long(j, j->map->layout->fields[f].cluster))
            copy_tiles(j, f, target_of(j, &j->areas[j->area_of[f]], first), scratch + c->at,
                       c->bytes, c->bytes, count, true);
        else if (count < j->block)
            memcpy(scratch + c->at, run_at(j, f, first), (size_t)count * c->bytes);
        else
            columns[i] = run_at(j, f, first);
    }
}

/* Is the cluster read in jumps, which processors don't foresee: some lines of a run, then some of
 * another? */
static bool is_read_in_jumps(const job *j, uint32_t number) {
    const hd_cluster *cluster = &j->map->layout->layout->clusters[number];
    uint64_t bytes = j->map->layout->clusters[number].tile_bytes;
    return cluster->tile != HD_TILE_SOA && cluster->tile > 1 && bytes > FOLLOWED_TILE &&
           bytes > cluster->count * REMAP_LINE;
}

/* The records of the block from their columns. */
static void shuffle_records(const hd_remap_engine *engine, const job *j,
                            const char *const columns[], char *records, bool streaming,
                            hd_remap_lines *ahead) {
    static const char zeros[REMAP_LINE];
    hd_remap_strand to = {records, (size_t)(j->round * j->map->element_bytes), streaming};
    hd_remap_strand from[HD_MAX_FIELDS + 1];
    for (uint32_t w = 0; w < j->word_count; w++)
        from[w] = (hd_remap_strand){(char *)(uintptr_t)columns[j->words[w]],
                                    (size_t)j->round * j->columns[j->words[w]].bytes, false};
    from[j->word_count] = (hd_remap_strand){(char *)(uintptr_t)zeros, 0, false};
    engine->lanes->shuffle(&to, from, j->vectors, j->vector_count, (size_t)(j->block / j->round),
                           ahead);
}

static void revert_block(const hd_remap_engine *engine, const job *j, hd_remap_stream *stream,
                         char *scratch, uint64_t first, uint64_t count) {
    const char *columns[MOST_COLUMNS];
    size_t record = (size_t)j->map->element_bytes;
    bool straight = j->straight && count == j->block;
    char *block = straight ? j->records + first * record : scratch + j->records_at;
    const char *lines[MOST_LINES];
    hd_remap_lines ahead = list_ahead(j, lines, true, first + j->block);
    find_columns(engine, j, scratch, columns, first, count, &ahead);
    if (j->vectors)
        shuffle_records(engine, j, columns, block, straight, &ahead);
    for (const move *m = j->moves; m < j->moves + j->move_count && !j->vectors; m++) {
        const char *from[HD_MAX_FIELDS];
        for (uint32_t k = 0, number = m->first; k < m->count; k++, number = next_word(j, number))
            from[k] = columns[number];
        if (m->count)
            engine->lanes->zip[hd_remap_word(m->bytes)](block + m->offset, record, from, 0,
                                                        (size_t)count, m->count);
        else
            copy_fields(j, m, target_of(j, &j->areas[j->area_of[m->field]], first), block, count,
                        true);
    }
    if (straight)
        stream->to = block + j->block * record;
    else
        hd_remap_put(engine, stream, block, (size_t)count * record);
}

static void revert_task(const hd_remap_engine *engine, void *user, uint64_t task, char *scratch) {
    const job *j = user;
    uint64_t begin = j->blocks * task / j->tasks, end = j->blocks * (task + 1) / j->tasks;
    hd_remap_stream stream = {.to = j->records + begin * j->block * j->map->element_bytes};
    for (uint64_t b = begin; b < end; b++) {
        uint64_t first = b * j->block, left = j->map->elements - first;
        uint64_t next = first + j->block, more = left > j->block ? left - j->block : 0;
        for (uint32_t a = 0; a < j->area_count && more; a++)
            if (is_read_in_jumps(j, j->areas[a].cluster))
                hd_remap_prefetch(target_of(j, &j->areas[a], next), 0, 1,
                                  bytes_of(j, &j->areas[a], next, hd_remap_least(more, j->block)));
        revert_block(engine, j, &stream, scratch, first, hd_remap_least(left, j->block));
    }
    hd_remap_end(&stream);
}

/* ---- straight from the runs ---------------------------------------------------------------- */

hd_remap_zip_fn *hd_remap_zip_of(const hd_remap_engine *engine, int word, uint64_t words) {
    if (!engine->streaming || word < 0)
        return NULL;
    if (words == 2 || words == 4 || words == 8 || words == 16)
        return engine->lanes->zip_streaming[word];
    bool few = words == 3 || (words > 4 && words < 8) || words == 12;
    return 1 << word == 4 && few ? engine->lanes->zip_places_streaming : NULL;
}

/* The vector function for whole records: one move of as many words as it takes, all side by side,
 * from runs or from tiles of whole lines. NULL: there is none. */
static hd_remap_zip_fn *find_rows(const hd_remap_engine *engine, const job *j) {
    const move *m = &j->moves[0];
    const hd_cluster_place *place = place_of(j, m->field);
    uint64_t words = m->count;
    if ((uintptr_t)j->records % REMAP_LINE || j->move_count != 1 || !is_of_fields(j, m) ||
        m->offset || words * m->bytes != j->map->element_bytes || !go_on_alike(j, m))
        return NULL;
    if (place->tile < j->map->elements && place->tile * m->bytes % REMAP_LINE)
        return NULL;
    return hd_remap_zip_of(engine, hd_remap_word(m->bytes), words);
}

/* How records come back from tiles that are read in jumps: so many at once, while as many bytes are
 * asked for that far ahead. */
typedef struct pace {
    uint64_t rows; /* 0: all */
    size_t ahead;
} pace;

static pace pace_of(const job *j, const move *m) {
    const hd_cluster_place *place = place_of(j, m->field);
    size_t record = (size_t)j->map->element_bytes, tile = (size_t)place->tile_bytes;
    uint64_t group = REMAP_LINE / m->bytes;
    if (!is_read_in_jumps(j, j->map->layout->fields[m->field].cluster))
        return (pace){0, 0};
    return (pace){hd_remap_most(STEP_BYTES / record / group, 1) * group,
                  hd_remap_most(AHEAD_BYTES / tile, 1) * tile};
}

/* `count` rows of runs, or of a tile, whole lines, after the first `skipped` ones. */
static void zip_rows(hd_remap_zip_fn *zip, const job *j, pace p, char *to, const char *const *from,
                     uint64_t skipped, uint64_t count) {
    size_t bytes = j->moves[0].bytes, record = (size_t)j->map->element_bytes;
    if (!p.rows) {
        zip(to, from, (size_t)skipped * bytes, (size_t)count, j->moves[0].count);
        return;
    }
    for (uint64_t n; count; skipped += n, count -= n, to += n * record) {
        n = hd_remap_least(count, p.rows);
        hd_remap_prefetch(from[0] + p.ahead + skipped * record, 0, 1, (size_t)n * record);
        zip(to, from, (size_t)skipped * bytes, (size_t)n, j->moves[0].count);
    }
}

/* Records [begin, end) of runs, or of tiles one after another. */
static void move_rows(hd_remap_zip_fn *zip, const job *j, uint64_t begin, uint64_t end) {
    const move *m = &j->moves[0];
    const hd_cluster_place *place = place_of(j, m->field);
    const char *from[HD_MAX_FIELDS];
    bool runs = place->tile >= j->map->elements;
    size_t record = (size_t)j->map->element_bytes;
    uint64_t tile = runs ? j->map->elements : place->tile, group = REMAP_LINE / m->bytes;
    uint64_t first = begin % tile;
    pace p = pace_of(j, m);
    for (uint32_t k = 0; k < m->count; k++)
        from[k] = run_at(j, m->field + k, begin - first);
    for (uint64_t i = begin, count; i < end; i += count, first = 0) {
        count = hd_remap_least(tile - first, end - i);
        uint64_t whole = count - count % group;
        zip_rows(zip, j, p, j->records + i * record, from, first, whole);
        move_singly(j, m, i + whole, i + count, true);
        for (uint32_t k = 0; k < m->count; k++)
            from[k] += place->tile_bytes;
    }
}

static void rows_task(const hd_remap_engine *engine, void *user, uint64_t task, char *scratch) {
    const job *j = user;
    uint64_t begin = j->blocks * task / j->tasks * j->block;
    uint64_t end = j->blocks * (task + 1) / j->tasks * j->block;
    (void)scratch;
    move_rows(find_rows(engine, j), j, begin, hd_remap_least(end, j->map->elements));
}

/* ---- both ---------------------------------------------------------------------------------- */

/* Does each block begin with a line of every run? */
static bool begin_with_lines(const job *j) {
    for (uint32_t a = 0; a < j->area_count; a++) {
        const hd_cluster_place *place = &j->map->layout->clusters[j->areas[a].cluster];
        if (j->areas[a].field >= 0 &&
            ((uintptr_t)target_of(j, &j->areas[a], 0) % REMAP_LINE ||
             (place->tile < j->map->elements && place->tile_bytes % REMAP_LINE)))
            return false;
    }
    return true;
}

static void cut_in_blocks(const hd_remap_engine *engine, job *j, uint64_t least, uint64_t bytes) {
    j->block = choose_block(j->map->layout->record, least, bytes);
    j->blocks = (j->map->elements + j->block - 1) / j->block;
    j->tasks = hd_remap_tasks(engine, j->blocks, j->map->source_bytes);
}

/* Blocks of columns that are joined by steps. */
static void join_by_steps(const hd_remap_engine *engine, job *j) {
    const hd_record *record = j->map->layout->record;
    size_t longest = 1;
    cut_in_blocks(engine, j, 1, BLOCK_BYTES);
    for (uint32_t f = 0; f < record->field_count; f++)
        if (has_column(j, f))
            longest = hd_remap_most(longest, record->fields[f].size);
    list_moves(j, longest);
}

/* Larger blocks, and the tables of a shuffle, where the processor can do it and there is one. */
static hd_status prefer_shuffle(const hd_remap_engine *engine, job *j, bool back) {
    if (!engine->lanes->shuffle)
        return HD_OK;
    if (posix_memalign((void **)&j->vectors, REMAP_LINE, MOST_VECTORS * sizeof *j->vectors) != 0)
        return hd_fail(engine->diag, HD_ESYSTEM, NULL, "no memory for the order of bytes");
    cut_in_blocks(engine, j, SHUFFLED_RECORDS, SHUFFLED_BYTES);
    if (find_shuffle(j, back)) {
        j->steps = (size_t)(j->block / j->round) * j->vector_count;
        for (uint32_t c = 0; c < j->column_count; c++)
            if (j->columns[c].field < 0)
                j->steps += (size_t)j->block * j->columns[c].bytes / 2 / REMAP_LINE;
        return HD_OK;
    }
    free(j->vectors);
    j->vectors = NULL;
    join_by_steps(engine, j);
    return HD_OK;
}

static hd_status move_records(const hd_remap_engine *engine, const hd_remap *map, char *records,
                              char *const *parts, bool back) {
    job j = {.map = map, .records = records, .parts = parts};
    join_by_steps(engine, &j);
    /* Words of one size may go straight to their runs, or come straight from there. */
    bool straight = engine->streaming && (!back || find_rows(engine, &j));
    for (uint32_t m = 0; m < j.move_count && straight && !back; m++)
        straight = find_lines(&j, &j.moves[m]);
    if (straight)
        return hd_remap_run(engine, j.tasks, REMAP_LINE, back ? rows_task : lines_task, &j);
    hd_status status = prefer_shuffle(engine, &j, back);
    if (status != HD_OK)
        return status;
    place_columns(&j, back);
    list_areas(&j);
    /* Zipping may write some bytes behind the last record. */
    j.records_at = new_space(&j, (size_t)(j.block * map->element_bytes) + REMAP_LINE);
    j.straight = engine->streaming && j.vectors &&
                 (back ? (uintptr_t)records % REMAP_LINE == 0 : begin_with_lines(&j));
    status = hd_remap_run(engine, j.tasks, j.scratch_bytes, back ? revert_task : apply_task, &j);
    free(j.vectors);
    return status;
}

hd_status hd_remap_apply_records(const hd_remap_engine *engine, const hd_remap *map,
                                 void *const to[], const char *from) {
    return move_records(engine, map, (char *)(uintptr_t)from, (char *const *)to, false);
}

hd_status hd_remap_revert_records(const hd_remap_engine *engine, const hd_remap *map, char *to,
                                  const void *const from[]) {
    return move_records(engine, map, to, (char *const *)(uintptr_t)from, true);
}
