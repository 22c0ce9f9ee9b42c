#include "cuda/cuda_memory.h"

enum { GONE_MOST = 65536 }; /* freed allocations that are remembered */

static const char *const interfaces[] = {"libcudart.so", "libcuda.so", NULL};

cuda_memory *cuda_memory_new(cuda_process *p) {
    cuda_memory *m = hd_new(p->arena, cuda_memory);
    m->arena = p->arena;
    m->current_pool = &m->default_pool;
    return m;
}

/* ---- the list of allocations -------------------------------------------------------------------- */

/* The first that begins after `address`. */
static size_t after(const cuda_memory *m, uintptr_t address) {
    size_t low = 0, high = m->live.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (m->live.data[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool holds(const cuda_allocation *a, uintptr_t address) {
    return address - a->address < (a->bytes ? a->bytes : 1);
}

cuda_allocation *cuda_memory_at(const cuda_process *p, const void *address) {
    size_t next = after(p->memory, (uintptr_t)address);
    cuda_allocation *before = next ? &p->memory->live.data[next - 1] : NULL;
    return before && holds(before, (uintptr_t)address) ? before : NULL;
}

const cuda_allocation *cuda_memory_gone(const cuda_process *p, const void *address) {
    if ((uintptr_t)address < p->memory->lowest || (uintptr_t)address >= p->memory->highest)
        return NULL;
    for (size_t i = p->memory->gone.count; i--;)
        if (holds(&p->memory->gone.data[i], (uintptr_t)address))
            return &p->memory->gone.data[i];
    return NULL;
}

static bool counts_as_used(const cuda_allocation *a) {
    return a->kind == CUDA_MEMORY_DEVICE || a->kind == CUDA_MEMORY_MANAGED;
}

static hd_watched_memory watched(const cuda_allocation *a) {
    static const char *const kinds[] = {[CUDA_MEMORY_DEVICE] = "device memory",
                                        [CUDA_MEMORY_MANAGED] = "managed memory",
                                        [CUDA_MEMORY_PINNED] = "pinned host memory",
                                        [CUDA_MEMORY_REGISTERED] = "registered host memory",
                                        [CUDA_MEMORY_VARIABLE] = "a variable"};
    return (hd_watched_memory){.address = a->address,
                               .bytes = a->bytes,
                               .number = a->number,
                               .kind = kinds[a->kind],
                               .is_of_device = counts_as_used(a),
                               .is_of_program = a->kind != CUDA_MEMORY_VARIABLE,
                               .made = a->made,
                               .freed = a->freed};
}

bool cuda_memory_list(void *process, bool gone, size_t index, hd_watched_memory *memory) {
    const cuda_memory *m = ((cuda_process *)process)->memory;
    if (index >= (gone ? m->gone.count : m->live.count))
        return false;
    *memory = watched(gone ? &m->gone.data[index] : &m->live.data[index]);
    return true;
}

uint64_t cuda_memory_most(void *process) { return ((cuda_process *)process)->memory->most_used; }

static void add(cuda_memory *m, cuda_allocation a) {
    a.number = ++m->made;
    hd_stack_take(&a.made, interfaces);
    size_t at = after(m, a.address);
    hd_push(m->arena, &m->live, a);
    memmove(&m->live.data[at + 1], &m->live.data[at],
            (m->live.count - 1 - at) * sizeof *m->live.data);
    m->live.data[at] = a;
    if (a.kind != CUDA_MEMORY_REGISTERED && (!m->highest || a.address < m->lowest))
        m->lowest = a.address;
    if (a.kind != CUDA_MEMORY_REGISTERED && a.address + a.bytes > m->highest)
        m->highest = a.address + a.bytes;
    if (counts_as_used(&a))
        m->used += a.bytes;
    if (m->used > m->most_used)
        m->most_used = m->used;
}

static void remove_at(cuda_memory *m, size_t at) {
    cuda_allocation a = m->live.data[at];
    m->live.count--;
    memmove(&m->live.data[at], &m->live.data[at + 1], (m->live.count - at) * sizeof *m->live.data);
    if (counts_as_used(&a))
        m->used -= a.bytes;
    if (a.pool)
        a.pool->used -= a.bytes;
    hd_stack_take(&a.freed, interfaces);
    if (a.kind == CUDA_MEMORY_REGISTERED) /* it is the host's own again */
        return;
    if (m->gone.count == GONE_MOST) { /* the older half is forgotten */
        m->gone.count /= 2;
        memmove(m->gone.data, m->gone.data + GONE_MOST - m->gone.count,
                m->gone.count * sizeof *m->gone.data);
    }
    hd_push(m->arena, &m->gone, a);
}

/* ---- allocating ----------------------------------------------------------------------------------- */

cuda_error cuda_memory_make(cuda_process *p, cuda_memory_kind kind, size_t bytes, void **address) {
    cuda_memory *m = p->memory;
    *address = NULL;
    if (!bytes)
        return CUDA_SUCCESS;
    bool of_device = kind == CUDA_MEMORY_DEVICE || kind == CUDA_MEMORY_MANAGED;
    if (of_device && (bytes > p->device.memory || m->used > p->device.memory - bytes))
        return CUDA_OUT_OF_MEMORY;
    void *made = hd_ptx_alloc(p->machine, bytes, 256);
    if (!made)
        return CUDA_OUT_OF_MEMORY;
    if (kind != CUDA_MEMORY_DEVICE) /* the host writes there, and nobody sees it */
        hd_ptx_wrote(p->machine, made, bytes);
    add(m, (cuda_allocation){.address = (uintptr_t)made, .bytes = bytes, .kind = kind});
    *address = made;
    return CUDA_SUCCESS;
}

void cuda_memory_set_pool(cuda_process *p, const void *address, cuda_pool *pool) {
    cuda_allocation *a = cuda_memory_at(p, address);
    a->pool = pool;
    pool->used += a->bytes;
    if (pool->used > pool->most_used)
        pool->most_used = pool->used;
}

cuda_error cuda_memory_end(cuda_process *p, const void *address, unsigned kinds,
                           cuda_error refusal) {
    cuda_memory *m = p->memory;
    if (!address)
        return CUDA_SUCCESS;
    cuda_allocation *a = cuda_memory_at(p, address);
    if (!a || a->address != (uintptr_t)address || !(kinds >> a->kind & 1))
        return refusal;
    const hd_watched_memory gone = watched(a);
    hd_watch_memory(p->watch, &gone);
    hd_status status = a->kind == CUDA_MEMORY_REGISTERED
                           ? hd_ptx_remove(p->machine, (void *)a->address)
                           : hd_ptx_free(p->machine, (void *)a->address);
    if (status)
        return refusal;
    remove_at(m, (size_t)(a - m->live.data));
    return CUDA_SUCCESS;
}

/* Some byte of these is in an allocation. */
static bool overlaps(const cuda_process *p, uintptr_t address, size_t bytes) {
    if (cuda_memory_at(p, (void *)address))
        return true;
    size_t next = after(p->memory, address);
    return next < p->memory->live.count && p->memory->live.data[next].address - address < bytes;
}

cuda_error cuda_memory_register(cuda_process *p, void *address, size_t bytes, unsigned flags) {
    if (!address || !bytes || (uintptr_t)address + bytes < (uintptr_t)address)
        return CUDA_INVALID_VALUE;
    if (overlaps(p, (uintptr_t)address, bytes))
        return CUDA_HOST_MEMORY_ALREADY_REGISTERED;
    if (hd_ptx_place(p->machine, "registered host memory", address, bytes))
        return CUDA_INVALID_VALUE;
    add(p->memory, (cuda_allocation){.address = (uintptr_t)address,
                                     .bytes = bytes,
                                     .kind = CUDA_MEMORY_REGISTERED,
                                     .flags = flags});
    return CUDA_SUCCESS;
}

void cuda_memory_add_variable(cuda_process *p, void *address, size_t bytes) {
    if (bytes && !cuda_memory_at(p, address))
        add(p->memory, (cuda_allocation){.address = (uintptr_t)address,
                                         .bytes = bytes,
                                         .kind = CUDA_MEMORY_VARIABLE});
}

void cuda_memory_remove_variable(cuda_process *p, const void *address) {
    cuda_allocation *a = cuda_memory_at(p, address);
    if (a && a->kind == CUDA_MEMORY_VARIABLE)
        remove_at(p->memory, (size_t)(a - p->memory->live.data));
}

cuda_error cuda_memory_hint(cuda_process *p, const void *address, size_t bytes, bool elsewhere) {
    const cuda_allocation *a = cuda_memory_at(p, address);
    if (elsewhere)
        return CUDA_INVALID_DEVICE;
    bool inside = a && bytes && bytes <= a->bytes - ((uintptr_t)address - a->address);
    bool managed = a && (a->kind == CUDA_MEMORY_MANAGED || a->kind == CUDA_MEMORY_VARIABLE);
    return inside && managed ? CUDA_SUCCESS : CUDA_INVALID_VALUE;
}

uint64_t cuda_memory_left(const cuda_process *p) {
    uint64_t left = p->device.memory - p->memory->used, here = hd_memory_free();
    return here < left ? here : left;
}

void cuda_memory_reset(cuda_process *p) {
    cuda_memory *m = p->memory;
    for (size_t i = m->live.count; i--;) {
        cuda_allocation a = m->live.data[i];
        const hd_watched_memory gone = watched(&a);
        hd_watch_memory(p->watch, &gone);
        if (a.kind == CUDA_MEMORY_REGISTERED)
            hd_ptx_remove(p->machine, (void *)a.address);
        else if (a.kind != CUDA_MEMORY_VARIABLE)
            hd_ptx_free(p->machine, (void *)a.address);
        remove_at(m, i);
    }
    m->default_pool = m->graph_pool = (cuda_pool){0};
    m->current_pool = &m->default_pool;
}
