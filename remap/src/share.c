/*
 * Host and device at once on one array, each in its own layout (Dymaxion, chapter 6).
 *
 * Both sides take pieces from the front of what is left: half of what would be theirs if all that
 * is left were split by the throughput measured so far (guided self-scheduling; Polychronopoulos
 * and Kuck, 1987, with a share for each side). So pieces become smaller, and both sides end
 * together.
 *
 * A kernel is made for one size of piece. The device therefore takes pieces of few sizes, each a
 * quarter of the next larger one, and leaves the rest to the host. Making a kernel does not count
 * as time of the device.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>

#include "remap/remap_device.h"

enum {
    FIRST_PIECES = 64,   /* a side's first piece is so small a part, to measure it */
    DEVICE_PIECES = 1024 /* the device's smallest is */
};

typedef struct side {
    uint64_t done;
    double seconds;   /* summed over its workers */
    uint32_t workers; /* that take pieces */
} side;

typedef struct sharing {
    const hd_diag *diag;
    hd_remap_device *device_used;
    const hd_remap_work *work;
    uint64_t unit_bytes; /* of an element, or a row */
    uint64_t total;
    pthread_mutex_t lock; /* of what follows */
    uint64_t next;        /* what is before it is taken */
    side host, device;
    hd_status status; /* the first that was not HD_OK */
} sharing;

/* ---- pieces ----------------------------------------------------------------------------- */

/* Elements per second of a worker; 0: not known yet. */
static double rate_of(const side *s) { return s->seconds > 0 ? (double)s->done / s->seconds : 0; }

/* Half of what of `left` is one worker's of a side. */
static double half_share(const sharing *s, const side *own, const side *other, uint64_t left) {
    double rate = rate_of(own), all = rate * own->workers + rate_of(other) * other->workers;
    return rate > 0 ? (double)left * rate / all / 2 : (double)s->total / FIRST_PIECES;
}

/* 0: the host does the rest sooner. */
static uint64_t device_piece(const sharing *s, uint64_t left) {
    double share = half_share(s, &s->device, &s->host, left);
    uint64_t least = s->total / DEVICE_PIECES ? s->total / DEVICE_PIECES : 1, piece = least;
    while (piece * 4 <= left && (double)piece * 4 <= share)
        piece *= 4;
    if (piece > left)
        return 0;
    double host_rate = rate_of(&s->host) * s->host.workers;
    bool is_late = (double)least > share && host_rate > 0 &&
                   (double)piece * host_rate > (double)left * rate_of(&s->device);
    return is_late ? 0 : piece;
}

/* The side's next piece; 0: there is none. */
static uint64_t take(sharing *s, bool on_device, uint64_t *first) {
    pthread_mutex_lock(&s->lock);
    uint64_t left = s->status == HD_OK ? s->total - s->next : 0;
    uint64_t count = left && on_device ? device_piece(s, left) : 0;
    if (!on_device) {
        double share = half_share(s, &s->host, &s->device, left);
        uint64_t least = s->total / DEVICE_PIECES / (s->host.workers + 1) + 1;
        count = share < (double)least ? least : (uint64_t)share;
        count = count < left ? count : left;
    }
    *first = s->next;
    s->next += count;
    pthread_mutex_unlock(&s->lock);
    return count;
}

static void finish_piece(sharing *s, side *own, uint64_t count, double seconds, hd_status status) {
    pthread_mutex_lock(&s->lock);
    own->done += status == HD_OK ? count : 0;
    own->seconds += seconds;
    if (s->status == HD_OK)
        s->status = status;
    pthread_mutex_unlock(&s->lock);
}

/* ---- the device ---------------------------------------------------------------------------- */

/* Memory for pieces, as large as the largest so far. */
typedef struct piece_memory {
    hd_remap_memory *parts;
    uint64_t *bytes;
    uint32_t count;
} piece_memory;

static hd_status grow_memory(const hd_diag *diag, hd_remap_device *device, const hd_remap *piece,
                             piece_memory *memory) {
    hd_status status = HD_OK;
    device->diag = diag;
    device->changed = 0;
    for (uint32_t p = 0; p < memory->count && status == HD_OK; p++) {
        if (memory->bytes[p] >= piece->bytes[p])
            continue;
        if (memory->bytes[p])
            device->gpu->api->release(device->gpu, memory->parts[p].cuda);
        memory->bytes[p] = 0;
        status = hd_remap_check(device, device->gpu->api->allocate(device->gpu, HD_PLACEMENT_DEVICE,
                                                                   piece->bytes[p],
                                                                   &memory->parts[p].cuda));
        if (status == HD_OK)
            memory->bytes[p] = piece->bytes[p];
    }
    return status;
}

/* All that is made once for a size of piece, so that it does not count as the piece's time. */
static hd_status prepare(const hd_diag *diag, hd_remap_device *device, const hd_remap_work *work,
                         const hd_remap *piece) {
    hd_status status = HD_OK;
    for (int d = HD_REMAP_TO_DEVICE;
         status == HD_OK && d <= (work->returns ? HD_REMAP_FROM_DEVICE : HD_REMAP_TO_DEVICE); d++) {
        hd_remap_choice choice;
        void *kernel;
        status = hd_remap_plan(diag, device, piece, d, HD_REMAP_IN_DEVICE, &choice);
        hd_remap_tuning tuning = hd_remap_tuning_of(device, piece, d);
        if (status == HD_OK && choice.strategy != HD_REMAP_HOST)
            status = hd_remap_kernel_of(device, piece, d, &tuning, &kernel);
    }
    return status;
}

static void run_device(sharing *s) {
    const hd_diag *diag = s->diag;
    hd_remap_device *device = s->device_used;
    uint32_t count_of_parts = s->work->map->parts;
    piece_memory memory = {hd_zeroed(count_of_parts, sizeof(hd_remap_memory)),
                           hd_zeroed(count_of_parts, sizeof(uint64_t)), count_of_parts};
    uint64_t first, count;
    device->is_shared = true;
    while ((count = take(s, true, &first))) {
        hd_remap *piece = NULL;
        double seconds = 0;
        hd_status status = hd_remap_slice(diag, s->work->map, first, count, &piece);
        if (status == HD_OK)
            status = grow_memory(diag, device, piece, &memory);
        if (status == HD_OK)
            status = prepare(diag, device, s->work, piece);
        if (status == HD_OK) {
            const hd_remap_work *work = s->work;
            char *data = (char *)work->data + first * s->unit_bytes;
            double start = hd_clock();
            status = hd_remap_to_device(diag, device, piece, memory.parts, data, NULL);
            if (status == HD_OK)
                status = work->on_device(piece, memory.parts, first, count, work->user);
            if (status == HD_OK && work->returns)
                status = hd_remap_from_device(diag, device, piece, data, memory.parts, NULL);
            seconds = hd_clock() - start;
        }
        hd_remap_free(piece);
        finish_piece(s, &s->device, count, seconds, status);
    }
    device->is_shared = false;
    for (uint32_t p = 0; p < memory.count; p++)
        if (memory.bytes[p])
            device->gpu->api->release(device->gpu, memory.parts[p].cuda);
    free(memory.parts);
    free(memory.bytes);
}

/* ---- both ----------------------------------------------------------------------------------- */

/* The calling thread is the device's, and then, as where the system gives no others, the host's. */
static void run_side(void *self, uint32_t worker) {
    sharing *s = self;
    uint64_t first, count;
    if (!worker)
        run_device(s);
    while ((count = take(s, false, &first))) {
        double start = hd_clock();
        hd_status status = s->work->on_host(first, count, s->work->user);
        finish_piece(s, &s->host, count, hd_clock() - start, status);
    }
}

hd_status hd_remap_share(const hd_diag *diag, hd_remap_device *device, const hd_remap_work *work,
                         uint32_t threads, hd_remap_shares *shares) {
    hd_remap *slice;
    hd_status status = hd_remap_needs(diag, {device, "device"}, {work, "work to share"});
    if (status == HD_OK && (!work->map || !work->data || !work->on_host || !work->on_device))
        status = hd_fail(diag, HD_EINPUT, NULL,
                         "shared work needs a map, data, and a function for each side");
    if (status == HD_OK)
        status = hd_remap_slice(diag, work->map, 0, 1, &slice);
    if (shares)
        *shares = (hd_remap_shares){0};
    if (status != HD_OK)
        return status;
    hd_remap_free(slice);
    /* The host would do all while the device is measured. */
    status = hd_remap_calibrate(diag, device, work->map->kind, HD_REMAP_TO_DEVICE);
    if (status == HD_OK && work->returns)
        status = hd_remap_calibrate(diag, device, work->map->kind, HD_REMAP_FROM_DEVICE);
    if (status != HD_OK)
        return status;
    if (!threads) /* but one core, where there are more: the calling thread is the device's */
        threads = hd_core_count() > 2 ? hd_core_count() - 1 : 1;
    if (threads > HD_REMAP_MOST_THREADS)
        threads = HD_REMAP_MOST_THREADS;
    const hd_remap *map = work->map;
    bool by_rows = map->kind == HD_REMAP_TRANSPOSE;
    sharing s = {.diag = diag,
                 .device_used = device,
                 .work = work,
                 .unit_bytes = by_rows ? map->columns * map->element_bytes : map->element_bytes,
                 .total = by_rows ? map->rows : map->elements,
                 .host.workers = threads,
                 .device.workers = 1};
    hd_crew *crew = NULL;
    pthread_mutex_init(&s.lock, NULL);
    hd_crew_run(&crew, threads + 1, run_side, &s);
    hd_crew_free(crew);
    pthread_mutex_destroy(&s.lock);
    if (shares)
        *shares = (hd_remap_shares){s.host.done, s.device.done, s.host.seconds / s.host.workers,
                                    s.device.seconds};
    return s.status;
}
