/*
 * Global and constant memory: what stands where, what stood there, and what the process has
 * besides.
 *
 * Addresses are handed out in ascending order and taken again only when they have come to an end,
 * so that memory which is gone is long not mistaken for what is there.
 */
#include "machine/space.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "machine/launch.h"

/* Addresses that are handed out lie below this. */
#define END_OF_SPACE ((uint64_t)0x500000000000)
/* From private to local memory the machine has its own. */
#define END_OF_LOCAL (VM_LOCAL_BASE + VM_LOCAL_BLOCKS * VM_LOCAL_STEP)

/* ---- the list ------------------------------------------------------------------------------ */

void vm_space_init(vm_space *space, bool any_memory) {
    *space = (vm_space){.next = VM_GLOBAL_BASE, .any_memory = any_memory};
    pthread_mutex_init(&space->lock, NULL);
}

/* The number of regions that begin at or below the address. */
static uint32_t rank_of(const vm_region *regions, uint32_t count, uint64_t address) {
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (regions[middle].base <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static vm_region *insert(vm_space *space, const vm_region *region) {
    if (space->count == space->capacity) {
        space->capacity = space->capacity ? 2 * space->capacity : 16;
        space->regions =
            hd_checked(realloc(space->regions, space->capacity * sizeof *space->regions));
    }
    uint32_t at = rank_of(space->regions, space->count, region->base);
    memmove(&space->regions[at + 1], &space->regions[at],
            (space->count - at) * sizeof *space->regions);
    space->regions[at] = *region;
    space->count++;
    return &space->regions[at];
}

const vm_region *vm_space_add(vm_space *space, vm_region region) {
    region.base = space->next;
    space->next = hd_align_up(region.base + region.bytes, VM_PAGE) + VM_PAGE;
    return insert(space, &region);
}

vm_region *vm_space_at(const vm_space *space, uint64_t address) {
    uint32_t rank = rank_of(space->regions, space->count, address);
    vm_region *g = rank ? &space->regions[rank - 1] : NULL;
    return g && address - g->base < g->bytes ? g : NULL;
}

const vm_region *vm_space_gone(const vm_space *space, uint64_t address) {
    uint64_t kept = space->gone_count < VM_GONE ? space->gone_count : VM_GONE;
    for (uint64_t i = 1; i <= kept; i++) {
        const vm_region *g = &space->gone[(space->gone_count - i) % VM_GONE];
        if (address - g->base < g->bytes)
            return g;
    }
    return NULL;
}

static void free_live(vm_region *g) {
    free(g->written);
    free((char *)g->name);
    if (g->is_mapped)
        munmap(g->host, hd_align_up(g->bytes ? g->bytes : 1, VM_PAGE));
}

void vm_space_free(vm_space *space) {
    vm_space_forget_maps(space);
    for (uint32_t i = 0; i < space->count; i++)
        if (space->regions[i].is_live)
            free_live(&space->regions[i]);
    for (uint64_t i = 0; i < space->gone_count && i < VM_GONE; i++)
        free((char *)space->gone[i].name);
    free(space->regions);
    pthread_mutex_destroy(&space->lock);
}

/* ---- memory that comes and goes ------------------------------------------------------------ */

static bool overlaps(uint64_t base, uint64_t bytes, uint64_t from, uint64_t to) {
    return base < to && base + bytes > from;
}

/* What is in the way of new memory, or NULL. */
static const vm_region *in_the_way(const vm_space *space, uint64_t base, uint64_t bytes) {
    uint32_t rank = rank_of(space->regions, space->count, base + bytes - 1);
    const vm_region *g = rank ? &space->regions[rank - 1] : NULL;
    return g && overlaps(base, bytes, g->base, g->base + g->bytes) ? g : NULL;
}

hd_status vm_space_check(const hd_vm *vm, const hd_buffer *b, uint64_t bytes) {
    unsigned long long at = b->at, many = bytes;
    if (b->at + bytes < b->at || overlaps(b->at, bytes, VM_PRIVATE_BASE, END_OF_LOCAL))
        return hd_fail(vm->diag, HD_EINPUT, &b->place,
                       "buffer '%s', %llu bytes at 0x%llx, lies where the machine has private and "
                       "local memory, or beyond all; choose another 'at'",
                       b->name, many, at);
    const vm_region *other = in_the_way(&vm->space, b->at, bytes);
    if (other)
        return hd_fail(vm->diag, HD_EINPUT, &b->place,
                       "buffer '%s', %llu bytes at 0x%llx, overlaps '%s', %llu bytes at 0x%llx",
                       b->name, many, at, other->name, (unsigned long long)other->bytes,
                       (unsigned long long)other->base);
    return HD_OK;
}

const vm_region *vm_space_add_at(vm_space *space, vm_region region) {
    uint64_t end = hd_align_up(region.base + region.bytes, VM_PAGE) + VM_PAGE;
    if (end < END_OF_SPACE && end > space->next)
        space->next = end;
    return insert(space, &region);
}

/* A region for `memory`; its bits of what is written come with it. */
static vm_region live_region(const hd_vm *vm, const hd_vm_memory *memory, bool is_mapped) {
    vm_region region = {.name = hd_checked(strdup(memory->name)),
                        .space =
                            memory->read_only || memory->is_constant ? KIR_CONSTANT : KIR_GLOBAL,
                        .base = (uint64_t)(uintptr_t)memory->address,
                        .bytes = memory->bytes,
                        .host = memory->address,
                        .read_only = memory->read_only,
                        .is_live = true,
                        .is_mapped = is_mapped,
                        .owner = memory->owner};
    if (vm->options.check_uninitialised && !memory->is_written)
        region.written = hd_zeroed(memory->bytes / 8 + 1, 1);
    return region;
}

hd_status hd_vm_add_memory(hd_vm *vm, const hd_vm_memory *memory) {
    uint64_t base = (uint64_t)(uintptr_t)memory->address, bytes = memory->bytes;
    uint64_t last = base + bytes - 1;
    unsigned long long at = base, many = bytes;
    if (!bytes || last < base)
        return hd_fail(vm->diag, HD_EINPUT, NULL,
                       "'%s' has %llu bytes at 0x%llx; memory has at least one byte, and ends at "
                       "the last address",
                       memory->name, many, at);
    if (base < VM_PAGE || overlaps(base, bytes, VM_PRIVATE_BASE, END_OF_LOCAL))
        return hd_fail(vm->diag, HD_EINPUT, NULL,
                       "'%s', %llu bytes at 0x%llx, lies where the machine has private and local "
                       "memory, or at null; use other memory",
                       memory->name, many, at);
    const vm_region *other = in_the_way(&vm->space, base, bytes);
    if (other)
        return hd_fail(vm->diag, HD_EINPUT, NULL,
                       "'%s', %llu bytes at 0x%llx, overlaps '%s', %llu bytes at 0x%llx; remove "
                       "that first",
                       memory->name, many, at, other->name, (unsigned long long)other->bytes,
                       (unsigned long long)other->base);
    vm_region region = live_region(vm, memory, false);
    insert(&vm->space, &region);
    return HD_OK;
}

/* The first address from the beginning that has so many free bytes behind it. */
static uint64_t first_hole(const vm_space *space, uint64_t bytes, uint64_t align) {
    uint64_t at = VM_GLOBAL_BASE;
    for (uint32_t i = rank_of(space->regions, space->count, at); i < space->count; i++) {
        const vm_region *g = &space->regions[i];
        if (g->base >= at + bytes)
            break;
        at = hd_align_up(hd_align_up(g->base + g->bytes, VM_PAGE) + VM_PAGE, align);
    }
    return at;
}

enum { HUGE_FROM = 1 << 22 }; /* bytes for which large pages are asked for */

/* Maps so many bytes, at space->next where that is free. Where the process has something else, a
 * sanitizer's shadow for one, it goes on in steps that double. */
static void *map_next(vm_space *space, uint64_t bytes, uint64_t align) {
    uint64_t step = (uint64_t)1 << 30;
    bool again = false; /* from the beginning */
    for (uint64_t at = hd_align_up(space->next, align);;) {
        if (at > END_OF_SPACE || bytes > END_OF_SPACE - at) {
            if (again)
                return NULL;
            again = true;
            at = first_hole(space, bytes, align);
            continue;
        }
        void *want = (void *)(uintptr_t)at; /* NOLINT: addresses are numbers here */
        void *got = mmap(want, bytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
        if (got == want) {
            if (bytes >= HUGE_FROM) /* the rows of a tile are in a page each */
                madvise(got, bytes, MADV_HUGEPAGE);
            space->next = at + bytes + VM_PAGE;
            return got;
        }
        if (got != MAP_FAILED) /* a kernel that does not know the flag takes it for a wish */
            munmap(got, bytes);
        else if (errno != EEXIST && errno != EPERM)
            return NULL;
        at += step;
        step *= 2;
    }
}

hd_status hd_vm_allocate(hd_vm *vm, uint64_t align, hd_vm_memory *memory) {
    enum { LARGE = 1 << 26 }; /* from here on it is worth to ask what there is */
    uint64_t bytes = hd_align_up(memory->bytes ? memory->bytes : 1, VM_PAGE);
    if (bytes < memory->bytes || bytes > END_OF_SPACE ||
        (bytes >= LARGE && bytes > hd_memory_free()))
        return HD_ESYSTEM;
    memory->address = map_next(&vm->space, bytes, align > VM_PAGE ? align : VM_PAGE);
    if (!memory->address)
        return HD_ESYSTEM;
    vm_region region = live_region(vm, memory, true);
    insert(&vm->space, &region);
    return HD_OK;
}

bool hd_vm_remove_memory(hd_vm *vm, const void *owner, const void *address) {
    vm_space *space = &vm->space;
    uint64_t base = (uint64_t)(uintptr_t)address;
    uint32_t rank = rank_of(space->regions, space->count, base);
    vm_region *g = rank ? &space->regions[rank - 1] : NULL;
    if (!g || g->base != base || !g->is_live || g->owner != owner)
        return false;
    vm_region *last = &space->gone[space->gone_count++ % VM_GONE];
    free((char *)last->name);
    *last = (vm_region){.name = g->name, .base = g->base, .bytes = g->bytes};
    g->name = NULL;
    free_live(g);
    space->count--;
    memmove(g, g + 1, (space->count - (rank - 1)) * sizeof *g);
    return true;
}

void hd_vm_mark_written(hd_vm *vm, const void *address, uint64_t bytes) {
    uint64_t at = (uint64_t)(uintptr_t)address;
    vm_region *g = vm_space_at(&vm->space, at);
    if (!g || !g->written)
        return;
    uint64_t first = at - g->base, end = bytes < g->bytes - first ? first + bytes : g->bytes;
    for (; first < end && first % 8; first++)
        g->written[first / 8] |= (uint8_t)(1u << first % 8);
    memset(g->written + first / 8, 0xff, (end - first) / 8 * (first < end));
    for (first += (end - first) / 8 * 8; first < end; first++)
        g->written[first / 8] |= (uint8_t)(1u << first % 8);
}

/* ---- what the process has ------------------------------------------------------------------- */

void vm_space_forget_maps(vm_space *space) {
    for (vm_maps *m = space->maps, *older; m; m = older) {
        older = m->older;
        free(m->text);
        free(m->regions);
        free(m);
    }
    space->maps = NULL;
}

/* The text of the table of mappings, or NULL where there is none. */
static char *read_maps(void) {
    size_t capacity = 1 << 16, length = 0;
    char *text = hd_checked(malloc(capacity));
    int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    ssize_t got = -1;
    while (fd >= 0 && (got = read(fd, text + length, capacity - length - 1)) > 0) {
        length += (size_t)got;
        if (capacity - length < 4096)
            text = hd_checked(realloc(text, capacity *= 2));
    }
    if (fd >= 0)
        close(fd);
    text[length] = '\0';
    if (got == 0)
        return text;
    free(text);
    return NULL;
}

/* One line: "begin-end rwxp offset device inode   name". False: nothing that may be read. */
static bool read_mapping(char *line, vm_region *region) {
    char *at, *name = line + strlen(line);
    uint64_t begin = strtoull(line, &at, 16), end = strtoull(at + 1, &at, 16);
    const char *rights = at + 1;
    at = strpbrk(rights, "/[");
    name = at ? at : name;
    *region = (vm_region){.name = *name ? name : "memory of the process",
                          .space = KIR_GLOBAL,
                          .base = begin,
                          .bytes = end - begin,
                          .host = (uint8_t *)(uintptr_t)begin,
                          .read_only = rights[1] != 'w'};
    /* Pages of the kernel's that may be mapped and yet not be touched. */
    return rights[0] == 'r' && strncmp(name, "[vvar", 5) && strncmp(name, "[vsyscall", 9);
}

/* Neighbours with the same rights become one region, since arrays may lie across them. */
static void parse_maps(vm_maps *m) {
    uint32_t lines = 0;
    for (const char *c = m->text; *c; c++)
        lines += *c == '\n';
    m->regions = hd_zeroed(lines, sizeof *m->regions);
    for (char *line = m->text, *end; (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        vm_region region, *last = m->count ? &m->regions[m->count - 1] : NULL;
        if (!read_mapping(line, &region))
            continue;
        if (last && last->base + last->bytes == region.base && last->read_only == region.read_only)
            last->bytes += region.bytes;
        else
            m->regions[m->count++] = region;
    }
}

vm_maps *vm_space_maps(vm_space *space, const vm_maps *seen) {
    pthread_mutex_lock(&space->lock);
    if (space->maps == seen) {
        vm_maps *m = hd_zeroed(1, sizeof *m);
        m->text = read_maps();
        if (m->text)
            parse_maps(m);
        m->older = space->maps;
        space->maps = m;
    }
    vm_maps *latest = space->maps;
    pthread_mutex_unlock(&space->lock);
    return latest;
}

/* ---- a block's view -------------------------------------------------------------------------- */

static const vm_region *find_among(const vm_region *regions, uint32_t count, uint64_t address,
                                   uint64_t width) {
    uint32_t rank = rank_of(regions, count, address);
    return rank && vm_holds(&regions[rank - 1], address, width) ? &regions[rank - 1] : NULL;
}

static const vm_region *find_in_process(vm_run *r, uint64_t address, uint64_t width) {
    uint32_t rank = rank_of(r->space->regions, r->space->count, address);
    const vm_region *before = rank ? &r->space->regions[rank - 1] : NULL;
    /* The rest of an allocation's last page is mapped, and yet nobody's. */
    if (address < VM_PAGE || (before && before->is_mapped &&
                              address - before->base < hd_align_up(before->bytes, VM_PAGE)))
        return NULL;
    const vm_region *g = NULL;
    for (int newer = 0; newer < 2 && !g; newer++) {
        if (newer || !r->maps)
            r->maps = vm_space_maps(r->space, r->maps);
        g = find_among(r->maps->regions, r->maps->count, address, width);
    }
    return g;
}

/* In the local memory of another block of the cluster. */
static const vm_region *find_in_cluster(const vm_run *r, uint64_t address, uint64_t width) {
    const uint64_t first = r->local_base / VM_LOCAL_STEP - r->rank;
    const uint64_t rank = address / VM_LOCAL_STEP - first;
    const vm_run *other = rank < r->cluster->count ? r->cluster->blocks[rank] : r;
    return find_among(other->regions, other->region_count, address, width);
}

const vm_region *vm_find_region(vm_run *r, uint64_t address, uint64_t width) {
    if (address >= VM_LOCAL_BASE && address < END_OF_LOCAL && r->cluster)
        return find_in_cluster(r, address, width);
    if (address >= VM_PRIVATE_BASE && address < END_OF_LOCAL)
        return find_among(r->regions, r->region_count, address, width);
    const vm_region *g = find_among(r->space->regions, r->space->count, address, width);
    return g || !r->space->any_memory ? g : find_in_process(r, address, width);
}
