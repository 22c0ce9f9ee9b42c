#include "cuda/cuda_memory.h"

#include <stdlib.h>

enum { GONE_MOST = 65536 }; /* freed allocations that are remembered */

static const char *const interfaces[] = {"libcudart.so", "libcuda.so", NULL};

cuda_memory *cuda_memory_new(cuda_process *p) {
    cuda_memory *m = hd_new(p->arena, cuda_memory);
    m->arena = p->arena;
    m->default_pool = cuda_pool_of(0);
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

static bool is_of_device(cuda_memory_kind kind) {
    return kind == CUDA_MEMORY_DEVICE || kind == CUDA_MEMORY_MANAGED || kind == CUDA_MEMORY_ARRAY;
}

static hd_watched_memory watched(const cuda_allocation *a) {
    static const char *const kinds[] = {
        [CUDA_MEMORY_DEVICE] = "device memory",
        [CUDA_MEMORY_MANAGED] = "managed memory",
        [CUDA_MEMORY_PINNED] = "pinned host memory",
        [CUDA_MEMORY_REGISTERED] = "registered host memory",
        [CUDA_MEMORY_VARIABLE] = "a variable",
        [CUDA_MEMORY_ARRAY] = "an array",
        [CUDA_MEMORY_OBJECT] = "a texture or surface object",
        [CUDA_MEMORY_MAPPED] = "mapped memory",
        [CUDA_MEMORY_CLOSED] = "mapped memory, which the device was "
                               "given no access to (cuMemSetAccess),",
        [CUDA_MEMORY_RESERVED] = "reserved addresses, where no memory "
                                 "is mapped (cuMemMap),"};
    return (hd_watched_memory){.address = a->address,
                               .bytes = a->bytes,
                               .number = a->number,
                               .kind = kinds[a->kind],
                               .is_of_device =
                                   is_of_device(a->kind) || a->kind == CUDA_MEMORY_MAPPED,
                               .is_of_program = a->kind < CUDA_MEMORY_CLOSED && !a->is_own &&
                                                a->kind != CUDA_MEMORY_VARIABLE,
                               .is_closed = a->kind >= CUDA_MEMORY_CLOSED,
                               .made = a->made,
                               .freed = a->freed};
}

bool cuda_memory_list(void *process, bool gone, size_t index, hd_watched_memory *memory) {
    const cuda_memory *m = ((cuda_process *)process)->memory;
    size_t live = m->live.count;
    if (index >= (gone ? m->gone.count : live + m->closed.count))
        return false;
    *memory = watched(gone           ? &m->gone.data[index]
                      : index < live ? &m->live.data[index]
                                     : &m->closed.data[index - live]);
    return true;
}

uint64_t cuda_memory_most(void *process) { return ((cuda_process *)process)->memory->most_used; }

static void insert(cuda_memory *m, cuda_allocation a) {
    size_t at = after(m, a.address);
    hd_push(m->arena, &m->live, a);
    memmove(&m->live.data[at + 1], &m->live.data[at],
            (m->live.count - 1 - at) * sizeof *m->live.data);
    m->live.data[at] = a;
}

static void take_out(cuda_memory *m, size_t at) {
    m->live.count--;
    memmove(&m->live.data[at], &m->live.data[at + 1], (m->live.count - at) * sizeof *m->live.data);
}

static void add(cuda_memory *m, cuda_allocation a) {
    a.number = ++m->made;
    hd_stack_take(&a.made, interfaces);
    insert(m, a);
    if (a.kind != CUDA_MEMORY_REGISTERED && (!m->highest || a.address < m->lowest))
        m->lowest = a.address;
    if (a.kind != CUDA_MEMORY_REGISTERED && a.address + a.bytes > m->highest)
        m->highest = a.address + a.bytes;
    if (is_of_device(a.kind))
        m->used += a.bytes;
    if (m->used > m->most_used)
        m->most_used = m->used;
}

static void remember(cuda_memory *m, cuda_allocation a) {
    if (m->gone.count == GONE_MOST) { /* the older half is forgotten */
        m->gone.count /= 2;
        memmove(m->gone.data, m->gone.data + GONE_MOST - m->gone.count,
                m->gone.count * sizeof *m->gone.data);
    }
    hd_push(m->arena, &m->gone, a);
}

static void remove_at(cuda_memory *m, size_t at) {
    cuda_allocation a = m->live.data[at];
    free(a.pages);
    a.pages = NULL;
    take_out(m, at);
    if (is_of_device(a.kind))
        m->used -= a.bytes;
    if (a.pool)
        a.pool->used -= a.bytes;
    hd_stack_take(&a.freed, interfaces);
    if (a.kind != CUDA_MEMORY_REGISTERED) /* else it is the host's own again */
        remember(m, a);
}

/* ---- allocating ----------------------------------------------------------------------------------- */

cuda_error cuda_memory_make(cuda_process *p, cuda_memory_kind kind, size_t bytes, void **address) {
    cuda_memory *m = p->memory;
    *address = NULL;
    if (!bytes)
        return CUDA_SUCCESS;
    if (is_of_device(kind) && (bytes > p->device.memory || m->used > p->device.memory - bytes))
        return CUDA_OUT_OF_MEMORY;
    void *made = hd_ptx_alloc(p->machine, bytes, 256);
    if (!made)
        return CUDA_OUT_OF_MEMORY;
    if (kind != CUDA_MEMORY_DEVICE &&
        kind != CUDA_MEMORY_ARRAY) /* the host writes there, and nobody sees it */
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

/* ---- parts of reserved addresses ------------------------------------------------------------------ */

void cuda_memory_number(cuda_process *p, uint64_t *number, hd_stack *made) {
    *number = ++p->memory->made;
    hd_stack_take(made, interfaces);
}

void cuda_memory_use(cuda_process *p, int64_t bytes) {
    cuda_memory *m = p->memory;
    m->used += (uint64_t)bytes;
    if (m->used > m->most_used)
        m->most_used = m->used;
}

cuda_error cuda_memory_show(cuda_process *p, cuda_allocation of, uintptr_t address, size_t bytes,
                            cuda_memory_kind kind) {
    cuda_memory *m = p->memory;
    of.address = address;
    of.bytes = bytes;
    of.kind = kind;
    if (kind != CUDA_MEMORY_MAPPED) {
        hd_push(m->arena, &m->closed, of);
        return CUDA_SUCCESS;
    }
    void *at = (void *)address; /* NOLINT: the program's memory */
    const char *name = hd_format(m->arena, "allocation %llu", (unsigned long long)of.number);
    if (hd_ptx_place(p->machine, name, at, bytes))
        return CUDA_OUT_OF_MEMORY;
    insert(m, of);
    if (!m->highest || address < m->lowest)
        m->lowest = address;
    if (address + bytes > m->highest)
        m->highest = address + bytes;
    return CUDA_SUCCESS;
}

void cuda_memory_hide(cuda_process *p, uintptr_t address, size_t bytes) {
    cuda_memory *m = p->memory;
    for (size_t i = m->live.count; i--;)
        if (m->live.data[i].address - address < bytes) {
            void *at = (void *)m->live.data[i].address; /* NOLINT: the program's memory */
            hd_ptx_remove(p->machine, at);
            take_out(m, i);
        }
    for (size_t i = m->closed.count; i--;)
        if (m->closed.data[i].address - address < bytes)
            m->closed.data[i] = m->closed.data[--m->closed.count];
}

void cuda_memory_lost(cuda_process *p, cuda_allocation gone) {
    const hd_watched_memory w = watched(&gone);
    hd_watch_memory(p->watch, &w);
    hd_stack_take(&gone.freed, interfaces);
    remember(p->memory, gone);
}

bool cuda_memory_is_closed(const cuda_process *p, const void *address) {
    for (size_t i = 0; i < p->memory->closed.count; i++)
        if (holds(&p->memory->closed.data[i], (uintptr_t)address))
            return true;
    return false;
}

/* ---- hints ---------------------------------------------------------------------------------------- */

/* Pages from the first of a range to behind its last. */
typedef struct pages {
    cuda_page *at;
    size_t count;
} pages;

cuda_error cuda_memory_hint(cuda_process *p, const void *address, size_t bytes, bool elsewhere) {
    const cuda_allocation *a = cuda_memory_at(p, address);
    if (elsewhere)
        return CUDA_INVALID_DEVICE;
    bool inside = a && bytes && bytes <= a->bytes - ((uintptr_t)address - a->address);
    bool managed = a && (a->kind == CUDA_MEMORY_MANAGED || a->kind == CUDA_MEMORY_VARIABLE);
    return inside && managed ? CUDA_SUCCESS : CUDA_INVALID_VALUE;
}

/* Of a range that was checked. */
static pages pages_of(cuda_process *p, const void *address, size_t bytes) {
    cuda_allocation *a = cuda_memory_at(p, address);
    if (!a->pages)
        a->pages = hd_zeroed(a->bytes / CUDA_PAGE + 2, sizeof *a->pages);
    size_t before = a->address % CUDA_PAGE, offset = (uintptr_t)address - a->address;
    size_t first = (before + offset) / CUDA_PAGE;
    return (pages){a->pages + first, (before + offset + bytes - 1) / CUDA_PAGE - first + 1};
}

/* Where a hint wants memory to be; any node of the host is fine. */
static cuda_error check_hint(cuda_process *p, const void *address, size_t bytes,
                             const cuda_location *location) {
    if (location->kind < CUDA_ON_DEVICE || location->kind > CUDA_ON_NODE)
        return CUDA_INVALID_VALUE;
    return cuda_memory_hint(p, address, bytes, location->kind == CUDA_ON_DEVICE && location->id);
}

cuda_error cuda_memory_advise(cuda_process *p, const void *address, size_t bytes, int advice,
                              cuda_location location) {
    enum { MOSTLY = 1, NOT_MOSTLY, PREFERRED, NOT_PREFERRED, ACCESSED, NOT_ACCESSED };
    if (advice < MOSTLY || advice > NOT_ACCESSED)
        return CUDA_INVALID_VALUE;
    bool is_placed = advice == PREFERRED || advice >= ACCESSED;
    cuda_error error = is_placed ? check_hint(p, address, bytes, &location)
                                 : cuda_memory_hint(p, address, bytes, false);
    if (error)
        return error;
    const pages range = pages_of(p, address, bytes);
    for (cuda_page *page = range.at; page < range.at + range.count; page++) {
        bool *accessed = location.kind == CUDA_ON_DEVICE ? &page->by_device : &page->by_host;
        switch (advice) {
        case PREFERRED: page->preferred = location; break;
        case NOT_PREFERRED: page->preferred = (cuda_location){0}; break;
        case ACCESSED:
        case NOT_ACCESSED: *accessed = advice == ACCESSED; break;
        default: page->read_mostly = advice == MOSTLY; break;
        }
    }
    return CUDA_SUCCESS;
}

cuda_error cuda_memory_prefetch(cuda_process *p, const void *address, size_t bytes,
                                cuda_location location) {
    cuda_error error = check_hint(p, address, bytes, &location);
    if (error)
        return error;
    const pages range = pages_of(p, address, bytes);
    for (cuda_page *page = range.at; page < range.at + range.count; page++)
        page->prefetched = location;
    return CUDA_SUCCESS;
}

/* Where all pages are to be, or were brought; nowhere: they differ. */
static cuda_location common_location(const pages *range, bool prefetched) {
    cuda_location first = prefetched ? range->at->prefetched : range->at->preferred;
    for (size_t i = 1; i < range->count; i++) {
        const cuda_page *page = &range->at[i];
        const cuda_location other = prefetched ? page->prefetched : page->preferred;
        if (other.kind != first.kind || other.id != first.id)
            return (cuda_location){0};
    }
    return first;
}

cuda_error cuda_memory_range(cuda_process *p, const void *address, size_t bytes, int attribute,
                             int32_t *numbers, size_t count) {
    enum { MOSTLY = 1, PREFERRED, ACCESSED, FETCHED, PREFERRED_KIND, PREFERRED_ID, FETCHED_KIND };
    enum { FETCHED_ID = 8, HOST = -1, NO_DEVICE = -2 };
    if (!count || attribute < MOSTLY || attribute > FETCHED_ID ||
        (attribute != ACCESSED && count != 1) || cuda_memory_hint(p, address, bytes, false))
        return CUDA_INVALID_VALUE;
    const pages range = pages_of(p, address, bytes);
    bool mostly = true, by_device = true, by_host = true;
    for (size_t i = 0; i < range.count; i++) {
        mostly &= range.at[i].read_mostly;
        by_device &= range.at[i].by_device;
        by_host &= range.at[i].by_host;
    }
    bool fetched = attribute == FETCHED || attribute == FETCHED_KIND || attribute == FETCHED_ID;
    const cuda_location at = common_location(&range, fetched);
    switch (attribute) {
    case MOSTLY: *numbers = mostly; break;
    case ACCESSED:
        for (size_t i = 0; i < count; i++)
            numbers[i] = NO_DEVICE;
        if (by_device)
            *numbers++ = 0;
        if (by_host && count > by_device)
            *numbers = HOST;
        break;
    case PREFERRED:
    case FETCHED:
        *numbers = at.kind == CUDA_ON_DEVICE ? at.id : at.kind == CUDA_NOWHERE ? NO_DEVICE : HOST;
        break;
    case PREFERRED_KIND:
    case FETCHED_KIND: *numbers = at.kind; break;
    default: *numbers = at.id; break;
    }
    return CUDA_SUCCESS;
}

/* ---- all ------------------------------------------------------------------------------------------ */

uint64_t cuda_memory_left(const cuda_process *p) {
    uint64_t left = p->device.memory - p->memory->used, here = hd_memory_free();
    return here < left ? here : left;
}

void cuda_memory_reset(cuda_process *p) {
    cuda_memory *m = p->memory;
    for (size_t i = m->live.count; i--;) {
        cuda_allocation a = m->live.data[i];
        if (a.kind == CUDA_MEMORY_MAPPED) /* of no context */
            continue;
        const hd_watched_memory gone = watched(&a);
        hd_watch_memory(p->watch, &gone);
        if (a.kind == CUDA_MEMORY_REGISTERED)
            hd_ptx_remove(p->machine, (void *)a.address);
        else if (a.kind != CUDA_MEMORY_VARIABLE)
            hd_ptx_free(p->machine, (void *)a.address);
        remove_at(m, i);
    }
    m->default_pool = cuda_pool_of(0);
    m->graph_pool = (cuda_pool){0};
    m->current_pool = &m->default_pool;
}
