/*
 * The heap that kernels allocate from: one region of the machine's memory, and a list of
 * the pieces that are in use, ascending. The search for room goes on where the last one
 * ended, so kernels that allocate much and free late find it at once.
 */
#include "machine/launch.h"

/* CUDA's, unless a program asks for another. */
enum { HEAP_BYTES = 8 << 20, HEAP_ALIGN = 16 };

typedef struct piece {
    uint64_t start, end; /* from the heap's beginning */
} piece;

struct vm_heap {
    hd_arena *arena;
    uint64_t base;
    hd_vec(piece) pieces;
    size_t next; /* the search begins behind the piece before this one */
};

hd_status vm_heap_open(hd_vm *vm, const hd_place *place) {
    vm_region region = {.name = "device heap", .space = KIR_GLOBAL, .bytes = HEAP_BYTES};
    if (vm->options.check_uninitialised)
        region.written = vm_own_memory(vm, HEAP_BYTES / 8);
    const vm_region *placed = NULL;
    if (!vm->options.check_uninitialised || region.written)
        placed = vm_add_region(vm, region);
    if (!placed)
        return vm_no_memory(vm, place, "the heap of kernels", HEAP_BYTES);
    vm->heap = hd_new(vm->arena, struct vm_heap);
    vm->heap->arena = vm->arena;
    vm->heap->base = placed->base;
    return HD_OK;
}

uint64_t vm_heap_take(struct vm_heap *h, uint64_t bytes) {
    if (!bytes || bytes > HEAP_BYTES)
        return 0;
    bytes = hd_align_up(bytes, HEAP_ALIGN);
    for (size_t tried = 0; tried <= h->pieces.count; tried++) {
        size_t i = (h->next + tried) % (h->pieces.count + 1);
        uint64_t start = i ? h->pieces.data[i - 1].end : 0;
        uint64_t end = i < h->pieces.count ? h->pieces.data[i].start : HEAP_BYTES;
        if (end - start < bytes)
            continue;
        hd_push(h->arena, &h->pieces, (piece){0, 0});
        memmove(h->pieces.data + i + 1, h->pieces.data + i,
                (h->pieces.count - 1 - i) * sizeof *h->pieces.data);
        h->pieces.data[i] = (piece){start, start + bytes};
        h->next = i + 1;
        return h->base + start;
    }
    return 0;
}

bool vm_heap_give(struct vm_heap *h, uint64_t address) {
    size_t low = 0, high = h->pieces.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (h->base + h->pieces.data[middle].start < address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == h->pieces.count || h->base + h->pieces.data[low].start != address)
        return false;
    h->pieces.count--;
    memmove(h->pieces.data + low, h->pieces.data + low + 1,
            (h->pieces.count - low) * sizeof *h->pieces.data);
    h->next = h->next > h->pieces.count ? h->pieces.count : h->next;
    return true;
}
