/*
 * A kernel of tests/machine/kernels with what its head comments say: how it is run and what it
 * must do. kernels/README.md has the list of the comments; an example:
 *
 *     // Lanes leave a loop at different trips.
 *     // buffer: in int 16 = i % 5
 *     // buffer: out int 16
 *     // run: count 16/8 n=3
 *     // expect: out = in[i] * 3
 *     // mis: 12
 *     __kernel void count(__global const int *in, __global int *out, int n) { ... }
 *
 * The job is made in memory: buffers and values are tied to the parameters of their name.
 */
#ifndef HD_TESTS_CORPUS_H
#define HD_TESTS_CORPUS_H

#include "formula.h"
#include "frontend/frontend.h"
#include "job/job.h"

/* "NAME[.FIELD] = FORMULA" or "NAME[.FIELD] = {a b c}" */
typedef struct assignment {
    const char *buffer, *field; /* field NULL: everything in an element */
    const char *formula;        /* or NULL: */
    const char *list;           /* the values, separated by blanks */
    uint32_t line;
} assignment;

typedef struct text_line {
    const char *text;
    uint32_t line; /* in the kernel's file */
} text_line;

typedef struct corpus {
    hd_arena *arena;
    const hd_diag *diag;
    const char *path;
    hd_job *job;     /* resolved */
    void **contents; /* initial, of each buffer */
    hd_vec(assignment) inits, expects;
    hd_vec(text_line) events; /* as written */
    hd_vec(text_line) prints;
    const char *fault;          /* "LINE:COLUMN TEXT"; NULL: none */
    double ulps;                /* that reals may be from what is expected */
    int64_t mis, lane_accesses; /* of all launches; -1: not said */
    bool check_uninitialised, check_races;
    uint64_t max_instructions, local_memory;
    uint32_t spaces;
    bool on_pocl; /* false: the comment says why not */
    hd_vec(hd_buffer) buffers;
    hd_vec(hd_launch) launches;
} corpus;

static inline hd_status corpus_fail(const corpus *c, uint32_t line, const char *text) {
    const hd_place place = {.file = c->path, .line = line};
    return hd_fail(c->diag, HD_EINPUT, &place, "%s", text);
}

/* ---- words ----------------------------------------------------------------------- */

static inline const char *corpus_word(hd_arena *arena, const char **at) {
    *at += strspn(*at, " \t");
    size_t length = strcspn(*at, " \t");
    const char *word = length ? hd_strndup(arena, *at, length) : NULL;
    *at += length;
    return word;
}

/* "33x3" to sizes; how many there are. */
static inline uint32_t corpus_sizes(const char *text, uint64_t sizes[3]) {
    uint32_t dims = 0;
    char *end = NULL;
    for (; dims < 3; text = end + 1) {
        sizes[dims++] = strtoull(text, &end, 10);
        if (*end != 'x')
            break;
    }
    return dims;
}

/* ---- comments ------------------------------------------------------------------------ */

static inline hd_status corpus_assignment(corpus *c, const char *text, uint32_t line,
                                          assignment *made) {
    const char *equals = strchr(text, '=');
    if (!equals)
        return corpus_fail(c, line, "'=' is missing");
    const char *at = text;
    char *name = hd_strndup(c->arena, text, (size_t)(equals - text));
    at = name;
    name = (char *)(uintptr_t)corpus_word(c->arena, &at);
    char *dot = name ? strchr(name, '.') : NULL;
    if (dot)
        *dot = '\0';
    *made = (assignment){.buffer = name, .field = dot ? dot + 1 : NULL, .line = line};
    equals += 1 + strspn(equals + 1, " ");
    if (*equals == '{')
        made->list = hd_strndup(c->arena, equals + 1, strcspn(equals + 1, "}"));
    else
        made->formula = equals;
    return HD_OK;
}

/* "NAME TYPE COUNT [= ...]" */
static inline hd_status corpus_buffer(corpus *c, const char *text, uint32_t line) {
    const char *at = text, *name = corpus_word(c->arena, &at);
    const char *type = corpus_word(c->arena, &at), *count = corpus_word(c->arena, &at);
    if (!count)
        return corpus_fail(c, line, "a buffer is 'NAME TYPE COUNT', then perhaps '= FORMULA'");
    hd_push(c->arena, &c->buffers,
            (hd_buffer){.name = name,
                        .type = type,
                        .count = strtoull(count, NULL, 10),
                        .place = {.file = c->path, .line = line}});
    at += strspn(at, " ");
    if (!*at)
        return HD_OK;
    assignment init;
    hd_status status = corpus_assignment(c, hd_format(c->arena, "%s %s", name, at), line, &init);
    hd_push(c->arena, &c->inits, init);
    return status;
}

static inline hd_arg corpus_arg(const corpus *c, const char *name, const char *text) {
    hd_arg arg = {.name = name, .kind = HD_ARG_VALUE, .value_text = text};
    if (!strncmp(text, "local:", 6)) {
        arg.kind = HD_ARG_LOCAL;
        arg.local_bytes = strtoull(text + 6, NULL, 10);
    }
    for (size_t b = 0; b < c->buffers.count; b++)
        if (!strcmp(c->buffers.data[b].name, text)) {
            arg.kind = HD_ARG_BUFFER;
            arg.buffer_name = text;
        }
    return arg;
}

/* "KERNEL GLOBAL/LOCAL [offset=N] [repeat=N] [PARAMETER=VALUE] ...": a value is a number, a
 * vector's or struct's parts with commas, a buffer's name or local:BYTES. */
static inline hd_status corpus_run(corpus *c, const char *text, uint32_t line) {
    const char *at = text, *kernel = corpus_word(c->arena, &at);
    const char *sizes = corpus_word(c->arena, &at), *slash = sizes ? strchr(sizes, '/') : NULL;
    if (!slash)
        return corpus_fail(c, line, "a run is 'KERNEL GLOBAL/LOCAL', sizes as 64 or 8x4x2");
    hd_launch launch = {.kernel_name = kernel,
                        .repeat = 1,
                        .local_given = true,
                        .global = {1, 1, 1},
                        .local = {1, 1, 1},
                        .place = {.file = c->path, .line = line}};
    hd_vec(hd_arg) args = {0};
    launch.dims = corpus_sizes(sizes, launch.global);
    corpus_sizes(slash + 1, launch.local);
    for (const char *word; (word = corpus_word(c->arena, &at));) {
        const char *equals = strchr(word, '=');
        if (!equals)
            return corpus_fail(c, line, "an argument is 'PARAMETER=VALUE'");
        const char *name = hd_strndup(c->arena, word, (size_t)(equals - word));
        if (!strcmp(name, "offset"))
            corpus_sizes(equals + 1, launch.offset);
        else if (!strcmp(name, "repeat"))
            launch.repeat = strtoull(equals + 1, NULL, 10);
        else
            hd_push(c->arena, &args, corpus_arg(c, name, equals + 1));
    }
    launch.args = args.data;
    launch.arg_count = (uint32_t)args.count;
    hd_push(c->arena, &c->launches, launch);
    return HD_OK;
}

/* "uninitialised", "races", "max-instructions N", "local-memory N", "private" */
static inline hd_status corpus_option(corpus *c, const char *text, uint32_t line) {
    const char *at = text, *name = corpus_word(c->arena, &at);
    uint64_t number = strtoull(at, NULL, 10);
    if (!strcmp(name, "uninitialised"))
        c->check_uninitialised = true;
    else if (!strcmp(name, "races"))
        c->check_races = true;
    else if (!strcmp(name, "max-instructions"))
        c->max_instructions = number;
    else if (!strcmp(name, "local-memory"))
        c->local_memory = number;
    else if (!strcmp(name, "private"))
        c->spaces = ~0u;
    else
        return corpus_fail(c, line, "there is no such option");
    return HD_OK;
}

/* One comment. Keys that are none are prose. */
static inline hd_status corpus_comment(corpus *c, const char *key, const char *text,
                                       uint32_t line) {
    assignment expect;
    hd_status status = HD_OK;
    if (!strcmp(key, "buffer"))
        return corpus_buffer(c, text, line);
    if (!strcmp(key, "run"))
        return corpus_run(c, text, line);
    if (!strcmp(key, "option"))
        return corpus_option(c, text, line);
    if (!strcmp(key, "init") && !(status = corpus_assignment(c, text, line, &expect)))
        hd_push(c->arena, &c->inits, expect);
    else if (!strcmp(key, "expect") && !(status = corpus_assignment(c, text, line, &expect)))
        hd_push(c->arena, &c->expects, expect);
    else if (!strcmp(key, "event"))
        hd_push(c->arena, &c->events, (text_line){text, line});
    else if (!strcmp(key, "prints"))
        hd_push(c->arena, &c->prints, (text_line){text, line});
    else if (!strcmp(key, "fault"))
        c->fault = text;
    else if (!strcmp(key, "ulps"))
        c->ulps = strtod(text, NULL);
    else if (!strcmp(key, "mis"))
        c->mis = strtoll(text, NULL, 10);
    else if (!strcmp(key, "lanes"))
        c->lane_accesses = strtoll(text, NULL, 10);
    else if (!strcmp(key, "options"))
        c->job->options = text;
    else if (!strcmp(key, "pocl"))
        c->on_pocl = false;
    return status;
}

/* "// KEY: TEXT" */
static inline hd_status corpus_line(corpus *c, const char *text, uint32_t line) {
    if (strncmp(text, "// ", 3) != 0)
        return HD_OK;
    const char *at = text + 3, *colon = strchr(at, ':');
    if (!colon || strcspn(at, " ") < (size_t)(colon - at))
        return HD_OK;
    const char *key = hd_strndup(c->arena, at, (size_t)(colon - at));
    return corpus_comment(c, key, colon + 1 + (colon[1] == ' '), line);
}

/* ---- scalars in buffers ------------------------------------------------------------------ */

static inline value corpus_get(const hd_leaf *leaf, const uint8_t *bytes) {
    uint64_t bits = 0;
    if (leaf->type.kind == KIR_FLOAT)
        return formula_real(hd_type_get(leaf->type, true, bytes));
    memcpy(&bits, bytes, leaf->type.bits / 8);
    return formula_wrap(formula_int((int64_t)bits), leaf->type.bits, leaf->is_signed);
}

static inline void corpus_put(const hd_leaf *leaf, value v, uint8_t *bytes) {
    kir_type scalar = leaf->type;
    scalar.lanes = 1;
    if (scalar.kind == KIR_FLOAT)
        hd_type_put(scalar, v.d, bytes);
    else
        memcpy(bytes, &(int64_t){formula_whole(v)}, scalar.bits / 8);
}

/* Walks the scalars that a field names: of element i leaf j component k. */
typedef struct corpus_cursor {
    const hd_buffer *buffer;
    hd_leaf *leaves; /* that match */
    uint32_t leaf_count, per_element;
    int64_t count; /* of scalars */
} corpus_cursor;

static inline corpus_cursor corpus_scalars(hd_arena *arena, const hd_buffer *buffer,
                                           const char *field) {
    corpus_cursor cursor = {.buffer = buffer};
    cursor.leaves = hd_leaves_of_buffer(arena, buffer, field, &cursor.leaf_count);
    for (uint32_t l = 0; l < cursor.leaf_count; l++)
        cursor.per_element += cursor.leaves[l].type.lanes;
    cursor.count = (int64_t)(buffer->count * cursor.per_element);
    return cursor;
}

/* Scalar number n: its leaf, and byte offset in the buffer. */
static inline const hd_leaf *corpus_scalar(const corpus_cursor *cursor, int64_t n, uint32_t *j,
                                           uint32_t *k, uint64_t *offset) {
    uint32_t rest = (uint32_t)(n % cursor->per_element);
    *j = 0;
    while (rest >= cursor->leaves[*j].type.lanes)
        rest -= cursor->leaves[(*j)++].type.lanes;
    *k = rest;
    const hd_leaf *leaf = &cursor->leaves[*j];
    *offset = (uint64_t)(n / cursor->per_element) * cursor->buffer->element_bytes + leaf->offset +
              rest * (leaf->type.bits / 8u);
    return leaf;
}

static inline uint32_t corpus_find_buffer(const hd_job *job, const char *name) {
    uint32_t b = 0;
    while (b < job->buffer_count && strcmp(job->buffers[b].name, name) != 0)
        b++;
    return b;
}

/* A formula_lookup in the initial contents; its user is a corpus. */
static inline bool corpus_lookup(void *user, const char *name, const char *field, int64_t index,
                                 value *result) {
    const corpus *c = user;
    uint32_t b = corpus_find_buffer(c->job, name), j, k;
    uint64_t offset;
    if (b == c->job->buffer_count)
        return false;
    corpus_cursor cursor = corpus_scalars(c->arena, &c->job->buffers[b], field);
    if (index < 0 || index >= cursor.count)
        return false;
    const hd_leaf *leaf = corpus_scalar(&cursor, index, &j, &k, &offset);
    *result = corpus_get(leaf, (const uint8_t *)c->contents[b] + offset);
    return true;
}

/* What an assignment says of scalar n; NULL in *error: nothing is wrong. Scalars must be asked
 * for in order, from 0. */
typedef struct corpus_source {
    const corpus *c;
    const assignment *from;
    corpus_cursor cursor;
    const char *list; /* the rest of it */
    const char *error;
} corpus_source;

static inline value corpus_value(corpus_source *s, int64_t n) {
    uint32_t j, k;
    uint64_t offset;
    corpus_scalar(&s->cursor, n, &j, &k, &offset);
    formula f = {.arena = s->c->arena,
                 .at = s->from->formula,
                 .lookup = corpus_lookup,
                 .user = (void *)(uintptr_t)s->c};
    if (s->from->list) {
        s->list += strspn(s->list, " ,");
        if (!*s->list)
            s->error = "the list has too few values";
        f.at = *s->list ? s->list : "0";
    }
    formula_set(&f, "i", n / s->cursor.per_element);
    formula_set(&f, "j", j);
    formula_set(&f, "k", k);
    value v = s->from->list ? formula_unary(&f) : formula_expression(&f);
    s->list = f.at;
    if (!f.error && !s->from->list && f.at[strspn(f.at, " ")])
        f.error = hd_format(s->c->arena, "nothing is known of '%s'", f.at);
    if (f.error && !s->error)
        s->error = f.error;
    return v;
}

static inline hd_status corpus_source_open(const corpus *c, const assignment *from,
                                           corpus_source *s) {
    uint32_t b = from->buffer ? corpus_find_buffer(c->job, from->buffer) : c->job->buffer_count;
    if (b == c->job->buffer_count)
        return corpus_fail(c, from->line, "there is no such buffer");
    *s = (corpus_source){.c = c,
                         .from = from,
                         .list = from->list,
                         .cursor = corpus_scalars(c->arena, &c->job->buffers[b], from->field)};
    if (!s->cursor.leaf_count)
        return corpus_fail(c, from->line, "there is no such field");
    return HD_OK;
}

/* After the last scalar: nothing may be left of a list, and nothing have been wrong. */
static inline hd_status corpus_source_close(corpus_source *s) {
    if (!s->error && s->list && s->from->list && s->list[strspn(s->list, " ,")])
        s->error = "the list has too many values";
    return s->error ? corpus_fail(s->c, s->from->line, s->error) : HD_OK;
}

/* ---- opening ------------------------------------------------------------------------------ */

static inline hd_status corpus_fill(corpus *c, const assignment *init) {
    corpus_source s = {0};
    hd_status status = corpus_source_open(c, init, &s);
    if (status != HD_OK)
        return status;
    uint8_t *bytes = c->contents[corpus_find_buffer(c->job, init->buffer)];
    uint32_t j, k;
    uint64_t offset;
    for (int64_t n = 0; n < s.cursor.count && !s.error; n++) {
        const hd_leaf *leaf = corpus_scalar(&s.cursor, n, &j, &k, &offset);
        value v = corpus_value(&s, n);
        corpus_put(leaf, v, bytes + offset);
    }
    return corpus_source_close(&s);
}

/* Parameters that the comments give no value get the buffer of their name. */
static inline void corpus_bind(corpus *c, hd_launch *launch, const kir_kernel *kernel) {
    hd_vec(hd_arg) args = {launch->args, launch->arg_count, launch->arg_count};
    for (uint32_t p = 0; p < kernel->param_count; p++) {
        const char *name = kernel->params[p].name;
        bool given = false;
        for (size_t a = 0; a < args.count; a++)
            given |= !strcmp(args.data[a].name, name);
        if (!given)
            hd_push(c->arena, &args, corpus_arg(c, name, name));
    }
    launch->args = args.data;
    launch->arg_count = (uint32_t)args.count;
}

static inline hd_status corpus_resolve(corpus *c) {
    hd_job *job = c->job;
    kir_module *module;
    job->kernel_path = c->path;
    job->buffers = c->buffers.data;
    job->buffer_count = (uint32_t)c->buffers.count;
    job->launches = c->launches.data;
    job->launch_count = (uint32_t)c->launches.count;
    job->record_place = job->kernel_place = (hd_place){.file = c->path};
    if (!job->launch_count)
        return corpus_fail(c, 1, "no comment says what to run");
    hd_status status = hd_frontend(c->arena, c->diag, c->path, job->options, &module);
    for (uint32_t l = 0; l < job->launch_count && status == HD_OK; l++) {
        const kir_kernel *kernel = kir_find_kernel(module, job->launches[l].kernel_name);
        if (kernel)
            corpus_bind(c, &job->launches[l], kernel);
    }
    return status == HD_OK ? hd_job_resolve(c->arena, c->diag, job, module) : status;
}

static inline hd_status corpus_open(hd_arena *arena, const hd_diag *diag, const char *path,
                                    corpus *c) {
    *c = (corpus){.arena = arena,
                  .diag = diag,
                  .path = path,
                  .job = hd_new(arena, hd_job),
                  .mis = -1,
                  .lane_accesses = -1,
                  .on_pocl = true};
    char *text;
    size_t length;
    uint32_t line = 0;
    hd_status status = hd_read_file(arena, diag, path, &text, &length);
    for (char *at = text, *next; status == HD_OK && at; at = next) {
        next = strchr(at, '\n');
        if (next)
            *next++ = '\0';
        status = corpus_line(c, at, ++line);
    }
    if (status == HD_OK)
        status = corpus_resolve(c);
    if (status != HD_OK)
        return status;
    c->contents = hd_new_array(arena, void *, c->job->buffer_count);
    for (uint32_t b = 0; b < c->job->buffer_count; b++)
        c->contents[b] =
            hd_alloc(arena, c->job->buffers[b].count * c->job->buffers[b].element_bytes);
    for (size_t i = 0; i < c->inits.count && status == HD_OK; i++)
        status = corpus_fill(c, &c->inits.data[i]);
    return status;
}

#endif
