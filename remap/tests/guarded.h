/*
 * Memory between two pages that nobody may touch: a byte read or written outside of it, at the
 * side where it borders on such a page, ends the program.
 */
#ifndef HD_TESTS_REMAP_GUARDED_H
#define HD_TESTS_REMAP_GUARDED_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct guarded {
    unsigned char *data; /* `bytes` of them */
    size_t bytes;
    unsigned char *pages; /* with the two guards */
    size_t page, mapped;
} guarded;

/* What lies beside the data in its pages. */
enum { GUARDED_FILL = 0xc5 };

/* The data begins `gap` bytes after the first guard, or else ends as many before the second. */
static inline guarded guarded_new(size_t bytes, size_t gap, int at_end) {
    guarded g = {.bytes = bytes, .page = (size_t)sysconf(_SC_PAGESIZE)};
    size_t inside = (bytes + gap + g.page - 1) / g.page * g.page;
    g.mapped = inside + 2 * g.page;
    g.pages = mmap(NULL, g.mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (g.pages == MAP_FAILED)
        abort();
    memset(g.pages, GUARDED_FILL, g.mapped);
    if (mprotect(g.pages, g.page, PROT_NONE) != 0 ||
        mprotect(g.pages + g.page + inside, g.page, PROT_NONE) != 0)
        abort();
    g.data = g.pages + g.page + (at_end ? inside - gap - bytes : gap);
    return g;
}

/* From here on nobody may write it, or everybody again. */
static inline void guarded_protect(const guarded *g, int read_only) {
    if (mprotect(g->pages + g->page, g->mapped - 2 * g->page,
                 read_only ? PROT_READ : PROT_READ | PROT_WRITE) != 0)
        abort();
}

/* Whether the bytes beside the data, up to the guards, are as they were. */
static inline int guarded_is_whole(const guarded *g) {
    for (const unsigned char *at = g->pages + g->page; at < g->data; at++)
        if (*at != GUARDED_FILL)
            return 0;
    for (const unsigned char *at = g->data + g->bytes; at < g->pages + g->mapped - g->page; at++)
        if (*at != GUARDED_FILL)
            return 0;
    return 1;
}

static inline void guarded_free(guarded *g) { munmap(g->pages, g->mapped); }

#endif
