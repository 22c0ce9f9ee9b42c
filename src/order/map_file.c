/* The map file: orders of a job's launches as text. */
#include <stdlib.h>

#include "base/scan.h"
#include "order/orders.h"

static const char first_line[] = "heddle map 1";

/* ---- reading ------------------------------------------------------------------------------ */

/* "launch 0 threads 8 block 4 [whole-blocks] kernel NAME", behind its first word. */
static hd_status read_head(hd_scan *s, hd_launch_order *order) {
    uint64_t launch = 0, threads = 0, block = 0;
    const char *line = s->at;
    bool known = hd_scan_number(s, 10, &launch) && hd_scan_take(s, "threads") &&
                 hd_scan_number(s, 10, &threads) && hd_scan_take(s, "block") &&
                 hd_scan_number(s, 10, &block) && launch <= UINT32_MAX && threads <= UINT32_MAX &&
                 block <= UINT32_MAX;
    bool whole = known && hd_scan_take(s, "whole-blocks");
    if (!known || !hd_scan_take(s, "kernel"))
        return hd_scan_fail(s, line,
                            "a launch begins as 'launch 0 threads 1024 block 256 kernel NAME', "
                            "perhaps with 'whole-blocks' before 'kernel'");
    hd_span kernel = hd_scan_rest(s);
    *order = (hd_launch_order){.kernel = hd_span_text(s->arena, kernel),
                               .launch = (uint32_t)launch,
                               .threads = (uint32_t)threads,
                               .block_threads = (uint32_t)block,
                               .whole_blocks = whole,
                               .place = hd_scan_place(s, line)};
    if (!kernel.length)
        return hd_scan_fail(s, kernel.at, "the name of the kernel is missing");
    if (!threads || !block || threads % block)
        return hd_scan_fail(s, line, "%llu threads are no whole blocks of %llu",
                            (unsigned long long)threads, (unsigned long long)block);
    return HD_OK;
}

/* A number that stands at `at`, as that of the next place. */
static hd_status add_thread(hd_scan *s, const char *at, const hd_launch_order *order,
                            uint64_t thread, uint32_t place, uint8_t *seen, uint32_t *numbers) {
    uint32_t block = order->block_threads;
    if (place == order->threads)
        return hd_scan_fail(s, at, "the launch has %u threads, and here is a number more",
                            order->threads);
    if (thread >= order->threads)
        return hd_scan_fail(
            s, at, "this is no order: there is no thread %llu among %u, which count from 0",
            (unsigned long long)thread, order->threads);
    if (seen[thread])
        return hd_scan_fail(s, at, "this is no order: thread %llu stands at two places",
                            (unsigned long long)thread);
    seen[thread] = 1;
    numbers[place] = (uint32_t)thread;
    uint32_t first = numbers[place - place % block];
    if (order->whole_blocks && (first % block || thread != first + place % block))
        return hd_scan_fail(s, at,
                            "thread %llu leaves its block or its place there, and only whole "
                            "blocks may move ('whole-blocks')",
                            (unsigned long long)thread);
    return HD_OK;
}

/* Up to the next launch, or the end. */
static hd_status read_numbers(hd_scan *s, const hd_launch_order *order, uint8_t *seen,
                              uint32_t *numbers) {
    uint32_t place = 0;
    while (!hd_scan_ends(s) && !hd_scan_take(s, "launch")) {
        const char *at = s->at;
        uint64_t first, last;
        bool known = hd_scan_number(s, 10, &first);
        last = first;
        if (known && hd_scan_peek(s) == '-') {
            s->at++;
            known = !hd_scan_is_apart(s) && hd_scan_number(s, 10, &last) && last >= first;
        }
        if (!known || !hd_scan_is_apart(s))
            return hd_scan_fail(s, at, "this is no number of a thread, and no 'a-b' of several");
        for (uint64_t t = first; t <= last && s->status == HD_OK; t++)
            add_thread(s, at, order, t, place++, seen, numbers);
    }
    if (place < order->threads)
        hd_scan_fail(s, s->at, "the order of launch %u ends here, with %u of %u threads",
                     order->launch, place, order->threads);
    return s->status;
}

hd_status hd_order_file_read(hd_arena *arena, const hd_diag *diag, const char *path,
                             hd_order_file **file) {
    hd_vec(hd_launch_order) orders = {0};
    char *text;
    size_t length;
    hd_status status = hd_read_file(arena, diag, path, &text, &length);
    if (status != HD_OK)
        return status;
    hd_scan s = hd_scan_bytes(arena, diag, path, text, length);
    s.word_marks = "-";
    if (!hd_scan_take(&s, "heddle") || !hd_scan_take(&s, "map") || !hd_scan_take(&s, "1"))
        return hd_scan_fail(&s, text, "this is no map of threads; such a file begins with '%s'",
                            first_line);
    if (!hd_scan_take(&s, "launch"))
        return hd_scan_fail(&s, s.at,
                            "a map of threads has a launch at least: 'launch 0 threads ...'");
    do {
        hd_launch_order order;
        if (read_head(&s, &order) != HD_OK)
            break;
        uint32_t *numbers = hd_new_array(arena, uint32_t, order.threads);
        uint8_t *seen = hd_zeroed(order.threads, 1);
        read_numbers(&s, &order, seen, numbers);
        free(seen);
        order.order = numbers;
        hd_push(arena, &orders, order);
    } while (!hd_scan_ends(&s));
    if (s.status != HD_OK)
        return s.status;
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
