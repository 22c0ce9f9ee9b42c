/* The map file: orders of a job's launches as text. */
#include <stdlib.h>

#include "mapping/mapping.h"

static const char first_line[] = "heddle map 1";

/* ---- reading ------------------------------------------------------------------------------ */

typedef struct reader {
    hd_arena *arena;
    const hd_diag *diag;
    const char *path, *text, *at;
} reader;

static hd_status wrong(const reader *r, const char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static hd_status wrong(const reader *r, const char *at, const char *format, ...) {
    va_list args;
    va_start(args, format);
    const char *what = hd_vformat(r->arena, format, args);
    va_end(args);
    hd_place place = hd_place_in(r->arena, r->path, r->text, (size_t)(at - r->text));
    return hd_fail(r->diag, HD_EINPUT, &place, "%s", what);
}

static void skip_blanks(reader *r) { r->at += strspn(r->at, " \t\r\n"); }

static bool take_word(reader *r, const char *word) {
    size_t length = strlen(word);
    skip_blanks(r);
    if (strncmp(r->at, word, length) || !strchr(" \t\r\n", r->at[length]))
        return false;
    r->at += length;
    return true;
}

static bool take_number(reader *r, uint64_t *number) {
    skip_blanks(r);
    *number = 0;
    if (*r->at < '0' || *r->at > '9')
        return false;
    for (; *r->at >= '0' && *r->at <= '9'; r->at++)
        if (*number <= UINT32_MAX)
            *number = *number * 10 + (uint64_t)(*r->at - '0');
    return *number <= UINT32_MAX;
}

/* "launch 0 threads 8 block 4 [whole-blocks] kernel NAME", behind its first word. */
static hd_status read_head(reader *r, hd_launch_order *order) {
    const char *line = r->at;
    uint64_t launch, threads, block;
    bool known = take_number(r, &launch) && take_word(r, "threads") && take_number(r, &threads) &&
                 take_word(r, "block") && take_number(r, &block);
    bool whole = known && take_word(r, "whole-blocks");
    if (!known || !take_word(r, "kernel"))
        return wrong(r, line,
                     "a launch begins as 'launch 0 threads 1024 block 256 kernel NAME', perhaps "
                     "with 'whole-blocks' before 'kernel'");
    r->at += strspn(r->at, " \t");
    size_t length = strcspn(r->at, "\r\n");
    *order = (hd_launch_order){
        .kernel = hd_strndup(r->arena, r->at, length),
        .launch = (uint32_t)launch,
        .threads = (uint32_t)threads,
        .block_threads = (uint32_t)block,
        .whole_blocks = whole,
        .place = hd_place_in(r->arena, r->path, r->text, (size_t)(line - r->text))};
    if (!length)
        return wrong(r, r->at, "the name of the kernel is missing");
    r->at += length;
    if (!threads || !block || threads % block)
        return wrong(r, line, "%llu threads are no whole blocks of %llu",
                     (unsigned long long)threads, (unsigned long long)block);
    return HD_OK;
}

/* A number that stands at `at`, as that of the next place. */
static hd_status add_thread(const reader *r, const char *at, const hd_launch_order *order,
                            uint64_t thread, uint32_t place, uint8_t *seen, uint32_t *numbers) {
    uint32_t block = order->block_threads;
    if (place == order->threads)
        return wrong(r, at, "the launch has %u threads, and here is a number more", order->threads);
    if (thread >= order->threads)
        return wrong(r, at,
                     "this is no order: there is no thread %llu among %u, which count from 0",
                     (unsigned long long)thread, order->threads);
    if (seen[thread])
        return wrong(r, at, "this is no order: thread %llu stands at two places",
                     (unsigned long long)thread);
    seen[thread] = 1;
    numbers[place] = (uint32_t)thread;
    uint32_t first = numbers[place - place % block];
    if (order->whole_blocks && (first % block || thread != first + place % block))
        return wrong(r, at,
                     "thread %llu leaves its block or its place there, and only whole blocks may "
                     "move ('whole-blocks')",
                     (unsigned long long)thread);
    return HD_OK;
}

static hd_status read_numbers(reader *r, const hd_launch_order *order, uint8_t *seen,
                              uint32_t *numbers) {
    hd_status status = HD_OK;
    uint32_t place = 0;
    for (skip_blanks(r); *r->at && !take_word(r, "launch") && status == HD_OK; skip_blanks(r)) {
        const char *at = r->at;
        uint64_t first, last;
        bool known = take_number(r, &first);
        last = first;
        if (known && *r->at == '-') {
            r->at++;
            known = take_number(r, &last) && last >= first;
        }
        if (!known || !strchr(" \t\r\n", *r->at))
            return wrong(r, at, "this is no number of a thread, and no 'a-b' of several");
        for (uint64_t t = first; t <= last && status == HD_OK; t++)
            status = add_thread(r, at, order, t, place++, seen, numbers);
    }
    if (status == HD_OK && place < order->threads)
        return wrong(r, r->at, "the order of launch %u ends here, with %u of %u threads",
                     order->launch, place, order->threads);
    return status;
}

hd_status hd_order_file_read(hd_arena *arena, const hd_diag *diag, const char *path,
                             hd_order_file **file) {
    hd_vec(hd_launch_order) orders = {0};
    char *text;
    size_t length;
    hd_status status = hd_read_file(arena, diag, path, &text, &length);
    if (status != HD_OK)
        return status;
    reader r = {arena, diag, path, text, text};
    if (!take_word(&r, "heddle") || !take_word(&r, "map") || !take_word(&r, "1"))
        return wrong(&r, text, "this is no map of threads; such a file begins with '%s'",
                     first_line);
    if (!take_word(&r, "launch"))
        return wrong(&r, r.at, "a map of threads has a launch at least: 'launch 0 threads ...'");
    /* What stands behind the numbers of one launch is the word "launch", or the end. */
    for (bool more = true; more && status == HD_OK;) {
        hd_launch_order order;
        status = read_head(&r, &order);
        if (status != HD_OK)
            break;
        uint32_t *numbers = hd_new_array(arena, uint32_t, order.threads);
        uint8_t *seen = hd_zeroed(order.threads, 1);
        status = read_numbers(&r, &order, seen, numbers);
        free(seen);
        order.order = numbers;
        hd_push(arena, &orders, order);
        more = *r.at;
    }
    if (status != HD_OK)
        return status;
    *file = hd_new(arena, hd_order_file);
    **file = (hd_order_file){orders.data, (uint32_t)orders.count};
    return HD_OK;
}

bool hd_order_keeps_blocks(const uint32_t *order, uint32_t threads, uint32_t block_threads) {
    for (uint32_t p = 0; p < threads; p++) {
        uint32_t first = order[p - p % block_threads];
        if (first % block_threads || order[p] != first + p % block_threads)
            return false;
    }
    return true;
}

/* ---- printing ----------------------------------------------------------------------------- */

void hd_order_file_print(hd_str *out, const hd_order_file *file) {
    enum { COLUMNS = 90 };
    hd_str_printf(out, "%s\n", first_line);
    for (uint32_t i = 0; i < file->order_count; i++) {
        const hd_launch_order *o = &file->orders[i];
        hd_str_printf(out, "launch %u threads %u block %u %skernel %s\n", o->launch, o->threads,
                      o->block_threads, o->whole_blocks ? "whole-blocks " : "", o->kernel);
        size_t line = out->length;
        for (uint32_t p = 0, next; p < o->threads; p = next) {
            for (next = p + 1; next < o->threads && o->order[next] == o->order[next - 1] + 1;)
                next++;
            if (next == p + 2) /* two numbers are no longer than a-b */
                next--;
            bool ends = next == o->threads;
            hd_str_printf(out, "%u", o->order[p]);
            if (next > p + 1)
                hd_str_printf(out, "-%u", o->order[next - 1]);
            bool full = out->length - line >= COLUMNS;
            hd_str_add(out, ends || full ? "\n" : " ");
            line = full ? out->length : line;
        }
    }
}
