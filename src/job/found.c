/*
 * Records that no source declares, found in how kernels index buffers of numbers:
 *
 *     v[i + k * n]    columns: `k` a number, or the count of a loop of known length
 *     v[i * 5 + k]    elements of five, one after another
 *     x[i], y[i]      buffers that are indexed alike, which could be the fields of one record
 *
 * A kernel is analysed with a prime number for each of its whole numbers, so that a factor of an
 * address says which of them it is a product of, whatever values the job has.
 */
#include "job/internal.h"

enum { MOST_PRIMES = 24, LEAST_COLUMN = 32 };
static const int64_t primes[MOST_PRIMES] = {5003, 5099, 5197, 5297, 5393, 5501, 5591, 5701,
                                            5801, 5897, 6007, 6101, 6197, 6299, 6397, 6491,
                                            6599, 6701, 6803, 6899, 7001, 7103, 7193, 7297};

/* How a kernel indexes a parameter. */
typedef struct use {
    enum { UNUSED, PLAIN, COLUMNS, STRUCTS, OTHER } kind;
    uint32_t fields;
    int64_t stride;   /* in primes */
    uint64_t value;   /* and in the job's numbers */
    const char *said; /* "n", "nx*ny"; NULL: it is a constant */
    bool in_loop;     /* the field is counted by a loop */
    bool gathers;
    uint32_t accesses, numbers; /* how many fields are said by their number */
} use;

typedef struct search {
    hd_arena *arena;
    const hd_job *job;
    const hd_launch *launch;
    const hd_kernel_info *info;
    hd_binding real, marked;
} search;

/* ---- strides --------------------------------------------------------------------------------- */

static bool is_multiple(int64_t number, int64_t of) { return of && number % of == 0; }

/* The whole numbers of the kernel whose product divides `factor`, in `s`; the largest. */
static bool find_stride(const search *s, int64_t factor, use *u) {
    const kir_kernel *kernel = s->launch->kernel;
    bool found = false;
    for (uint32_t a = 0; a < s->marked.param_count; a++) {
        if (!s->marked.param_known[a] || !is_multiple(factor, s->marked.params[a]))
            continue;
        for (uint32_t b = a + 1; b < s->marked.param_count; b++)
            if (s->marked.param_known[b] &&
                is_multiple(factor, s->marked.params[a] * s->marked.params[b])) {
                u->stride = s->marked.params[a] * s->marked.params[b];
                u->value = (uint64_t)(s->real.params[a] * s->real.params[b]);
                u->said =
                    hd_format(s->arena, "%s*%s", kernel->params[a].name, kernel->params[b].name);
                return true;
            }
        if (found)
            continue;
        found = true;
        u->stride = s->marked.params[a];
        u->value = (uint64_t)s->real.params[a];
        u->said = kernel->params[a].name;
    }
    return found;
}

static int64_t magnitude(int64_t a) { return a < 0 ? -a : a; }

/* What an access to the parameter is columns apart by: the largest product of the kernel's numbers,
 * or else the least constant. */
static bool find_column(const search *s, uint32_t param, uint32_t width, use *u) {
    int64_t least = 0;
    use best = {.stride = 0}, one = best;
    for (uint32_t i = 0; i < s->info->access_count; i++) {
        const hd_access *a = &s->info->accesses[i];
        for (uint32_t t = 0; a->param == (int32_t)param && t <= a->address.term_count; t++) {
            bool is_constant = t == a->address.term_count;
            int64_t factor = is_constant ? a->address.constant : a->address.terms[t].factor;
            if (!is_constant && a->address.terms[t].kind != HD_SYM_LOOP)
                continue;
            /* A neighbour's number may stand beside that of the column. */
            for (int64_t near = -2; near <= 2; near++)
                if ((is_constant || !near) && factor + near * width &&
                    find_stride(s, factor + near * width, &one) && one.stride > best.stride)
                    best = one;
            factor = magnitude(factor) / width;
            if (factor >= LEAST_COLUMN && (!least || factor < least))
                least = factor;
        }
    }
    u->stride = best.stride ? best.stride : least;
    u->value = best.stride ? best.value : (uint64_t)least;
    u->said = best.stride ? best.said : NULL;
    return u->stride > 0;
}

/* ---- one access -------------------------------------------------------------------------------- */

static bool is_counted(const search *s, const hd_term *term, uint64_t *trips) {
    if (term->kind != HD_SYM_LOOP)
        return false;
    *trips = s->info->trips[term->index].count;
    return s->info->trips[term->index].kind == HD_TRIP_CONSTANT && *trips <= HD_MAX_FIELDS;
}

/* An access in columns; false: it is none. */
static bool read_column(const search *s, const hd_access *a, use *u) {
    int64_t column = u->stride * (int64_t)a->width, field;
    bool has_element = false;
    field = (a->address.constant + (a->address.constant < 0 ? -column : column) / 2) / column;
    int64_t last = field;
    if (magnitude(a->address.constant - field * column) > column / 4 || field < 0)
        return false;
    for (uint32_t t = 0; t < a->address.term_count; t++) {
        const hd_term *term = &a->address.terms[t];
        uint64_t trips;
        if (!is_multiple(term->factor, column)) {
            has_element |= term->kind != HD_SYM_LOOP;
        } else if (is_counted(s, term, &trips) && term->factor > 0) {
            last += (int64_t)(trips - 1) * (term->factor / column);
            u->in_loop = true;
        } else {
            return false;
        }
    }
    if (!has_element || last >= HD_MAX_FIELDS)
        return false;
    u->numbers += field > 0;
    u->fields = last + 1 > u->fields ? (uint32_t)last + 1 : u->fields;
    return true;
}

/* What all factors of ids and loaded numbers are multiples of, in numbers. */
static int64_t common_factor(const search *s, uint32_t param) {
    int64_t common = 0;
    for (uint32_t i = 0; i < s->info->access_count; i++) {
        const hd_access *a = &s->info->accesses[i];
        for (uint32_t t = 0; t < a->address.term_count && a->param == (int32_t)param; t++) {
            int64_t factor = magnitude(a->address.terms[t].factor);
            if (a->address.terms[t].kind == HD_SYM_LOOP && factor == a->width)
                continue;
            for (factor /= a->width; factor;) {
                int64_t rest = common % factor;
                common = factor;
                factor = rest;
            }
        }
    }
    return common;
}

/* An access to elements of u->fields numbers. */
static bool read_struct(const search *s, const hd_access *a, use *u, uint64_t *seen) {
    int64_t constant = hd_mod(a->address.constant / a->width, u->fields);
    bool has_element = false;
    uint64_t last = (uint64_t)constant;
    for (uint32_t t = 0; t < a->address.term_count; t++) {
        const hd_term *term = &a->address.terms[t];
        uint64_t trips;
        bool is_element = is_multiple(term->factor, (int64_t)a->width * u->fields);
        has_element |= is_element;
        if (is_element)
            continue;
        if (!is_counted(s, term, &trips) || term->factor != a->width)
            return false;
        last += trips - 1;
        u->in_loop = true;
    }
    if (!has_element || last >= u->fields)
        return false;
    for (uint64_t f = (uint64_t)constant; f <= last; f++)
        *seen |= (uint64_t)1 << f;
    return true;
}

/* ---- one parameter ------------------------------------------------------------------------------ */

static use use_of(const search *s, uint32_t param, uint32_t width) {
    use columns = {.kind = UNUSED}, structs = {.kind = UNUSED};
    uint64_t seen = 0;
    uint32_t plain = 0;
    bool in_columns = find_column(s, param, width, &columns);
    int64_t common = common_factor(s, param);
    bool in_structs = common >= 2 && common <= HD_MAX_FIELDS;
    structs.fields = in_structs ? (uint32_t)common : 0;
    for (uint32_t i = 0; i < s->info->access_count; i++) {
        const hd_access *a = &s->info->accesses[i];
        if (a->param != (int32_t)param)
            continue;
        if (a->width != width)
            return (use){.kind = OTHER};
        columns.gathers |= a->indirect;
        columns.accesses++;
        plain += a->address.term_count && magnitude(a->address.constant) < 4 * (int64_t)a->width;
        in_columns = in_columns && read_column(s, a, &columns);
        in_structs = in_structs && read_struct(s, a, &structs, &seen);
    }
    structs.gathers = columns.gathers;
    structs.accesses = columns.accesses;
    structs.value = 0;
    if (in_columns && columns.fields > 1) {
        columns.kind = COLUMNS;
        return columns;
    }
    if (in_structs && seen == UINT64_MAX >> (64 - structs.fields)) {
        structs.kind = STRUCTS;
        return structs;
    }
    use other = columns;
    other.kind = !columns.accesses ? UNUSED : plain == columns.accesses ? PLAIN : OTHER;
    return other;
}

static search search_of(hd_arena *arena, const hd_job *job, const hd_launch *launch) {
    search s = {.arena = arena, .job = job, .launch = launch};
    s.real = s.marked = hd_job_binding(arena, job, launch);
    int64_t *params = hd_new_array(arena, int64_t, s.real.param_count);
    bool *known = hd_new_array(arena, bool, s.real.param_count);
    uint32_t next = 0;
    for (uint32_t p = 0; p < s.real.param_count; p++) {
        known[p] = s.real.param_known[p] && next < MOST_PRIMES &&
                   launch->kernel->params[p].type.bits >= 32;
        params[p] = known[p] ? primes[next++] : 0;
    }
    s.marked.params = params;
    s.marked.param_known = known;
    s.marked.records = NULL;
    s.info = hd_kernel_analyse(arena, job->module, launch->kernel, &s.marked);
    return s;
}

/* Of a kernel without one only the parameters are known, and there is no access to find. */
static bool has_bodies(const hd_job *job) {
    bool all = true;
    for (uint32_t l = 0; l < job->launch_count; l++)
        all &= job->launches[l].kernel->block_count > 0;
    return all;
}

/* ---- one buffer ----------------------------------------------------------------------------------- */

/* All launches together; OTHER: they do not agree. */
static use join(const use *a, const use *b) {
    if (a->kind == UNUSED || b->kind == UNUSED)
        return a->kind == UNUSED ? *b : *a;
    const use *more = a->kind == PLAIN ? b : a, *less = more == a ? b : a;
    use joined = *more;
    joined.gathers |= less->gathers;
    joined.in_loop |= less->in_loop;
    joined.accesses += less->accesses;
    joined.numbers += less->numbers;
    if (less->kind == PLAIN)
        return joined;
    bool agree = a->kind == b->kind && (a->kind != COLUMNS || a->value == b->value) &&
                 (a->kind != STRUCTS || a->fields == b->fields);
    joined.fields = less->fields > more->fields ? less->fields : more->fields;
    if (!agree)
        joined.kind = OTHER;
    return joined;
}

static bool is_number(const hd_buffer *buffer) {
    return !buffer->record && buffer->scalar.lanes == 1 && !buffer->arrays && !buffer->image;
}

/* Two fields may be two halves, or neighbouring rows. */
static bool is_certain(const use *u) {
    return (u->kind == COLUMNS && u->value > 1 &&
            (u->in_loop || u->fields > (u->said ? 2u : 4u))) ||
           u->kind == STRUCTS;
}

static use *uses_of(hd_arena *arena, const hd_job *job) {
    use *uses = hd_new_array(arena, use, job->buffer_count);
    for (uint32_t l = 0; l < job->launch_count; l++) {
        const hd_launch *launch = &job->launches[l];
        search s = search_of(arena, job, launch);
        for (uint32_t a = 0; a < launch->arg_count; a++) {
            const hd_arg *arg = &launch->args[a];
            const hd_buffer *buffer = &job->buffers[arg->buffer];
            if (arg->kind != HD_ARG_BUFFER || arg->param == KIR_NONE || !is_number(buffer))
                continue;
            use one = use_of(&s, arg->param, buffer->element_bytes);
            uses[arg->buffer] = join(&uses[arg->buffer], &one);
        }
    }
    return uses;
}

/* ---- declarations ----------------------------------------------------------------------------------- */

static bool is_same_record(const hd_job *job, const use *uses, uint32_t a, uint32_t b) {
    return uses[a].kind == uses[b].kind && uses[a].fields == uses[b].fields &&
           uses[a].value == uses[b].value && !strcmp(job->buffers[a].type, job->buffers[b].type);
}

static hd_job_declared declaration_of(hd_arena *arena, const hd_job *job, const use *u,
                                      uint32_t buffer) {
    const hd_buffer *of = &job->buffers[buffer];
    return (hd_job_declared){.name = hd_format(arena, "%s_element", of->name),
                             .fields = hd_format(arena, "%s %s[%u]", of->type, of->name, u->fields),
                             .stride = u->kind != COLUMNS ? NULL
                                       : u->said          ? u->said
                                                          : hd_format(arena, "%llu", (ull)u->value),
                             .place = of->place};
}

/* Gathers matter most, then how many numbers an element has. */
static bool is_better(const use *a, const use *b) {
    if (a->gathers != b->gathers)
        return a->gathers;
    return a->fields != b->fields ? a->fields > b->fields : a->accesses > b->accesses;
}

static void take_record(hd_arena *arena, hd_job *job, const use *uses, uint32_t first,
                        hd_job_declared *declared) {
    *declared = declaration_of(arena, job, &uses[first], first);
    const char *type = job->buffers[first].type;
    for (uint32_t b = job->buffer_count; b-- > first;) {
        hd_buffer *buffer = &job->buffers[b];
        if (strcmp(buffer->type, type) != 0 || !is_same_record(job, uses, first, b))
            continue;
        buffer->type = declared->name;
        if (uses[b].kind == COLUMNS)
            buffer->count = uses[b].value;
        else if (buffer->is_counted)
            buffer->count = buffer->count > uses[b].fields ? buffer->count / uses[b].fields : 1;
    }
}

/* ---- what a job could declare ------------------------------------------------------------------ */

static uint32_t param_of(const hd_launch *launch, uint32_t buffer) {
    for (uint32_t a = 0; a < launch->arg_count; a++)
        if (launch->args[a].kind == HD_ARG_BUFFER && launch->args[a].buffer == buffer)
            return launch->args[a].param;
    return KIR_NONE;
}

/* How many accesses to buffer `a`, in launches that take `b`, too, have one to `b` at the same
 * index; 0: some gather has not, or most have not. */
static uint32_t alike(const hd_job *job, hd_kernel_info *const *infos, uint32_t a, uint32_t b,
                      bool *gathers) {
    uint32_t same = 0, all = 0;
    for (uint32_t l = 0; l < job->launch_count; l++) {
        uint32_t of_a = param_of(&job->launches[l], a), of_b = param_of(&job->launches[l], b);
        for (uint32_t i = 0; i < infos[l]->access_count && of_a != KIR_NONE && of_b != KIR_NONE;
             i++) {
            const hd_access *x = &infos[l]->accesses[i];
            bool found = false;
            if (x->param != (int32_t)of_a)
                continue;
            for (uint32_t o = 0; o < infos[l]->access_count && !found; o++) {
                const hd_access *y = &infos[l]->accesses[o];
                found = y != x && y->param == (int32_t)of_b && hd_affine_equal(x->index, y->index);
            }
            if (x->indirect && !found)
                return 0;
            *gathers |= x->indirect;
            same += found;
            all++;
        }
    }
    return 2 * same > all ? same : 0;
}

/* Buffers that are indexed alike; none: count is 0. */
typedef struct group {
    uint32_t buffers[HD_MAX_FIELDS], count;
    bool gathers;
} group;

/* The largest, gathered ones first, of all or of those with a buffer of this record. */
static group find_alike(hd_arena *arena, const hd_job *job, const hd_record *with) {
    hd_kernel_info **infos = hd_new_array(arena, hd_kernel_info *, job->launch_count);
    group best = {.count = 0};
    for (uint32_t l = 0; l < job->launch_count; l++)
        infos[l] = hd_job_analyse(arena, job, &job->launches[l]);
    for (uint32_t b = 0; b < job->buffer_count; b++) {
        group g = {.buffers = {b}, .count = 1};
        bool has_record = !with;
        for (uint32_t o = b + 1; o < job->buffer_count && g.count < HD_MAX_FIELDS; o++)
            if (job->buffers[o].count == job->buffers[b].count && !job->buffers[o].image &&
                !job->buffers[b].image && alike(job, infos, b, o, &g.gathers) &&
                alike(job, infos, o, b, &g.gathers))
                g.buffers[g.count++] = o;
        for (uint32_t m = 0; m < g.count; m++)
            has_record |= job->buffers[g.buffers[m]].record == with;
        if (g.count > 1 && has_record &&
            (g.gathers != best.gathers ? g.gathers : g.count > best.count))
            best = g;
    }
    return best;
}

static const char *names_of(hd_arena *arena, const hd_job *job, const group *g) {
    hd_str names = {.arena = arena};
    for (uint32_t b = 0; b < g->count; b++)
        hd_str_printf(&names, "%s%s", b ? ", " : "", job->buffers[g->buffers[b]].name);
    return hd_str_text(&names);
}

/* The declaration of numbers that are indexed as those of a record; NULL: none are. */
static const char *declared_numbers(hd_arena *arena, const hd_job *job) {
    const use *uses = uses_of(arena, job), *best = NULL;
    uint32_t first = 0;
    for (uint32_t b = 0; b < job->buffer_count; b++)
        if (is_number(&job->buffers[b]) && (uses[b].kind == COLUMNS || uses[b].kind == STRUCTS) &&
            (!best || is_better(&uses[b], best))) {
            best = &uses[b];
            first = b;
        }
    if (!best)
        return NULL;
    hd_job_declared d = declaration_of(arena, job, best, first);
    hd_str names = {.arena = arena};
    for (uint32_t b = 0; b < job->buffer_count; b++)
        if (is_number(&job->buffers[b]) && is_same_record(job, uses, first, b))
            hd_str_printf(&names, "%s'%s'", names.length ? ", " : "", job->buffers[b].name);
    uint64_t count = best->kind == COLUMNS ? best->value : job->buffers[first].count / best->fields;
    return hd_format(
        arena, "records: [{name: %s, fields: \"%s\"%s%s}] with 'type: %s, count: %llu' for %s",
        d.name, d.fields, d.stride ? ", stride: " : "", d.stride ? d.stride : "", d.name,
        (ull)count, hd_str_text(&names));
}

const char *hd_job_suggest(hd_arena *arena, const hd_job *job) {
    if (!has_bodies(job))
        return NULL;
    const char *numbers = declared_numbers(arena, job);
    group same = {.count = 0};
    if (!numbers)
        same = find_alike(arena, job, NULL);
    return numbers      ? numbers
           : same.count ? hd_format(arena, "arrays: [{record: element, fields: [%s]}]",
                                    names_of(arena, job, &same))
                        : NULL;
}

/* ---- what is taken ------------------------------------------------------------------------------- */

static void make_arrays(hd_arena *arena, hd_job *job, const char *name, const group *g) {
    const char **fields = hd_new_array(arena, const char *, g->count);
    for (uint32_t b = 0; b < g->count; b++)
        fields[b] = job->buffers[g->buffers[b]].name;
    job->arrays = hd_new(arena, hd_job_arrays);
    *job->arrays = (hd_job_arrays){.name = name,
                                   .fields = fields,
                                   .field_count = g->count,
                                   .place = job->buffers[g->buffers[0]].place};
    job->arrays_count = 1;
}

bool hd_job_join(hd_arena *arena, const hd_job *job, hd_job *joined) {
    const hd_record *record = hd_record_declared(job->record);
    if (!record || hd_record_is_soa(record) || record->by_job || job->arrays_count ||
        !has_bodies(job))
        return false;
    group g = find_alike(arena, job, record);
    if (!g.count)
        return false;
    *joined = *job;
    joined->buffers = hd_new_array(arena, hd_buffer, job->buffer_count);
    memcpy(joined->buffers, job->buffers, job->buffer_count * sizeof *joined->buffers);
    joined->split_count = 0;
    joined->record_name = hd_format(arena, "%s_and_others", job->buffers[g.buffers[0]].name);
    make_arrays(arena, joined, joined->record_name, &g);
    return true;
}

void hd_job_find_records(hd_arena *arena, hd_job *job) {
    if (job->record || job->several[0] || job->record_name || job->declared_count ||
        job->arrays_count || job->split_count || !has_bodies(job))
        return;
    const use *uses = uses_of(arena, job);
    hd_job_declared *declared = hd_new_array(arena, hd_job_declared, job->buffer_count + 1);
    const use *best = NULL;
    for (uint32_t b = 0; b < job->buffer_count; b++) {
        bool is_first = is_number(&job->buffers[b]) && is_certain(&uses[b]);
        for (uint32_t o = 0; o < b && is_first; o++)
            is_first = !is_same_record(job, uses, o, b) || !is_certain(&uses[o]);
        for (uint32_t d = 0; d < job->declared_count && is_first; d++)
            is_first = strcmp(declared[d].name, job->buffers[b].type) != 0;
        if (!is_first)
            continue;
        hd_job_declared *made = &declared[job->declared_count++];
        const char *name = job->buffers[b].name;
        take_record(arena, job, uses, b, made);
        if (best && !is_better(&uses[b], best))
            continue;
        best = &uses[b];
        job->record_name = made->name;
        job->split = hd_new_array(arena, const char *, 1);
        ((const char **)job->split)[0] = name;
        job->split_count = 1;
    }
    job->declared = declared;
    group g = {.count = 0};
    if (!job->declared_count)
        g = find_alike(arena, job, NULL);
    if (g.gathers && g.count) /* a record of the arrays that are gathered alike */
        make_arrays(arena, job, "element", &g);
}
