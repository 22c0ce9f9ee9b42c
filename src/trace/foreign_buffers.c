/*
 * The memory that a foreign trace touches. Tools say nothing of allocations, so what lies close
 * together is taken for one: pages that were touched, with no gap of a page between them. The array
 * of a record is where the user says, or where there is one piece of memory, all of that.
 */
#include "foreign_entry.h"

enum {
    ALLOCATION_ALIGN = 256, /* of memory that CUDA allocates ("CUDA C++ Programming Guide") */
    BUFFERS_MOST = 1024
};

static int by_begin(const void *a, const void *b) {
    uint64_t x = ((const touched_range *)a)->begin, y = ((const touched_range *)b)->begin;
    return (x > y) - (x < y);
}

/* Joins neighbours with at most `gap` bytes between them; how many are left. */
static size_t join(const touched *t, touched_range *ranges, uint64_t gap) {
    size_t count = 0;
    for (size_t p = 0; p < t->pages.count; p++) {
        touched_range *last = count ? &ranges[count - 1] : NULL;
        const touched_range *next = &t->pages.data[p];
        if (last && (next->begin <= last->end || next->begin - last->end <= gap))
            last->end = next->end > last->end ? next->end : last->end;
        else
            ranges[count++] = *next;
    }
    return count;
}

static void add_buffer(foreign *f, uint64_t begin, uint64_t end, const hd_record *record) {
    if (end <= begin)
        return;
    hd_event_buffer buffer = {.name = hd_format(f->arena, "m%zu", f->buffers.count),
                              .type = record ? record->spelling : NULL,
                              .space = KIR_GLOBAL,
                              .base = begin,
                              .bytes = end - begin,
                              .element_bytes = record ? record->size : 0,
                              .record = record};
    hd_push(f->arena, &f->buffers, buffer);
}

/* Where the record's array begins and ends. */
static bool find_array(foreign *f, const touched_range *ranges, size_t count,
                       touched_range *array) {
    const hd_trace_record *r = f->record;
    size_t in = 0;
    if (!r->has_base && count != 1) {
        hd_str text = {.arena = f->arena};
        for (size_t i = 0; i < count && i < 8; i++)
            hd_str_printf(&text, "%s0x%llx+%llu", i ? ", " : "", (ull)ranges[i].begin,
                          (ull)(ranges[i].end - ranges[i].begin));
        f->in.status = hd_fail(&f->diag, HD_EINPUT, &(hd_place){.file = f->in.file},
                               "--record: %zu pieces of memory were touched, %s%s; say with --of "
                               "ADDRESS[+BYTES] where the array of records is",
                               count, hd_str_text(&text), count > 8 ? ", ..." : "");
        return false;
    }
    array->begin = r->has_base ? r->base : ranges[0].begin / ALLOCATION_ALIGN * ALLOCATION_ALIGN;
    while (in < count && ranges[in].end <= array->begin)
        in++;
    array->end = r->bytes ? array->begin + r->bytes : in < count ? ranges[in].end : array->begin;
    if (in == count || ranges[in].begin >= array->end ||
        (!r->bytes && ranges[in].begin > array->begin + PAGE_BYTES)) {
        f->in.status = hd_fail(&f->diag, HD_EINPUT, &(hd_place){.file = f->in.file},
                               "--of: nothing at 0x%llx was touched; 'heddle trace info' shows as "
                               "buffers what was",
                               (ull)array->begin);
        return false;
    }
    if (!r->bytes) /* the last record may have been touched in part */
        array->end = array->begin + hd_align_up(array->end - array->begin, r->record->size);
    return true;
}

void foreign_buffers_make(foreign *f) {
    touched *t = f->touched;
    touched_range *ranges = hd_new_array(f->arena, touched_range, t->pages.count + 1);
    touched_range array = {0};
    if (t->pages.count)
        qsort(t->pages.data, t->pages.count, sizeof *t->pages.data, by_begin);
    uint64_t gap = PAGE_BYTES;
    size_t count = join(t, ranges, gap);
    while (count > BUFFERS_MOST)
        count = join(t, ranges, gap *= 2);
    bool has_array = f->record != NULL;
    if (has_array && !find_array(f, ranges, count, &array))
        return;
    for (size_t i = 0; i < count; i++) {
        uint64_t begin = ranges[i].begin, end = ranges[i].end;
        if (has_array && array.begin < end) { /* before it, or where it begins */
            uint64_t before = array.begin > begin ? array.begin : begin;
            add_buffer(f, begin, before, NULL);
            add_buffer(f, array.begin, array.end, f->record->record);
            has_array = false;
            begin = before;
        }
        if (f->record && begin < array.end && begin >= array.begin)
            begin = array.end;
        add_buffer(f, begin, end, NULL);
    }
}

int32_t foreign_buffer_at(const foreign *f, uint64_t address) {
    size_t low = 0, high = f->buffers.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (f->buffers.data[middle].base <= address)
            low = middle + 1;
        else
            high = middle;
    }
    const hd_event_buffer *b = low ? &f->buffers.data[low - 1] : NULL;
    return b && address - b->base < b->bytes ? (int32_t)(low - 1) : -1;
}
