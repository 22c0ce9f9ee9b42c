/*
 * Features of a run (features.h). The machine runs with one worker: all that is counted is one
 * struct, and a run is short.
 */
#include "advise/explore/features.h"

#include <math.h>

#include "machine/vm.h"

/*
 * How far is far: a doubling of what decides how many lines a request touches (divergence, the
 * share of the record in use) or what a kernel waits for (intensity) is a step; sparsity counts
 * less, as it does nothing more once each lane has lines of its own, and so do numbers of fields,
 * objects and bytes, of which powers hardly change a choice. Shares of reads and of regular
 * requests are between 0.5 and 1: what goes on as it did is fetched before it is asked for.
 * Elements that are copied to the device for nothing decide where they should lie.
 */
const hd_feature hd_features_all[HD_FEATURES] = {
    [HD_FEATURE_DIVERGENCE] = {"divergence", 1},   [HD_FEATURE_SPARSITY] = {"sparsity", 2},
    [HD_FEATURE_REGULARITY] = {"regularity", 0.5}, [HD_FEATURE_INTENSITY] = {"intensity", 1},
    [HD_FEATURE_GRANULARITY] = {"granularity", 2}, [HD_FEATURE_USED] = {"used", 1},
    [HD_FEATURE_FIELDS] = {"fields", 2},           [HD_FEATURE_FIELD_BYTES] = {"field bytes", 2},
    [HD_FEATURE_READS] = {"reads", 0.5},           [HD_FEATURE_WORKING_SET] = {"working set", 2},
    [HD_FEATURE_COVERED] = {"covered", 0.5},       [HD_FEATURE_LANES] = {"lanes", 1}};

enum { MOST_LANES = 1024 /* of a warp */, PAGE = 4096 /* bytes */ };

/* A buffer of the record's elements, or of a field of them, while it is heard. */
typedef struct heard_buffer {
    const hd_buffer *buffer; /* NULL: of other things */
    uint64_t *touched;       /* bits of its elements; NULL: none yet */
} heard_buffer;

/* The elements that an access's last request began with, and the one before. */
typedef struct last_seen {
    uint64_t at, step;
} last_seen;

typedef struct listener {
    hd_arena *arena;
    const hd_job *job;
    const hd_device *device;
    uint64_t limit, heard; /* accesses of lanes */
    volatile sig_atomic_t stop;
    const hd_event_launch *launch;
    heard_buffer *rows; /* [launch->buffer_count] */
    heard_buffer *all;  /* [job->buffer_count] */
    bool *used;         /* bytes of the record */
    last_seen *last;    /* [launch->access_count] */
    double segments, least, requests, regular;
    double log_distance, pairs;
    double bytes, bytes_read;
    double record_accesses; /* of lanes */
    double threads;
    uint32_t block_threads; /* of the launch that was run last; 0: none was */
    double active, slots;   /* lanes of instructions, and what room they had */
} listener;

/* ---- where lanes point ---------------------------------------------------------------------- */

static hd_status begin_launch(void *self, const hd_event_launch *launch) {
    listener *l = self;
    l->launch = launch;
    l->block_threads = launch->block_threads;
    l->last = hd_new_array(l->arena, last_seen, launch->access_count);
    l->rows = hd_new_array(l->arena, heard_buffer, launch->buffer_count + 1);
    for (uint32_t r = 0; r < launch->buffer_count; r++)
        for (uint32_t b = 0; b < l->job->buffer_count; b++) {
            const hd_buffer *buffer = &l->job->buffers[b];
            const hd_record *of = buffer->arrays ? buffer->arrays->record : buffer->record;
            bool is_of_record = of == l->job->record || (of && of == l->job->record->whole);
            if (is_of_record && launch->buffers[r].space == KIR_GLOBAL &&
                !strcmp(launch->buffers[r].name, buffer->name))
                l->rows[r].buffer = buffer;
        }
    return HD_OK;
}

static void *open_block(void *self, uint64_t block) {
    listener *l = self;
    (void)block;
    l->threads += l->launch->block_threads;
    return l;
}

/* The row of the table of buffers that an address is in, or -1. */
static int32_t row_of(const listener *l, const hd_event *e, uint64_t address) {
    int32_t row = l->launch->accesses[e->access].buffer;
    for (uint32_t r = 0; row < 0 && r < l->launch->buffer_count; r++)
        if (address - l->launch->buffers[r].base < l->launch->buffers[r].bytes)
            row = (int32_t)r;
    return row;
}

/* The element of an address of the buffer, and the byte of the record. */
static uint64_t element_of(const listener *l, const hd_buffer *buffer, uint64_t offset,
                           uint64_t *byte) {
    const hd_record *record = l->job->record;
    if (buffer->arrays) {
        *byte = buffer->arrays->record->fields[buffer->array_field].offset +
                offset % buffer->element_bytes;
        return offset / buffer->element_bytes;
    }
    uint64_t at = hd_record_struct_byte(record, buffer->count, offset);
    *byte = at % record->size;
    return at / record->size;
}

static void touch(listener *l, heard_buffer *b, uint64_t element, uint64_t byte, uint32_t width) {
    uint64_t index = (uint64_t)(b->buffer - l->job->buffers);
    /* Arrays of one record's fields have the same elements. */
    heard_buffer *all = &l->all[b->buffer->arrays ? 0 : index];
    if (!all->touched) {
        all->buffer = b->buffer;
        all->touched = hd_new_array(l->arena, uint64_t, b->buffer->count / 64 + 1);
    }
    if (element < all->buffer->count)
        all->touched[element / 64] |= (uint64_t)1 << element % 64;
    for (uint32_t i = 0; i < width && byte + i < l->job->record->size; i++)
        l->used[byte + i] = true;
}

/* ---- requests --------------------------------------------------------------------------------- */

static void add_segment(uint64_t *segments, uint32_t *count, uint64_t segment) {
    uint32_t at = *count;
    while (at > 0 && segments[at - 1] != segment)
        at--;
    if (!at)
        segments[(*count)++] = segment;
}

static bool is_regular(last_seen *last, uint64_t at) {
    uint64_t step = at - last->at;
    bool same = step == last->step;
    *last = (last_seen){at, step};
    return same;
}

/* Lanes first .. end - 1. */
static void hear_warp(listener *l, const hd_event *e, heard_buffer *b, uint64_t base,
                      uint32_t first, uint32_t end) {
    uint32_t width = l->launch->accesses[e->access].width, lanes = 0, count = 0;
    uint32_t segment = hd_device_segment_for(l->device, width);
    uint64_t segments[MOST_LANES], before = 0, start = 0;
    for (uint32_t lane = first; lane < end; lane++) {
        if (!hd_event_active(e, lane))
            continue;
        uint64_t byte, element = element_of(l, b->buffer, hd_event_address(e, lane) - base, &byte);
        touch(l, b, element, byte, width);
        add_segment(segments, &count, element * width / segment);
        start = lanes ? start : element;
        if (lanes++) {
            double most = ceil((double)PAGE / l->job->record->size);
            double apart = fmin(fabs((double)element - (double)before), most);
            l->log_distance += log2(fmax(apart, 0.5));
            l->pairs++;
        }
        before = element;
    }
    if (!lanes)
        return;
    l->regular += is_regular(&l->last[e->access], start);
    l->requests++;
    l->record_accesses += lanes;
    l->segments += count;
    l->least += ceil((double)lanes * width / segment);
}

static void hear(void *self, const hd_event *e) {
    listener *l = self;
    const hd_event_access *access = &l->launch->accesses[e->access];
    double bytes = (double)e->active * access->width;
    if (hd_event_space(l->launch, e) != KIR_GLOBAL || l->stop)
        return;
    l->bytes += bytes;
    l->bytes_read += access->kind == HD_LOAD ? bytes : 0;
    l->heard += e->active;
    l->stop = l->limit && l->heard >= l->limit;
    uint32_t lane = 0;
    while (lane < e->threads && !hd_event_active(e, lane))
        lane++;
    int32_t row = row_of(l, e, hd_event_address(e, lane));
    if (row < 0 || !l->rows[row].buffer)
        return;
    uint64_t base = l->launch->buffers[row].base;
    uint32_t warp = l->device->warp < MOST_LANES ? l->device->warp : MOST_LANES;
    for (uint32_t first = 0; first < e->threads; first += warp)
        hear_warp(l, e, &l->rows[row], base, first,
                  first + warp < e->threads ? first + warp : e->threads);
}

/* ---- all of it -------------------------------------------------------------------------------- */

/* Elements of the record's buffers that are touched; *all: of these buffers. */
static double elements_touched(const listener *l, double *all) {
    double elements = 0;
    *all = 0;
    for (uint32_t b = 0; b < l->job->buffer_count; b++) {
        if (!l->all[b].touched)
            continue;
        *all += (double)l->all[b].buffer->count;
        for (uint64_t w = 0; w <= l->all[b].buffer->count / 64; w++)
            elements += __builtin_popcountll(l->all[b].touched[w]);
    }
    return elements;
}

static void find_fields(const listener *l, double *fields, double *bytes) {
    const hd_record *record = l->job->record;
    *fields = *bytes = 0;
    for (uint32_t f = 0; f < record->field_count; f++) {
        uint32_t used = 0;
        for (uint32_t i = 0; i < record->fields[f].size; i++)
            used += l->used[record->fields[f].offset + i];
        *bytes += used;
        *fields += used > 0;
    }
}

static void finish(const listener *l, const double *operations, hd_features *features) {
    const hd_device *d = l->device;
    double cache = (double)(d->l2.size ? d->l2.size : d->l1.size), fields, bytes, all;
    double elements = elements_touched(l, &all);
    find_fields(l, &fields, &bytes);
    const double values[HD_FEATURES] = {
        [HD_FEATURE_DIVERGENCE] = l->segments / l->least,
        [HD_FEATURE_SPARSITY] = l->pairs > 0 ? exp2(l->log_distance / l->pairs) : 1,
        [HD_FEATURE_REGULARITY] = 0.5 + l->regular / l->requests / 2,
        [HD_FEATURE_INTENSITY] = *operations / l->bytes,
        [HD_FEATURE_GRANULARITY] = l->record_accesses / (l->threads * fields),
        [HD_FEATURE_USED] = bytes / l->job->record->size,
        [HD_FEATURE_FIELDS] = fields,
        [HD_FEATURE_FIELD_BYTES] = bytes,
        [HD_FEATURE_READS] = 0.5 + l->bytes_read / l->bytes / 2,
        [HD_FEATURE_WORKING_SET] = elements * bytes / (cache > 0 ? cache : 1),
        [HD_FEATURE_COVERED] = elements / all,
        [HD_FEATURE_LANES] = l->active / l->slots};
    /* Of none at all: 1/1024. */
    for (int f = 0; f < HD_FEATURES; f++)
        features->value[f] = values[f] > 0x1p-10 ? values[f] : 0x1p-10;
}

/* Each launch as often as it is written down, not as often as it repeats. */
static hd_status run(listener *l, const hd_diag *diag, double *operations) {
    const hd_vm_options options = {
        .workers = 1, .spaces = (uint32_t)1 << KIR_GLOBAL, .stop = &l->stop};
    const hd_sink sink = {
        .self = l, .launch = begin_launch, .open_block = open_block, .event = hear};
    hd_vm *vm;
    hd_status status = hd_vm_open(l->arena, diag, l->job, NULL, &options, &vm);
    if (status != HD_OK)
        return status;
    for (uint32_t n = 0; n < l->job->launch_count && status == HD_OK && !l->stop; n++) {
        hd_vm_counts counts = {0};
        l->block_threads = 0;
        status = hd_vm_run(vm, n, &sink, &counts);
        for (int o = 0; o <= HD_OPERATION_FP64; o++)
            *operations += (double)counts.operations[o];
        l->active += (double)counts.thread_instructions;
        l->slots += (double)counts.instructions * l->block_threads;
    }
    hd_vm_close(vm);
    return status;
}

hd_status hd_features_count(const hd_diag *diag, const hd_job *job, const hd_device *device,
                            uint64_t limit, hd_features *features) {
    hd_arena *scratch = hd_arena_new();
    listener l = {.arena = scratch, .job = job, .device = device, .limit = limit};
    double operations = 0;
    l.all = hd_new_array(scratch, heard_buffer, job->buffer_count);
    l.used = hd_new_array(scratch, bool, job->record->size);
    hd_status status = run(&l, diag, &operations);
    if (status == HD_OK && !(l.requests > 0))
        status = hd_fail(diag, HD_EINPUT, NULL,
                         "%s: no access of its launches reaches record '%s', so it is like no "
                         "micro-kernel",
                         job->path ? job->path : job->kernel_path, job->record->name);
    if (status == HD_OK)
        finish(&l, &operations, features);
    hd_arena_free(scratch);
    return status;
}

double hd_features_distance(const hd_features *a, const hd_features *b) {
    double sum = 0;
    for (int f = 0; f < HD_FEATURES; f++) {
        double steps = log2(a->value[f] / b->value[f]) / hd_features_all[f].doublings;
        sum += steps * steps;
    }
    return sqrt(sum);
}
