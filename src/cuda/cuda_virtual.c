#include "cuda/cuda_virtual.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* Ranges are reserved from here on, so that two runs of a program see the same addresses. */
#define FIRST_ADDRESS ((uintptr_t)0x400000000000)

/* ---- reservations ------------------------------------------------------------------------------- */

/* The one that all of a range is in; NULL: there is none. */
static cuda_reservation *reservation_of(const cuda_process *p, uintptr_t address, size_t bytes) {
    const cuda_memory *m = p->memory;
    for (size_t i = 0; i < m->reserved.count; i++) {
        cuda_reservation *r = m->reserved.data[i];
        if (address - r->address < r->bytes && bytes <= r->bytes - (address - r->address))
            return r;
    }
    return NULL;
}

static void *map_nothing(uintptr_t address, size_t bytes, int flags) {
    void *want = (void *)address; /* NOLINT: addresses are numbers here */
    void *got =
        mmap(want, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
    return got == MAP_FAILED ? NULL : got;
}

/* Addresses that nobody has, those of the hint where they are free. */
static uintptr_t find_addresses(const cuda_process *p, size_t bytes, size_t align, uintptr_t hint) {
    uintptr_t next = FIRST_ADDRESS;
    for (size_t i = 0; i < p->memory->reserved.count; i++) {
        const cuda_reservation *r = p->memory->reserved.data[i];
        if (r->address + r->bytes + CUDA_GRANULE > next)
            next = r->address + r->bytes + CUDA_GRANULE;
    }
    const uintptr_t wanted[] = {hint % align ? 0 : hint, (uintptr_t)hd_align_up(next, align)};
    for (int i = 0; i < 2; i++) {
        void *got = wanted[i] ? map_nothing(wanted[i], bytes, MAP_FIXED_NOREPLACE) : NULL;
        if (got == (void *)wanted[i] && got) /* NOLINT: the same */
            return wanted[i];
        if (got)
            munmap(got, bytes);
    }
    char *got = bytes + align > bytes ? map_nothing(0, bytes + align, 0) : NULL;
    if (!got)
        return 0;
    uintptr_t begin = (uintptr_t)hd_align_up((uintptr_t)got, align);
    size_t before = begin - (uintptr_t)got;
    if (before)
        munmap(got, before);
    if (align > before)
        munmap(got + before + bytes, align - before);
    return begin;
}

/* What kernels may touch of it, runs of mappings that stand side by side, and what they may not. */
static cuda_error show(cuda_process *p, const cuda_reservation *r) {
    cuda_memory_hide(p, r->address, r->bytes);
    const cuda_allocation one = {.number = r->number, .made = r->made};
    uintptr_t at = r->address, end = r->address + r->bytes;
    cuda_error error = CUDA_SUCCESS;
    for (size_t i = 0; i <= r->count && !error; i++) {
        uintptr_t next = i < r->count ? r->mappings[i].address : end;
        if (next > at)
            error = cuda_memory_show(p, one, at, next - at, CUDA_MEMORY_RESERVED);
        if (i == r->count || error)
            break;
        bool is_open = r->mappings[i].is_open;
        at = next;
        for (;; i++) {
            next = r->mappings[i].address + r->mappings[i].bytes;
            const cuda_mapping *other = i + 1 < r->count ? &r->mappings[i + 1] : NULL;
            if (!other || other->address != next || other->is_open != is_open)
                break;
        }
        error = cuda_memory_show(p, one, at, next - at,
                                 is_open ? CUDA_MEMORY_MAPPED : CUDA_MEMORY_CLOSED);
        at = next;
    }
    return error;
}

cuda_error cuda_virtual_reserve(cuda_process *p, size_t bytes, size_t align, void *hint,
                                void **address) {
    align = align < CUDA_GRANULE ? CUDA_GRANULE : align;
    uintptr_t found = find_addresses(p, bytes, align, (uintptr_t)hint);
    if (!found)
        return CUDA_OUT_OF_MEMORY;
    cuda_reservation *r = hd_zeroed(1, sizeof *r);
    *r = (cuda_reservation){.address = found, .bytes = bytes};
    cuda_memory_number(p, &r->number, &r->made);
    hd_push(p->arena, &p->memory->reserved, r);
    *address = (void *)found; /* NOLINT: the program's addresses */
    return show(p, r);
}

cuda_error cuda_virtual_unreserve(cuda_process *p, void *address, size_t bytes) {
    cuda_memory *m = p->memory;
    cuda_reservation *r = reservation_of(p, (uintptr_t)address, bytes);
    if (!r || r->address != (uintptr_t)address || r->bytes != bytes || r->count)
        return CUDA_INVALID_VALUE;
    cuda_memory_hide(p, r->address, r->bytes);
    munmap(address, bytes);
    for (size_t i = 0; i < m->reserved.count; i++)
        if (m->reserved.data[i] == r)
            m->reserved.data[i] = m->reserved.data[--m->reserved.count];
    free(r->mappings);
    free(r);
    return CUDA_SUCCESS;
}

/* ---- memory ------------------------------------------------------------------------------------- */

cuda_error cuda_virtual_make(cuda_process *p, size_t bytes, const void *properties,
                             cuda_physical **result) {
    if (bytes > cuda_memory_left(p))
        return CUDA_OUT_OF_MEMORY;
    int file = memfd_create("heddle device memory", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, (off_t)bytes)) {
        if (file >= 0)
            close(file);
        return CUDA_OUT_OF_MEMORY;
    }
    cuda_physical *made = cuda_handle_new(p, CUDA_PHYSICAL, sizeof *made);
    *made = (cuda_physical){.bytes = bytes, .file = file, .uses = 1};
    memcpy(made->properties, properties, sizeof made->properties);
    cuda_memory_use(p, (int64_t)bytes);
    *result = made;
    return CUDA_SUCCESS;
}

static void end_unused(cuda_process *p, cuda_physical *memory) {
    if (memory->uses || memory->mappings)
        return;
    close(memory->file);
    cuda_memory_use(p, -(int64_t)memory->bytes);
    cuda_handle_free(p, memory);
}

void cuda_virtual_release(cuda_process *p, cuda_physical *memory) {
    memory->uses--;
    end_unused(p, memory);
}

/* ---- mappings ----------------------------------------------------------------------------------- */

/* The first mapping that ends behind the address. */
static size_t mapping_from(const cuda_reservation *r, uintptr_t address) {
    size_t i = 0;
    while (i < r->count && r->mappings[i].address + r->mappings[i].bytes <= address)
        i++;
    return i;
}

const cuda_mapping *cuda_virtual_at(const cuda_process *p, const void *address) {
    const cuda_reservation *r = reservation_of(p, (uintptr_t)address, 1);
    size_t i = r ? mapping_from(r, (uintptr_t)address) : 0;
    return r && i < r->count && r->mappings[i].address <= (uintptr_t)address ? &r->mappings[i]
                                                                             : NULL;
}

/* Whole mappings, side by side, from *first to before *end. */
static cuda_reservation *whole_mappings(const cuda_process *p, uintptr_t address, size_t bytes,
                                        size_t *first, size_t *end) {
    cuda_reservation *r = bytes ? reservation_of(p, address, bytes) : NULL;
    if (!r)
        return NULL;
    *first = mapping_from(r, address);
    uintptr_t at = address;
    for (*end = *first; *end < r->count && at < address + bytes; ++*end) {
        if (r->mappings[*end].address != at)
            return NULL;
        at += r->mappings[*end].bytes;
    }
    return at == address + bytes ? r : NULL;
}

cuda_error cuda_virtual_map(cuda_process *p, void *address, size_t bytes, size_t offset,
                            cuda_physical *memory) {
    uintptr_t at = (uintptr_t)address;
    cuda_reservation *r = reservation_of(p, at, bytes);
    if (!r || offset > memory->bytes || bytes > memory->bytes - offset)
        return CUDA_INVALID_VALUE;
    size_t i = mapping_from(r, at);
    if (i < r->count && r->mappings[i].address < at + bytes)
        return CUDA_INVALID_VALUE; /* something is mapped there */
    if (mmap(address, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, memory->file,
             (off_t)offset) == MAP_FAILED)
        return CUDA_OUT_OF_MEMORY;
    if (r->count == r->room) {
        r->room = r->room ? 2 * r->room : 8;
        r->mappings = hd_checked(realloc(r->mappings, r->room * sizeof *r->mappings));
    }
    memmove(&r->mappings[i + 1], &r->mappings[i], (r->count - i) * sizeof *r->mappings);
    r->mappings[i] = (cuda_mapping){at, bytes, memory, false};
    r->count++;
    memory->mappings++;
    return show(p, r);
}

cuda_error cuda_virtual_unmap(cuda_process *p, void *address, size_t bytes) {
    size_t first, end;
    cuda_reservation *r = whole_mappings(p, (uintptr_t)address, bytes, &first, &end);
    if (!r)
        return CUDA_INVALID_VALUE;
    const cuda_allocation whole = {(uintptr_t)address, bytes, CUDA_MEMORY_MAPPED, r->number,
                                   .made = r->made};
    cuda_memory_lost(p, whole);
    map_nothing((uintptr_t)address, bytes, MAP_FIXED);
    for (size_t i = first; i < end; i++) {
        r->mappings[i].of->mappings--;
        end_unused(p, r->mappings[i].of);
    }
    memmove(&r->mappings[first], &r->mappings[end], (r->count - end) * sizeof *r->mappings);
    r->count -= end - first;
    return show(p, r);
}

cuda_error cuda_virtual_open(cuda_process *p, void *address, size_t bytes, bool is_open) {
    size_t first, end;
    cuda_reservation *r = whole_mappings(p, (uintptr_t)address, bytes, &first, &end);
    if (!r)
        return CUDA_INVALID_VALUE;
    for (size_t i = first; i < end; i++)
        r->mappings[i].is_open = is_open;
    return show(p, r);
}

bool cuda_virtual_has_aliases(const cuda_process *p) {
    const cuda_memory *m = p->memory;
    for (size_t i = 0; i < m->reserved.count; i++) {
        const cuda_reservation *r = m->reserved.data[i];
        for (size_t k = 0; k < r->count; k++)
            if (r->mappings[k].of->mappings > 1)
                return true;
    }
    return false;
}
