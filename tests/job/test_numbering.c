/*
 * Indices of jobs and their renumbering. Random jobs are checked by what numbers mean: every element
 * carries the number that it had as a tag, so that after a renumbering each number must lead to the
 * element with the tag of before, and each row must have the same tags in the same order.
 */
#include "job/fixture.h"
#include "job/numbering.h"
#include "sanitized.h"

#define HEAD                                                                                  \
    "kernel: k.cl\nlaunches: [{kernel: fixed, global: [64], args: [{name: a, buffer: a}]}]\n" \
    "record: cell\n"

static hd_job *open_job(fixture *f, const char *text) {
    hd_job *job;
    if (fixture_read(f, text, &job) != HD_OK ||
        hd_job_resolve(f->arena, &f->diag, job, f->module) != HD_OK)
        fail_msg("%u:%u: %s\n%s", f->seen.line, f->seen.column, f->seen.text, text);
    return job;
}

static void **contents_of(fixture *f, const hd_job *job) {
    void **contents = hd_new_array(f->arena, void *, job->buffer_count);
    assert_int_equal(hd_job_all_contents(f->arena, &f->diag, job, contents), HD_OK);
    return contents;
}

static uint32_t buffer_named(const hd_job *job, const char *name) {
    uint32_t b = 0;
    while (strcmp(job->buffers[b].name, name) != 0)
        b++;
    return b;
}

/* ---- random jobs ------------------------------------------------------------------------------ */

static uint32_t pick(uint64_t *state, uint32_t below) {
    return (uint32_t)(hd_next_random(state) % below);
}

/* A job, one side of it, and how to read it. */
typedef struct side {
    fixture *f;
    const hd_job *job;
    void *const *contents;
} side;

/* `name` is a buffer, or BUFFER.FIELD. */
static uint8_t *at(const side *s, const char *name, uint64_t element, uint32_t *bytes) {
    const char *dot = strchr(name, '.');
    const char *of = dot ? hd_strndup(s->f->arena, name, (size_t)(dot - name)) : name;
    uint32_t b = buffer_named(s->job, of), count;
    const hd_buffer *buffer = &s->job->buffers[b];
    const hd_leaf *leaf = hd_leaves_of_buffer(s->f->arena, buffer, dot ? dot + 1 : NULL, &count);
    assert_int_equal(count, 1);
    *bytes = leaf->type.bits / 8;
    return (uint8_t *)s->contents[b] + hd_buffer_byte(buffer, element, leaf->offset);
}

static uint64_t get(const side *s, const char *name, uint64_t element) {
    uint32_t bytes;
    uint64_t value = 0;
    const uint8_t *place = at(s, name, element, &bytes);
    memcpy(&value, place, bytes);
    return value;
}

static void put(const side *s, const char *name, uint64_t element, uint64_t value) {
    uint32_t bytes;
    uint8_t *place = at(s, name, element, &bytes);
    memcpy(place, &value, bytes);
}

static uint64_t count_of(const side *s, const char *buffer) {
    return s->job->buffers[buffer_named(s->job, buffer)].count;
}

typedef struct shape {
    const char *type;
    uint32_t nodes, edges, links, leaves, listed;
    bool columns, length, with_end; /* of nodes, of their rows, of `starts` */
    uint64_t none;
} shape;

static shape make_shape(uint64_t *state) {
    static const char *const types[] = {"ushort", "int", "uint", "ulong", "uchar"};
    uint32_t t = pick(state, 5);
    return (shape){.type = types[t],
                   .nodes = 1 + pick(state, 30),
                   .edges = 1 + pick(state, 60),
                   .links = 1 + pick(state, 60),
                   .leaves = 1 + pick(state, 60),
                   .listed = 1 + pick(state, 20),
                   .columns = pick(state, 2),
                   .length = pick(state, 2),
                   .with_end = pick(state, 2),
                   .none = t == 0   ? 0xffff
                           : t == 3 ? UINT64_MAX
                           : t == 4 ? 0xff
                                    : UINT32_MAX};
}

static const char *text_of(fixture *f, const shape *s) {
    return hd_format(f->arena,
                     HEAD "records:\n"
                          "  - {name: node, fields: \"%s tag, first, end, other\"%s}\n"
                          "  - {name: edge, fields: \"%s tag, to; char pad; %s first, end\"}\n"
                          "  - {name: link, fields: \"%s tag, a, b[2]\"}\n"
                          "buffers:\n"
                          "  - {name: a, type: float, count: 64}\n"
                          "  - {name: cells, type: cell, count: 2}\n"
                          "  - {name: nodes, type: node, count: %u}\n"
                          "  - {name: mass, type: %s, count: %u}\n"
                          "  - {name: edges, type: edge, count: %u}\n"
                          "  - {name: starts, type: %s, count: %u}\n"
                          "  - {name: links, type: link, count: %u}\n"
                          "  - {name: leaves, type: %s, count: %u}\n"
                          "  - {name: leaf_tags, type: uint, count: %u}\n"
                          "  - {name: list, type: %s, count: %u}\n"
                          "indices:\n"
                          "  - {from: edges.to, to: [nodes, mass], none: [-1, -2]}\n"
                          "  - {from: nodes.first, %s: nodes.end, to: edges}\n"
                          "  - {from: starts, rows: mass, to: links}\n"
                          "  - {from: edges.first, end: edges.end, to: [leaves, leaf_tags]}\n"
                          "  - {from: links.a, to: nodes}\n"
                          "  - {from: links.b, to: edges}\n"
                          "  - {from: leaves, to: links}\n"
                          "  - {from: list, to: nodes}\n",
                     s->type, s->columns ? ", stride: n" : "", s->type, s->type, s->type, s->nodes,
                     s->type, s->nodes, s->edges, s->type, s->nodes + s->with_end, s->links,
                     s->type, s->leaves, s->leaves, s->type, s->listed,
                     s->length ? "length" : "end");
}

/* Rows of random lengths in a random order, with gaps between them. */
static void fill_rows(const side *s, uint64_t *state, const char *first, const char *end,
                      uint64_t rows, uint64_t elements, bool is_length) {
    uint32_t *order = hd_new_array(s->f->arena, uint32_t, rows);
    hd_order_random(hd_next_random(state), (uint32_t)rows, order);
    uint64_t next = 0;
    for (uint64_t r = 0; r < rows; r++) {
        uint64_t room = elements - next, gap = pick(state, 4) ? 0 : pick(state, 3);
        uint64_t length = pick(state, 4);
        gap = gap < room ? gap : room;
        length = length < room - gap ? length : room - gap;
        put(s, first, order[r], next + gap);
        put(s, end, order[r], is_length ? length : next + gap + length);
        next += gap + length;
    }
}

static void fill_contents(const side *s, const shape *of, uint64_t *state) {
    fill_rows(s, state, "nodes.first", "nodes.end", of->nodes, of->edges, of->length);
    fill_rows(s, state, "edges.first", "edges.end", of->edges, of->leaves, false);
    for (uint64_t i = 0, next = of->with_end ? pick(state, 3) : 0; i < count_of(s, "starts"); i++) {
        next = next < of->links ? next : of->links;
        put(s, "starts", i, next);
        next += pick(state, 4);
    }
    for (uint32_t i = 0; i < of->nodes; i++) {
        put(s, "nodes.tag", i, i);
        put(s, "nodes.other", i, hd_next_random(state));
        put(s, "mass", i, i);
    }
    for (uint32_t i = 0; i < of->edges; i++) {
        put(s, "edges.tag", i, i);
        put(s, "edges.to", i, pick(state, 5) ? pick(state, of->nodes) : of->none - pick(state, 2));
    }
    for (uint32_t i = 0; i < of->links; i++) {
        put(s, "links.tag", i, i);
        put(s, "links.a", i, pick(state, of->nodes));
        put(s, "links.b[0]", i, pick(state, of->edges));
        put(s, "links.b[1]", i, pick(state, of->edges));
    }
    for (uint32_t i = 0; i < of->leaves; i++) {
        put(s, "leaf_tags", i, i);
        put(s, "leaves", i, pick(state, of->links));
    }
    for (uint32_t i = 0; i < of->listed; i++)
        put(s, "list", i, pick(state, of->nodes));
}

static uint64_t row_end(const side *s, const shape *of, const char *first, const char *end,
                        uint64_t row) {
    if (end)
        return get(s, end, row) +
               (of->length && !strcmp(end, "nodes.end") ? get(s, first, row) : 0);
    return row + 1 < count_of(s, first) ? get(s, first, row + 1) : of->links;
}

/* The row of each element of `rows` has the tags of before. */
static void check_rows(const side *old, const side *new, const shape *of, const char *rows,
                       const char *first, const char *end, const char *tag) {
    const char *buffer = hd_strndup(new->f->arena, rows, strcspn(rows, "."));
    for (uint64_t i = 0; i < count_of(new, buffer); i++) {
        uint64_t was = get(new, rows, i);
        uint64_t begin = get(new, first, i), old_begin = get(old, first, was);
        uint64_t length = row_end(new, of, first, end, i) - begin;
        assert_int_equal(length, row_end(old, of, first, end, was) - old_begin);
        for (uint64_t e = 0; e < length; e++)
            assert_int_equal(get(new, tag, begin + e), old_begin + e);
    }
}

/* What lies before all rows stays there. */
static void check_front(const side *new, const shape *of) {
    uint64_t lowest = of->links;
    for (uint32_t i = 0; i < of->nodes; i++)
        if (get(new, "starts", i) < row_end(new, of, "starts", NULL, i) &&
            get(new, "starts", i) < lowest)
            lowest = get(new, "starts", i);
    for (uint32_t e = 0; e < lowest && lowest < of->links; e++)
        assert_int_equal(get(new, "links.tag", e), e);
}

/* Every number of the field leads to the tag of before. */
static void check_numbers(const side *old, const side *new, const shape *of, const char *field,
                          const char *tag, const char *to) {
    const char *buffer = hd_strndup(new->f->arena, field, strcspn(field, "."));
    for (uint64_t i = 0; i < count_of(new, buffer); i++) {
        uint64_t was = tag ? get(new, tag, i) : i, value = get(old, field, was);
        if (value >= of->none - 1)
            assert_int_equal(get(new, field, i), value);
        else
            assert_int_equal(get(new, to, get(new, field, i)), value);
    }
}

/* Every tag is there once. */
static void check_tags(const side *s, const char *tag) {
    uint64_t count = count_of(s, hd_strndup(s->f->arena, tag, strcspn(tag, ".")));
    uint32_t *tags = hd_new_array(s->f->arena, uint32_t, count);
    for (uint64_t i = 0; i < count; i++)
        tags[i] = (uint32_t)get(s, tag, i);
    assert_true(hd_is_permutation(tags, count, NULL));
}

static void check_meaning(const side *old, const side *new, const shape *of,
                          const uint32_t *order) {
    for (uint32_t i = 0; i < of->nodes; i++) {
        assert_int_equal(get(new, "nodes.tag", i), order[i]);
        assert_int_equal(get(new, "mass", i), order[i]);
        assert_int_equal(get(new, "nodes.other", i), get(old, "nodes.other", order[i]));
    }
    check_tags(new, "edges.tag");
    check_tags(new, "links.tag");
    check_tags(new, "leaf_tags");
    check_rows(old, new, of, "nodes.tag", "nodes.first", "nodes.end", "edges.tag");
    check_rows(old, new, of, "mass", "starts", NULL, "links.tag");
    check_front(new, of);
    check_rows(old, new, of, "edges.tag", "edges.first", "edges.end", "leaf_tags");
    check_numbers(old, new, of, "edges.to", "edges.tag", "nodes.tag");
    check_numbers(old, new, of, "links.a", "links.tag", "mass");
    check_numbers(old, new, of, "links.b[0]", "links.tag", "edges.tag");
    check_numbers(old, new, of, "links.b[1]", "links.tag", "edges.tag");
    check_numbers(old, new, of, "leaves", "leaf_tags", "links.tag");
    check_numbers(old, new, of, "list", NULL, "nodes.tag");
}

static void assert_same_contents(const hd_job *job, void *const *one, void *const *other) {
    for (uint32_t b = 0; b < job->buffer_count; b++)
        assert_memory_equal(one[b], other[b],
                            job->buffers[b].count * job->buffers[b].element_bytes);
}

/* ---- what is touched together -------------------------------------------------------------------- */

enum { MOST_NODES = 32 };

/* Which node an edge, or a link, belongs to by the rows: looked for in all of them. */
static uint32_t owner_of(const side *s, const shape *of, const char *first, const char *end,
                         uint64_t element) {
    for (uint32_t i = 0; i < of->nodes; i++)
        if (get(s, first, i) <= element && element < row_end(s, of, first, end, i))
            return i;
    return UINT32_MAX;
}

typedef struct matrix {
    bool together[MOST_NODES][MOST_NODES]; /* the first's row leads to the second */
} matrix;

static void add_pair(matrix *m, uint32_t a, uint32_t b) {
    if (a != UINT32_MAX && b != UINT32_MAX)
        m->together[a][b] = true;
}

static void slow_matrix(const side *s, const shape *of, matrix *m) {
#define EDGE_OWNER(e) owner_of(s, of, "nodes.first", "nodes.end", e)
#define LINK_OWNER(l) owner_of(s, of, "starts", NULL, l)
    for (uint32_t e = 0; e < of->edges; e++) {
        if (get(s, "edges.to", e) < of->none - 1)
            add_pair(m, EDGE_OWNER(e), (uint32_t)get(s, "edges.to", e));
        uint64_t end = get(s, "edges.end", e);
        for (uint64_t leaf = get(s, "edges.first", e); leaf < end; leaf++)
            add_pair(m, EDGE_OWNER(e), LINK_OWNER(get(s, "leaves", leaf)));
    }
    for (uint32_t l = 0; l < of->links; l++) {
        add_pair(m, LINK_OWNER(l), (uint32_t)get(s, "links.a", l));
        add_pair(m, LINK_OWNER(l), EDGE_OWNER(get(s, "links.b[0]", l)));
        add_pair(m, LINK_OWNER(l), EDGE_OWNER(get(s, "links.b[1]", l)));
    }
}

static void check_nets(const side *s, const shape *of, uint32_t n) {
    static matrix slow, seen;
    hd_nets nets;
    memset(&slow, 0, sizeof slow);
    memset(&seen, 0, sizeof seen);
    slow_matrix(s, of, &slow);
    assert_int_equal(
        hd_numbering_nets(s->f->arena, &s->f->diag, s->job, s->contents, n, HD_NETS_PAIRS, &nets),
        HD_OK);
    for (uint64_t i = 0; i < nets.count; i++) {
        const uint32_t *pair = nets.thread + nets.first[i];
        assert_int_equal(nets.first[i + 1] - nets.first[i], 2);
        assert_true(pair[0] < pair[1] && nets.weight[i] == 1);
        seen.together[pair[0]][pair[1]] = true;
    }
    for (uint32_t a = 0; a < of->nodes; a++)
        for (uint32_t b = a + 1; b < of->nodes; b++)
            assert_int_equal(seen.together[a][b], slow.together[a][b] || slow.together[b][a]);
    assert_int_equal(
        hd_numbering_nets(s->f->arena, &s->f->diag, s->job, s->contents, n, HD_NETS_ROWS, &nets),
        HD_OK);
    uint64_t net = 0;
    for (uint32_t a = 0; a < of->nodes; a++) {
        uint32_t members[MOST_NODES], count = 0;
        for (uint32_t b = 0; b < of->nodes; b++)
            if (a == b || slow.together[a][b])
                members[count++] = b;
        if (count < 2)
            continue;
        assert_int_equal(nets.first[net + 1] - nets.first[net], count);
        assert_memory_equal(nets.thread + nets.first[net++], members, count * sizeof *members);
    }
    assert_int_equal(net, nets.count);
}

/* As they stand in the list, then each and what its row leads to. */
static void check_touched(const side *s, const shape *of, uint32_t n) {
    uint32_t *order;
    bool touched[MOST_NODES] = {false};
    uint32_t next = 0;
    assert_int_equal(hd_numbering_order(s->f->arena, &s->f->diag, s->job, s->contents, n,
                                        &(hd_order_by){HD_ORDER_TOUCH, 0}, &order),
                     HD_OK);
    assert_true(hd_is_permutation(order, of->nodes, NULL));
    for (uint32_t i = 0; i < of->listed; i++) {
        uint32_t node = (uint32_t)get(s, "list", i);
        if (!touched[node])
            assert_int_equal(order[next++], node);
        touched[node] = true;
    }
}

static void random_jobs_keep_their_meaning(void **state) {
    fixture *shared = *state;
    for (uint64_t seed = 0; seed < (SANITIZED ? 40 : 400); seed++) {
        fixture f = *shared;
        f.arena = hd_arena_new();
        uint64_t random = seed;
        shape of = make_shape(&random);
        hd_job *job = open_job(&f, text_of(&f, &of));
        void **contents = contents_of(&f, job), **back = hd_new_array(f.arena, void *, 10);
        side old = {&f, job, contents};
        fill_contents(&old, &of, &random);
        uint32_t n, *order, *again;
        assert_int_equal(hd_numbering_find(f.arena, &f.diag, job, "mass", &n), HD_OK);
        check_nets(&old, &of, n);
        check_touched(&old, &of, n);
        hd_renumbered *made, *twice;
        const hd_order_by by = {seed % 3 ? HD_ORDER_RANDOM : HD_ORDER_RCM, seed};
        hd_numbering_order(f.arena, &f.diag, job, contents, n, &by, &order);
        if (hd_job_renumber(f.arena, &f.diag, job, contents, n, order, &made) != HD_OK)
            fail_msg("seed %llu: %s", (unsigned long long)seed, f.seen.text);
        void **renumbered = contents_of(&f, made->job);
        side new = {&f, made->job, renumbered};
        check_meaning(&old, &new, &of, order);
        assert_int_equal(hd_renumbered_gather(f.arena, &f.diag, made, renumbered, back), HD_OK);
        assert_same_contents(job, back, contents);
        assert_int_equal(hd_renumbered_scatter(f.arena, &f.diag, made, contents, back), HD_OK);
        assert_same_contents(job, back, renumbered);

        /* A job in new numbers is one like any other. */
        again = hd_new_array(f.arena, uint32_t, of.nodes);
        for (uint32_t i = 0; i < of.nodes; i++)
            again[i] = made->number[n][i];
        assert_int_equal(hd_job_renumber(f.arena, &f.diag, made->job, renumbered, n, again, &twice),
                         HD_OK);
        side third = {&f, twice->job, contents_of(&f, twice->job)};
        for (uint32_t i = 0; i < of.nodes; i++)
            assert_int_equal(get(&third, "mass", i), i);
        hd_arena_free(f.arena);
    }
}

/* ---- by hand ---------------------------------------------------------------------------------- */

#define SMALL                                                                         \
    "buffers:\n"                                                                      \
    "  - {name: bodies, type: body, count: 4, init: [{field: id, generator: iota},\n" \
    "     {field: pos, generator: iota, low: 5}]}\n"                                  \
    "  - {name: other, type: body, count: 4}\n"                                       \
    "  - {name: list, type: int, count: 3, init: [{generator: iota, low: 1}]}\n"      \
    "  - {name: flag, type: uint, count: 1}\n"                                        \
    "record: body\nkernel: k.cl\n"

static const uint32_t turned[] = {3, 2, 1, 0};

static void between_launches_numbers_follow(void **state) {
    fixture *f = *state;
    hd_job *job = open_job(
        f, SMALL "indices:\n"
                 "  - {from: bodies.id, to: bodies}\n  - {from: other.id, to: bodies}\n"
                 "  - {from: list, to: bodies, none: -1}\n"
                 "  - {argument: move.n, to: bodies}\n"
                 "launches:\n"
                 "  - repeat: 3\n"
                 "    until: {buffer: list, element: 1, value: 3}\n"
                 "    launches:\n"
                 "      - copy: {from: bodies, to: other}\n"
                 "      - set: {buffer: bodies, element: 1, field: id, value: 2}\n"
                 "      - set: {buffer: list, element: 1, value: -1}\n"
                 "      - fill: {buffer: list, value: 1}\n"
                 "      - kernel: move\n"
                 "        global: [64]\n"
                 "        items_from: {buffer: bodies, element: 1, field: d}\n"
                 "        args: [{name: bodies, buffer: bodies}, {name: scratch, local: 4},\n"
                 "               {name: n, round: 0}, {name: dt, value: 1,\n"
                 "                from: {buffer: other, element: 3, field: pos}}]\n"
                 "  - set: {buffer: bodies, element: 0, field: pos, value: 7}\n");
    void **contents = contents_of(f, job);
    hd_renumbered *made;
    uint32_t n;
    assert_int_equal(hd_numbering_find(f->arena, &f->diag, job, "other", &n), HD_OK);
    if (hd_job_renumber(f->arena, &f->diag, job, contents, n, turned, &made) != HD_OK)
        fail_msg("%u:%u: %s", f->seen.line, f->seen.column, f->seen.text);
    const hd_job *new = made->job;
    assert_int_equal(new->launch_count, 3);
    const hd_launch *launch = &new->launches[1];
    assert_int_equal(launch->before_count, 4);
    assert_int_equal(launch->before[1].element, 2);
    assert_string_equal(launch->before[1].value_text, "1");
    assert_int_equal(launch->before[2].element, 1);
    assert_string_equal(launch->before[2].value_text, "-1");
    assert_string_equal(launch->before[3].value_text, "2");
    assert_int_equal(launch->items_from->element, 2);
    assert_true(launch->until == new->launches[2].until && launch->until != job->launches[1].until);
    assert_int_equal(launch->until->spot.element, 1);
    assert_string_equal(launch->until->value_text, "0");
    assert_int_equal(launch->until->value[0], 0);
    for (uint32_t a = 0; a < launch->arg_count; a++) {
        const hd_arg *arg = &launch->args[a];
        if (!strcmp(arg->name, "n"))
            assert_true(arg->value[0] == 2 && arg->value_bytes == 4 &&
                        !strcmp(arg->value_text, "2"));
        if (!strcmp(arg->name, "dt"))
            assert_int_equal(arg->from->element, 0);
    }
    assert_int_equal(new->last[0].element, 3);
    assert_string_equal(new->last[0].value_text, "7");
    const int *list = new->buffers[buffer_named(new, "list")].bytes;
    assert_memory_equal(list, ((int[]){2, 1, 0}), 12);
    /* The original is what it was. */
    assert_int_equal(job->launches[1].before[1].element, 1);
    assert_string_equal(job->launches[1].until->value_text, "3");
}

static void points_are_those_of_the_elements(void **state) {
    fixture *f = *state;
#define ONE_LAUNCH                                                                     \
    "launches: [{kernel: move, global: [64], args: [{name: bodies, buffer: bodies},\n" \
    "   {name: scratch, local: 4}, {name: n, value: 0}, {name: dt, value: 1}]}]\n"
    static const char *const points[] = {"bodies.pos", "[bodies.pos.x, bodies.pos.y]"};
    static const float expected[] = {5, 6, 7, 8, 9, 10, 11, 12};
    for (uint32_t p = 0; p < 2; p++) {
        hd_job *job =
            open_job(f, hd_format(f->arena,
                                  SMALL ONE_LAUNCH
                                  "indices:\n  - {from: list, to: bodies}\n  - {points: %s}\n",
                                  points[p]));
        uint32_t n, dims, *order;
        void **contents = contents_of(f, job);
        assert_int_equal(hd_numbering_find(f->arena, &f->diag, job, NULL, &n), HD_OK);
        const float *found = hd_numbering_points(f->arena, job, contents, n, &dims);
        assert_int_equal(dims, 2);
        assert_memory_equal(found, expected, sizeof expected);
        assert_int_equal(hd_numbering_order(f->arena, &f->diag, job, contents, n,
                                            &(hd_order_by){HD_ORDER_CURVE, 0}, &order),
                         HD_OK);
        assert_memory_equal(order, ((uint32_t[]){0, 1, 2, 3}), 16);
    }
    hd_job *job = open_job(f, SMALL ONE_LAUNCH "indices: [{from: list, to: bodies},\n"
                                               "   {points: bodies.v}]\n");
    uint32_t dims;
    hd_numbering_points(f->arena, job, contents_of(f, job), 1, &dims);
    assert_true(job->numberings->numberings[0].point_count == 1 || dims == 3);
}

/* Buffers of a record of arrays are numbered alike without a word. */
static void arrays_are_one_numbering(void **state) {
    fixture *f = *state;
    hd_job *job = open_job(
        f, HEAD "buffers:\n  - {name: a, type: float, count: 64}\n"
                "  - {name: b, type: float, count: 64}\n  - {name: cells, type: cell, count: 1}\n"
                "  - {name: list, type: uint, count: 3}\n"
                "arrays: [{record: pairs, fields: [a, b]}]\nindices: [{from: list, to: b}]\n");
    uint32_t n;
    assert_int_equal(hd_numbering_find(f->arena, &f->diag, job, "a", &n), HD_OK);
    assert_int_equal(job->numberings->numberings[n].buffer_count, 2);
    assert_int_equal(job->numberings->of[2], HD_NO_NUMBERING);
}

/* ---- mistakes ----------------------------------------------------------------------------------- */

typedef struct mistake {
    const char *indices; /* on line 14, from column 12 on; perhaps more keys behind it */
    unsigned line, column;
    const char *message;
} mistake;

#define MESH                                                                               \
    "kernel: k.cl\nrecord: cell\n"                                                         \
    "buffers:\n"                                                                           \
    "  - {name: a, type: float, count: 64}\n"                                              \
    "  - {name: cells, type: cell, count: 4, init: [{field: a, generator: iota}]}\n"       \
    "  - {name: more, type: cell, count: 5}\n"                                             \
    "  - {name: first, type: uint, count: 5, init: [{generator: iota, step: 2}]}\n"        \
    "  - {name: down, type: int, count: 4, init: [{generator: iota, low: 6, step: -2}]}\n" \
    "  - {name: to, type: int, count: 8, init: [{generator: modulo, high: 4}]}\n"          \
    "  - {name: tos, type: int, count: 7}\n"                                               \
    "  - {name: minus, type: int, count: 8, init: [{generator: iota, low: -1}]}\n"         \
    "  - {name: same, type: uint, count: 4, init: [{generator: constant, low: 3}]}\n"      \
    "launches: [{kernel: fixed, global: [64], args: [{name: a, buffer: a}]}]\n"

static const mistake read_mistakes[] = {
    {"[{to: cells}]", 14, 11, "needs one of 'from', 'argument' and 'points'"},
    {"[{from: to, points: to, to: cells}]", 14, 11, "needs one of"},
    {"[{from: to}]", 14, 11, "the key 'to' is missing: the buffers whose elements 'to' numbers"},
    {"[{points: to, to: cells}]", 14, 11, "beside 'points' there are no other keys"},
    {"[{argument: k.n, rows: to, to: cells}]", 14, 11, "not at that of an argument"},
    {"[{from: first, rows: cells, to: to, none: 3}]", 14, 11, "a row without any is an empty one"},
    {"[{from: down, end: to, length: to, to: tos}]", 14, 11, "keep one"},
    {"[{from: '', to: cells}]", 14, 18, "is empty"},
    {"[{from: to, to: ['']}]", 14, 27, "is empty"},
    {"[{from: to, to: []}]", 14, 26, "the list 'to' is empty"},
    {"[{from: to, into: cells}]", 14, 22, "unknown key 'into' of index 1; the keys are: from"},
};

static const mistake resolve_mistakes[] = {
    {"[{from: cell.a, to: cells}]", 14, 18,
     "there is no buffer 'cell.a'; the job's buffers are: a,"},
    {"[{from: cells.c, to: cells}]", 14, 18, "an element of 'cells', cell, has no 'c'"},
    {"[{from: cells.b, to: cells}]", 14, 18, "holds what is no whole number, so no indices: b"},
    {"[{from: a, to: cells}]", 14, 18, "'a' holds what is no whole number, so no indices;"},
    {"[{from: to, to: nodes}]", 14, 26, "there is no buffer 'nodes'"},
    {"[{from: to, to: [cells, more]}]", 14, 34, "'cells' has 4 elements and 'more' has 5"},
    {"[{from: to, to: cells, none: x}]", 14, 39, "'none: x' is no whole number"},
    {"[{from: first, rows: to, to: tos}]", 14, 18, "'first' has 5 elements, 'to' has 8"},
    {"[{from: first, rows: nodes, to: to}]", 14, 31, "there is no buffer 'nodes'"},
    {"[{from: down, end: cells, to: to}]", 14, 29, "'cells' holds what is no whole number"},
    {"[{from: down, end: first, to: to}]", 14, 29, "'down' has 4 elements and 'first' has 5"},
    {"[{from: to, to: cells}, {from: to, to: more}]", 14, 41, "'to' is declared twice"},
    {"[{from: first, rows: cells, to: to}, {from: first, to: more}]", 14, 54, "declared twice"},
    {"[{from: first, rows: cells, to: to}, {from: down, end: same, rows: down, to: to}]", 14, 47,
     "the elements of 'to' lie in rows of 'down' here, and of 'cells' by line 14"},
    {"[{from: down, length: same, to: down}]", 14, 11, "would lie in rows of themselves"},
    {"[{from: to, rows: to, to: minus}, {from: minus, rows: minus, to: to}]", 14, 44,
     "would lie in rows of themselves"},
    {"[{argument: fixed.n, to: cells}]", 14, 22, "no launch of the job has an argument 'fixed.n'"},
    {"[{argument: fixed.a, to: cells}]", 14, 22, "no launch of the job has an argument 'fixed.a'"},
    {"[{points: [cells.a, cells.b, more.a]}]", 14, 39, "'cells' has 4 elements and 'more' has 5"},
    {"[{points: [cells.a, cells.b, cells.a, cells.b]}]", 14, 48, "more than 3 coordinates"},
    {"[{points: [cells.a, cells.b]}, {points: [same, same]}, {from: to, to: [cells, same]}]", 14,
     57, "has points already"},
};

static const mistake content_mistakes[] = {
    {"[{from: minus, to: cells}]", 14, 18,
     "'minus' holds -1 in element 0, and 'cells' has the elements 0 to 3; if it stands for none of "
     "them, declare it: 'none: -1'"},
    {"[{from: minus, to: cells, none: -1}]", 14, 18, "'minus' holds 4 in element 5"},
    {"[{from: to, to: cells}, {from: down, rows: cells, to: minus}]", 14, 41,
     "row 0 by 'down' begins at 6 and ends at 4"},
    {"[{from: to, to: cells}, {from: first, rows: cells, to: tos}]", 14, 41,
     "row 3 by 'first' begins at 6 and ends at 8; a row ends where it begins or behind it, and "
     "'tos' has 7 elements"},
    {"[{from: same, length: same, rows: cells, to: to}]", 14, 18,
     "rows 0 and 1 by 'same' overlap in element 3 of 'to'"},
    {"[{from: first, rows: cells, to: to}, {from: same, end: same, rows: cells, to: to}]", 14, 54,
     "row 0 is elements 3 to 3 by 'same', and 0 to 2 by 'first' in line 14"},
};

static void check_mistakes(fixture *f, const mistake *mistakes, size_t count, int stage) {
    for (size_t i = 0; i < count; i++) {
        const mistake *m = &mistakes[i];
        hd_job *job;
        hd_status status =
            fixture_read(f, hd_format(f->arena, MESH "indices: %s\n", m->indices), &job);
        assert_int_equal(status, stage ? HD_OK : HD_EINPUT);
        if (stage) {
            status = hd_job_resolve(f->arena, &f->diag, job, f->module);
            assert_int_equal(status, stage > 1 ? HD_OK : HD_EINPUT);
        }
        if (stage > 1) {
            uint32_t n;
            hd_renumbered *made;
            assert_int_equal(hd_numbering_find(f->arena, &f->diag, job, "cells", &n), HD_OK);
            status =
                hd_job_renumber(f->arena, &f->diag, job, contents_of(f, job), n, turned, &made);
            assert_int_equal(status, HD_EINPUT);
        }
        if (f->seen.errors != 1 || f->seen.line != m->line || f->seen.column != m->column ||
            !strstr(f->seen.text, m->message))
            fail_msg("%s: %u errors, %u:%u: %s", m->indices, f->seen.errors, f->seen.line,
                     f->seen.column, f->seen.text);
    }
}

#define CHECK(mistakes, stage)                                                  \
    check_mistakes(*state, mistakes, sizeof mistakes / sizeof *mistakes, stage)

static void mistakes_of_declarations(void **state) {
    CHECK(read_mistakes, 0);
    CHECK(resolve_mistakes, 1);
}

static void mistakes_of_contents(void **state) { CHECK(content_mistakes, 2); }

/* What cannot follow is refused, at its place. */
static void what_cannot_follow_is_refused(void **state) {
    fixture *f = *state;
    static const struct {
        const char *flag, *entry, *n, *message;
        unsigned line;
        hd_status status;
    } cases[] = {
        {"", "  - fill: {buffer: bodies, value: 1}\n", "3",
         "this writes 1 to numbers of elements and to others in 'bodies'", 16, HD_EUNSUPPORTED},
        {"", "  - set: {buffer: first, element: 1, value: 1}\n", "3",
         "this writes where rows lie, into 'first'", 16, HD_EUNSUPPORTED},
        {", at: 0x100000", "", "3", "which only the machine takes: renumbering can't do it", 6,
         HD_EUNSUPPORTED},
        {"", "  - until: {buffer: first, element: 1, value: 1}\n    repeat: 2\n    launches:\n",
         "3", "this reads where a row of 'first' lies", 16, HD_EUNSUPPORTED},
        {"", "", "9", "argument 'n' is 9, and 'bodies' has the elements 0 to 3", 18, HD_EINPUT},
        {"", "  - {kernel: fixed, global: [64], args: [{name: a, buffer: mass, offset: 4}]}\n", "3",
         "'a' points into the middle of 'mass'", 16, HD_EUNSUPPORTED},
        {"", "  - copy: {from: bodies, to: other}\n", "3",
         "'bodies.id' holds indices, and is copied to 'other', of which 'indices' does not say so",
         16, HD_EINPUT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool is_group = strstr(cases[i].entry, "until") != NULL;
        const char *text = hd_format(
            f->arena,
            "record: body\nkernel: k.cl\nbuffers:\n"
            "  - {name: bodies, type: body, count: 4}\n  - {name: other, type: body, count: 4}\n"
            "  - {name: flag, type: int, count: 1%s}\n"
            "  - {name: list, type: int, count: 3}\n"
            "  - {name: first, type: uint, count: 5}\n"
            "  - {name: mass, type: float, count: 4}\n"
            "indices:\n"
            "  - {from: bodies.id, to: bodies}\n"
            "  - {from: first, rows: bodies, to: list}\n"
            "  - {from: list, to: [bodies, mass]}\n"
            "  - {argument: move.n, to: bodies}\n"
            "launches:\n%s%s  - {kernel: move, global: [64],\n"
            "%s     args: [{name: bodies, buffer: bodies},\n"
            "%s     {name: n, value: %s}, {name: scratch, local: 4}, {name: dt, value: 1}]}\n",
            cases[i].flag, cases[i].entry, is_group ? "    " : "", is_group ? "    " : "",
            is_group ? "    " : "", cases[i].n);
        hd_job *job;
        hd_renumbered *made;
        uint32_t n;
        hd_status status = fixture_read(f, text, &job);
        assert_int_equal(status, HD_OK);
        status = hd_job_resolve(f->arena, &f->diag, job, f->module);
        if (status == HD_OK)
            status = hd_numbering_find(f->arena, &f->diag, job, NULL, &n);
        if (status == HD_OK)
            status =
                hd_job_renumber(f->arena, &f->diag, job, contents_of(f, job), n, turned, &made);
        if (status != cases[i].status || f->seen.errors != 1 || f->seen.line != cases[i].line ||
            !strstr(f->seen.text, cases[i].message))
            fail_msg("case %zu: %u errors, line %u: %s", i, f->seen.errors, f->seen.line,
                     f->seen.text);
    }
}

/* Results that cannot be put back, and orders that are none. */
static void bad_results_and_orders(void **state) {
    fixture *f = *state;
    hd_job *job = open_job(f, MESH "indices: [{from: first, rows: cells, to: to},\n"
                                   "   {from: to, to: cells}]\n");
    void **contents = contents_of(f, job), **back = hd_new_array(f->arena, void *, 16);
    uint32_t n, b = buffer_named(job, "to");
    hd_renumbered *made;
    assert_int_equal(hd_numbering_find(f->arena, &f->diag, job, NULL, &n), HD_OK);
    assert_int_equal(hd_job_renumber(f->arena, &f->diag, job, contents, n, turned, &made), HD_OK);
    void **results = contents_of(f, made->job);
    ((int *)results[b])[0] = 4; /* that of element 6 */
    assert_int_equal(hd_renumbered_gather(f->arena, &f->diag, made, results, back), HD_EINPUT);
    assert_non_null(strstr(f->seen.text, "'to' holds 4 in element 6"));
    ((int *)results[b])[0] = 3;
    assert_int_equal(hd_renumbered_gather(f->arena, &f->diag, made, results, back), HD_OK);
    assert_int_equal(((int *)back[b])[6], 0);
    ((uint32_t *)results[buffer_named(job, "first")])[2]++;
    assert_int_equal(hd_renumbered_gather(f->arena, &f->diag, made, results, back), HD_EINPUT);
    assert_non_null(strstr(f->seen.text, "'first' says where rows lie, and the contents have "
                                         "changed that (element 2 of the renumbered job)"));
    assert_int_equal(f->seen.line, 14);

    static const uint32_t twice[] = {0, 1, 1, 3}, large[] = {0, 1, 2, 4};
    assert_int_equal(hd_job_renumber(f->arena, &f->diag, job, contents, n, twice, &made),
                     HD_EINPUT);
    assert_non_null(strstr(f->seen.text, "the order of 'cells' is none of 0 to 3: entry 2 is 1"));
    assert_int_equal(hd_job_renumber(f->arena, &f->diag, job, contents, n, large, &made),
                     HD_EINPUT);
    uint32_t owned = (uint32_t)job->numberings->of[b];
    assert_int_equal(hd_job_renumber(f->arena, &f->diag, job, contents, owned, turned, &made),
                     HD_EINPUT);
    assert_non_null(strstr(f->seen.text, "'to' has no order of its own"));
    uint32_t *order;
    assert_int_equal(hd_numbering_order(f->arena, &f->diag, job, contents, n,
                                        &(hd_order_by){HD_ORDER_CURVE, 0}, &order),
                     HD_EINPUT);
    assert_non_null(strstr(f->seen.text, "nothing says where the elements of 'cells' are"));
    assert_int_equal(hd_numbering_find(f->arena, &f->diag, job, "to", &n), HD_EINPUT);
    assert_non_null(strstr(f->seen.text, "those of these buffers have: cells"));
    job = open_job(f, MESH);
    assert_int_equal(hd_numbering_find(f->arena, &f->diag, job, NULL, &n), HD_EINPUT);
    assert_non_null(strstr(f->seen.text, "does not say which numbers are indices"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_jobs_keep_their_meaning),
        cmocka_unit_test(between_launches_numbers_follow),
        cmocka_unit_test(points_are_those_of_the_elements),
        cmocka_unit_test(arrays_are_one_numbering),
        cmocka_unit_test(mistakes_of_declarations),
        cmocka_unit_test(mistakes_of_contents),
        cmocka_unit_test(what_cannot_follow_is_refused),
        cmocka_unit_test(bad_results_and_orders),
    };
    return cmocka_run_group_tests(tests, fixture_setup, fixture_teardown);
}
