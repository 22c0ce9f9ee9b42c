#include "cuda/work.h"

#include <stdlib.h>

#include "cuda/cuda_array.h"
#include "cuda/cuda_children.h"
#include "cuda/cuda_memory.h"
#include "cuda/cuda_record.h"
#include "cuda/cuda_stream.h"

/* ---- copies and fills ------------------------------------------------------------------------ */

typedef enum wanted { OF_ANY, OF_HOST, OF_DEVICE } wanted;

/* Bytes from the first to behind the last of a box; false: more than can be counted. */
static bool span_of(const cuda_place *place, const cuda_box *box, size_t *span) {
    size_t rows, planes;
    if (__builtin_mul_overflow(box->height - 1, place->row, &rows) ||
        __builtin_mul_overflow(box->depth - 1, place->plane, &planes) ||
        __builtin_add_overflow(rows, planes, span) ||
        __builtin_add_overflow(*span, box->width, span))
        return false;
    return true;
}

/* Memory of the device must be what it is said to be, and all of the box must be in it. What is in
 * no allocation is the host's own. */
static cuda_error check_place(cuda_process *p, const cuda_place *place, const cuda_box *box,
                              wanted side) {
    size_t span;
    if (!place->at || !span_of(place, box, &span))
        return CUDA_INVALID_VALUE;
    const cuda_allocation *a = cuda_memory_at(p, place->at);
    if (!a) {
        bool gone = cuda_memory_gone(p, place->at) || cuda_memory_is_closed(p, place->at);
        return side == OF_DEVICE || gone ? CUDA_INVALID_VALUE : CUDA_SUCCESS;
    }
    bool device_alone = a->kind == CUDA_MEMORY_DEVICE || a->kind == CUDA_MEMORY_VARIABLE ||
                        a->kind == CUDA_MEMORY_ARRAY || a->kind == CUDA_MEMORY_MAPPED;
    if (side == OF_HOST && device_alone)
        return CUDA_INVALID_VALUE;
    size_t rest = a->bytes - ((uintptr_t)place->at - a->address);
    /* Host memory goes on behind a registered part. */
    return span > rest && a->kind != CUDA_MEMORY_REGISTERED ? CUDA_INVALID_VALUE : CUDA_SUCCESS;
}

static bool is_empty(const cuda_box *box) { return !box->width || !box->height || !box->depth; }

static cuda_error check_pitch(const cuda_place *place, const cuda_box *box) {
    bool fits = (box->height < 2 || place->row >= box->width) &&
                (box->depth < 2 || place->plane / (place->row ? place->row : 1) >= box->height);
    return fits ? CUDA_SUCCESS : CUDA_INVALID_PITCH_VALUE;
}

static cuda_error check_copy(cuda_process *p, const cuda_copy *copy) {
    static const wanted sides[][2] = {/* from, to */
                                      [CUDA_HOST_TO_HOST] = {OF_HOST, OF_HOST},
                                      [CUDA_HOST_TO_DEVICE] = {OF_HOST, OF_DEVICE},
                                      [CUDA_DEVICE_TO_HOST] = {OF_DEVICE, OF_HOST},
                                      [CUDA_DEVICE_TO_DEVICE] = {OF_DEVICE, OF_DEVICE},
                                      [CUDA_BY_ADDRESS] = {OF_ANY, OF_ANY}};
    if ((unsigned)copy->direction > CUDA_BY_ADDRESS)
        return CUDA_INVALID_MEMCPY_DIRECTION;
    if (is_empty(&copy->box))
        return CUDA_SUCCESS;
    cuda_error error;
    if ((error = check_pitch(&copy->from, &copy->box)) ||
        (error = check_pitch(&copy->to, &copy->box)) ||
        (error = check_place(p, &copy->from, &copy->box, sides[copy->direction][0])))
        return error;
    return check_place(p, &copy->to, &copy->box, sides[copy->direction][1]);
}

static void *row_at(const cuda_place *place, size_t plane, size_t row) {
    return (char *)place->at + plane * place->plane + row * place->row;
}

static void run_copy(cuda_process *p, const cuda_copy *copy) {
    const cuda_box *box = &copy->box;
    if (is_empty(box)) /* its pointers may be NULL */
        return;
    for (size_t z = 0; z < box->depth; z++)
        for (size_t y = 0; y < box->height; y++) {
            void *row = row_at(&copy->to, z, y);
            memmove(row, row_at(&copy->from, z, y), box->width);
            hd_ptx_wrote(p->machine, row, box->width);
        }
}

static cuda_error check_fill(cuda_process *p, const cuda_fill *fill) {
    if (is_empty(&fill->box))
        return CUDA_SUCCESS;
    if ((fill->element != 1 && fill->element != 2 && fill->element != 4) ||
        (uintptr_t)fill->to.at % fill->element || fill->box.width % fill->element ||
        (fill->box.height > 1 && fill->to.row % fill->element))
        return CUDA_INVALID_VALUE;
    cuda_error error = check_pitch(&fill->to, &fill->box);
    return error ? error : check_place(p, &fill->to, &fill->box, OF_DEVICE);
}

static void run_fill(cuda_process *p, const cuda_fill *fill) {
    const cuda_box *box = &fill->box;
    if (is_empty(box))
        return;
    for (size_t z = 0; z < box->depth; z++)
        for (size_t y = 0; y < box->height; y++) {
            char *row = row_at(&fill->to, z, y);
            if (fill->element == 1)
                memset(row, (int)fill->value, box->width);
            else
                for (size_t x = 0; x < box->width; x += fill->element)
                    memcpy(row + x, &fill->value, fill->element);
            hd_ptx_wrote(p->machine, row, box->width);
        }
}

cuda_work cuda_copy_bytes(void *to, const void *from, size_t bytes, cuda_direction direction) {
    return (cuda_work){
        .kind = CUDA_WORK_COPY,
        .copy = {{to, 0, 0}, {(void *)(uintptr_t)from, 0, 0}, {bytes, 1, 1}, direction}};
}

cuda_work cuda_fill_bytes(void *to, uint32_t value, uint32_t element, size_t count) {
    return (cuda_work){.kind = CUDA_WORK_FILL,
                       .fill = {{to, 0, 0}, {count * element, 1, 1}, value, element}};
}

/* ---- launches --------------------------------------------------------------------------------- */

static cuda_error check_sizes(const cuda_process *p, const hd_ptx_launch_size *size) {
    uint64_t threads = 1;
    int most;
    for (int d = 0; d < 3; d++) {
        cuda_device_attribute(&p->device, 2 + d, &most);
        if (!size->block[d] || size->block[d] > (uint32_t)most)
            return CUDA_INVALID_CONFIGURATION;
        cuda_device_attribute(&p->device, 5 + d, &most);
        if (!size->grid[d] || size->grid[d] > (uint32_t)most)
            return CUDA_INVALID_CONFIGURATION;
        threads *= size->block[d];
    }
    cuda_device_attribute(&p->device, 1, &most);
    return threads > (uint64_t)most ? CUDA_INVALID_CONFIGURATION : CUDA_SUCCESS;
}

static uint64_t blocks_of(const hd_ptx_launch_size *size) {
    return (uint64_t)size->grid[0] * size->grid[1] * size->grid[2];
}
static uint32_t threads_of(const hd_ptx_launch_size *size) {
    return size->block[0] * size->block[1] * size->block[2];
}

/* All blocks of a cooperative launch are on the device at once. */
static cuda_error check_cooperative(cuda_process *p, const cuda_launch *l) {
    uint32_t on_sm = cuda_kernel_blocks(p, l->kernel, threads_of(&l->size), l->size.shared);
    uint64_t sms = p->device.profile->sms ? p->device.profile->sms : 1;
    if (blocks_of(&l->size) > on_sm * sms)
        return CUDA_COOPERATIVE_LAUNCH_TOO_LARGE;
    return CUDA_SUCCESS;
}

/* Blocks of a cluster: as the launch says, or as the kernel wants. */
static void find_cluster(const cuda_launch *l, uint32_t cluster[3]) {
    memcpy(cluster, l->size.cluster[0] ? l->size.cluster : l->kernel->facts.required_cluster,
           3 * sizeof *cluster);
}

static cuda_error check_clusters(cuda_process *p, const cuda_launch *l) {
    const uint32_t *required = l->kernel->facts.required_cluster;
    uint32_t cluster[3], count = 1;
    find_cluster(l, cluster);
    if (!cluster[0])
        return CUDA_SUCCESS;
    for (int d = 0; d < 3; d++) {
        count *= cluster[d];
        if (count > cuda_kernel_most_cluster(l->kernel) || l->size.grid[d] % cluster[d] ||
            (required[0] && cluster[d] != required[d]))
            return CUDA_INVALID_CLUSTER_SIZE;
    }
    return count == 1 || cuda_device_has_clusters(&p->device) ? CUDA_SUCCESS : CUDA_NOT_SUPPORTED;
}

static cuda_error check_launch(cuda_process *p, const cuda_launch *l) {
    cuda_error error = cuda_kernel_need(p, l->kernel);
    if (error || (error = check_sizes(p, &l->size)))
        return error;
    const hd_ptx_kernel_facts *facts = &l->kernel->facts;
    if (!cuda_kernel_takes_shared(p, l->kernel, l->size.shared))
        return CUDA_INVALID_VALUE;
    if (facts->most_threads && threads_of(&l->size) > facts->most_threads)
        return CUDA_LAUNCH_OUT_OF_RESOURCES;
    for (int d = 0; d < 3; d++)
        if (facts->required_threads[d] && facts->required_threads[d] != l->size.block[d])
            return CUDA_INVALID_VALUE;
    if (l->packed ? l->packed_bytes < facts->params_bytes : facts->param_count && !l->args)
        return CUDA_INVALID_VALUE;
    error = check_clusters(p, l);
    return !error && l->size.cooperative ? check_cooperative(p, l) : error;
}

/* The arguments, in one piece of memory behind the pointers to them. */
static void **keep_args(const cuda_launch *l) {
    uint32_t count = l->kernel->facts.param_count;
    size_t bytes = sizeof(void *) * (count + 1) + l->kernel->facts.params_bytes + 16;
    void **args = hd_zeroed(1, bytes);
    char *at = (char *)(args + count + 1);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t offset, size;
        hd_ptx_param(l->kernel->found, i, &offset, &size);
        args[i] = at + offset;
        memcpy(args[i], l->packed ? l->packed + offset : l->args[i], size);
    }
    return args;
}

/* What CUDA calls the fault that the last launch ended with. */
static cuda_error fault_of(const cuda_process *p) {
    const char *message = p->message ? p->message : "";
    return strstr(message, "misaligned")             ? CUDA_MISALIGNED_ADDRESS
           : hd_ptx_last_fault(p->machine).is_access ? CUDA_ILLEGAL_ADDRESS
           : strstr(message, "assertion")            ? CUDA_ASSERT
           : strstr(message, "(a trap)")             ? CUDA_ILLEGAL_INSTRUCTION
                                                     : CUDA_LAUNCH_FAILED;
}

static cuda_error run_launch(cuda_process *p, const cuda_launch *l) {
    if (p->sticky)
        return p->sticky;
    cuda_error error = cuda_references_settle(p);
    if (error)
        return error;
    hd_ptx_counts counts = {0};
    cuda_launch own = *l;
    find_cluster(l, own.size.cluster);
    l = &own;
    const hd_watched_launch watched = {p->machine, l->kernel->name, &l->size};
    cuda_record_launch(p->record, p, l);
    hd_watch_launch(p->watch, &watched);
    hd_progress_launch(p->progress, hd_ptx_kernel_title(l->kernel->found));
    hd_status status = hd_ptx_launch(l->kernel->found, &l->size, l->args, &counts);
    hd_progress_launched(p->progress);
    hd_watch_launched(p->watch, &watched, &counts, status, p->message);
    cuda_record_launched(p->record, l, status);
    if (!status)
        return cuda_children_run(p, l);
    if (status == HD_EUNSUPPORTED)
        return CUDA_NOT_SUPPORTED;
    if (status == HD_ESYSTEM)
        return CUDA_LAUNCH_OUT_OF_RESOURCES;
    p->sticky = fault_of(p);
    return p->blocking ? p->sticky : CUDA_SUCCESS;
}

static cuda_error launch(cuda_process *p, const cuda_launch *l) {
    if (!l->packed)
        return run_launch(p, l);
    cuda_launch own = *l;
    own.args = keep_args(l);
    cuda_error error = run_launch(p, &own);
    free(own.args);
    return error;
}

/* ---- all ----------------------------------------------------------------------------------------- */

cuda_error cuda_work_check(cuda_process *p, const cuda_work *work) {
    switch (work->kind) {
    case CUDA_WORK_LAUNCH: return check_launch(p, &work->launch);
    case CUDA_WORK_COPY: return check_copy(p, &work->copy);
    case CUDA_WORK_FILL: return check_fill(p, &work->fill);
    case CUDA_WORK_HOST: return work->host.function ? CUDA_SUCCESS : CUDA_INVALID_VALUE;
    case CUDA_WORK_FAILED: return work->error;
    default: return CUDA_SUCCESS;
    }
}

cuda_error cuda_work_run(cuda_process *p, const cuda_work *work) {
    cuda_error error = cuda_work_check(p, work);
    if (error)
        return error;
    switch (work->kind) {
    case CUDA_WORK_LAUNCH: return launch(p, &work->launch);
    case CUDA_WORK_COPY: run_copy(p, &work->copy); return CUDA_SUCCESS;
    case CUDA_WORK_FILL: run_fill(p, &work->fill); return CUDA_SUCCESS;
    case CUDA_WORK_HOST: /* it may wait for other threads, which may be calling */
        cuda_leave(p);
        work->host.function(work->host.user);
        cuda_enter();
        return CUDA_SUCCESS;
    case CUDA_WORK_GRAPH: return cuda_graph_run(p, work->graph);
    case CUDA_WORK_BRANCH: return cuda_branch_run(p, work->branch);
    case CUDA_WORK_RECORD: return cuda_event_record(p, work->event, NULL);
    case CUDA_WORK_WAIT:
    case CUDA_WORK_ALLOC: /* it is there all the time */
    case CUDA_WORK_FREE:
    case CUDA_WORK_EMPTY:
    case CUDA_WORK_FAILED: return CUDA_SUCCESS;
    }
    return CUDA_INVALID_VALUE;
}

/* ---- work that is kept ----------------------------------------------------------------------------- */

cuda_error cuda_work_keep(cuda_process *p, const cuda_work *work, cuda_work *kept) {
    *kept = *work;
    if (work->kind == CUDA_WORK_GRAPH)
        return cuda_graph_copy(p, work->graph, &kept->graph);
    if (work->kind == CUDA_WORK_BRANCH)
        return cuda_branch_copy(p, work->branch, &kept->branch);
    if (work->kind == CUDA_WORK_ALLOC || work->kind == CUDA_WORK_FREE)
        work->memory->uses++;
    if (work->kind != CUDA_WORK_LAUNCH)
        return CUDA_SUCCESS;
    cuda_error error = cuda_work_check(p, work);
    if (error)
        return error;
    kept->launch.args = keep_args(&work->launch);
    kept->launch.packed = NULL;
    return CUDA_SUCCESS;
}

void cuda_work_drop(cuda_work *kept) {
    if (kept->kind == CUDA_WORK_LAUNCH)
        free(kept->launch.args);
    if (kept->kind == CUDA_WORK_ALLOC || kept->kind == CUDA_WORK_FREE)
        cuda_graph_memory_drop(kept->memory);
    kept->kind = CUDA_WORK_EMPTY;
}
