/*
 * Conflicts of the banks of shared (local) memory.
 *
 * Successive words lie in successive banks, and each bank gives one word in a pass; lanes that ask
 * for the same word get it together (NVIDIA CUDA C++ Programming Guide, compute capabilities 5.x to
 * 9.0, "Shared Memory"; AMD's LDS is alike). A request takes as many passes as the bank with most
 * different words has of them:
 *
 *     lane     0  1  2  3 ...  31        float t[64]; with 32 banks of 4 bytes
 *     t[2 * l] 0  2  4  6 ...  62        words 0 and 32 share bank 0: 2 passes, 1 conflict
 *     t[5]     5  5  5  5 ...   5        one word: 1 pass
 *
 * All banks together give so many lanes their values at once: all of a warp with words of 4 bytes
 * or fewer, a half with 8, a quarter with 16 (the guide for compute capability 2.x, "64-Bit" and
 * "128-Bit Accesses"). Such a group of lanes is served by itself, and one pass for each is no
 * conflict. Lanes that do atomic operations on the same word take turns on a device, for which the
 * banks are not to blame: that is not counted.
 *
 * What a request of a strided event costs depends on the stride, the width, the active lanes and
 * where it starts in a row of banks. A small table keeps the latest of them.
 */
#include "analysis/banks.h"
#include "analysis/access_table.h"
#include "base/number.h"
#include "analysis/warp_lanes.h"
#include "analysis/warp_words.h"

enum { KEPT = 64, MOST_BANKS = 1024, MOST_WORDS = 4096 };

typedef struct kept {
    uint64_t mask; /* of the warp's lanes; 0: this place is free */
    int64_t stride;
    uint32_t width, start; /* start: of lane 0, modulo a row of the banks */
    hd_banks_counts result;
} kept;

/* The latest, of one thread. */
typedef struct memo {
    kept kept[KEPT];
} memo;

typedef struct banks {
    uint32_t warp, banks, shift; /* 2 to the shift are the bytes of a word of a bank */
} banks;

/* ---- one request ------------------------------------------------------------------------- */

/* The lanes that are served at once. */
static uint32_t group_lanes(const banks *b, uint32_t width) {
    uint64_t row = (uint64_t)b->banks << b->shift, each = (uint64_t)1 << b->shift;
    while (each < width)
        each *= 2;
    return row / each > b->warp ? b->warp : row / each ? (uint32_t)(row / each) : 1;
}

/* Addresses in order: the words that they touch are met in order, too, so that one that was met
 * before is the latest or lies before it. */
static uint64_t passes_of(const banks *b, const uint64_t *address, uint32_t count, uint32_t width) {
    uint32_t words_of[MOST_BANKS], most = 0;
    uint64_t next = 0; /* words below have been met */
    memset(words_of, 0, b->banks * sizeof *words_of);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t from = address[i] >> b->shift, last = (address[i] + (width - 1)) >> b->shift;
        if (last - from >= MOST_WORDS) /* no kernel's, but a damaged trace's */
            last = from;
        uint64_t first = i && from < next ? next : from, new_words = last + 1 - first;
        for (uint64_t w = 0; first <= last && w < new_words; w++) {
            uint32_t words = ++words_of[(first + w) & (b->banks - 1)];
            most = words > most ? words : most;
        }
        next = last + 1;
    }
    return most;
}

/* The same where addresses are multiples of the width, a power of two: words of banks that are as wide
 * then, and fewer. 0: they are not. */
static uint64_t passes_of_words(const banks *b, const hd_event *e, uint32_t first, uint64_t mask,
                                uint32_t lanes, uint32_t width) {
    uint32_t bytes = width >> b->shift ? width : 1u << b->shift;
    uint32_t count = b->banks / (bytes >> b->shift);
    if (lanes > WORD_LANES || count > WORD_LANES || !count || width & (width - 1))
        return 0;
    return warp_words_of_bank(e, first, (uint32_t)mask, width, bytes, count);
}

/* The warp whose lanes are `first` up to `end`. */
static hd_banks_counts count_warp(const banks *b, const hd_event *e, uint32_t first, uint32_t end,
                                  uint32_t width) {
    hd_banks_counts sum = {.local_requests = 1};
    uint32_t lanes = group_lanes(b, width);
    for (uint32_t from = first; from < end; from += lanes) {
        uint64_t address[MOST_LANES];
        uint32_t to = end - from < lanes ? end : from + lanes;
        uint64_t mask = warp_mask(e, from, to);
        uint64_t passes = mask ? passes_of_words(b, e, from, mask, to - from, width) : 0;
        if (mask && !passes)
            passes = passes_of(b, address, warp_addresses(e, from, to, address), width);
        sum.passes += passes;
        sum.conflicts += passes ? passes - 1 : 0;
    }
    return sum;
}

/* The same for a strided event: from the table, if it is there. */
static hd_banks_counts recall_warp(const banks *b, memo *m, const hd_event *e, uint32_t first,
                                   uint32_t end, uint64_t mask, uint32_t width) {
    uint32_t row = b->banks << b->shift;
    uint32_t start = (uint32_t)(hd_event_address(e, first) & (row - 1));
    kept *k = &m->kept[warp_hash(e->stride, mask, width, start) >> 32 & (KEPT - 1)];
    if (k->mask != mask || k->stride != e->stride || k->width != width || k->start != start)
        *k = (kept){mask, e->stride, width, start, count_warp(b, e, first, end, width)};
    return k->result;
}

static void count_event(const void *self, void *state, const hd_event_launch *launch,
                        const hd_event *e, kir_space space, void *counts) {
    const banks *b = self;
    hd_banks_counts *sum = counts;
    uint32_t width = launch->accesses[e->access].width;
    (void)space;
    width = width ? width : 1;
    for (uint32_t first = 0; first < e->threads; first += b->warp) {
        uint32_t end = e->threads - first < b->warp ? e->threads : first + b->warp;
        uint64_t mask = warp_mask(e, first, end);
        if (!mask)
            continue;
        hd_banks_counts more = e->address || b->warp > 64
                                   ? count_warp(b, e, first, end, width)
                                   : recall_warp(b, state, e, first, end, mask, width);
        sum->local_requests += more.local_requests;
        sum->passes += more.passes;
        sum->conflicts += more.conflicts;
    }
}

hd_tally_work hd_banks_work(hd_arena *arena, const hd_device *device) {
    banks *b = hd_new(arena, banks);
    *b = (banks){device->warp, device->banks, (uint32_t)__builtin_ctz(device->bank)};
    return (hd_tally_work){.self = b,
                           .state_bytes = sizeof(memo),
                           .count_bytes = sizeof(hd_banks_counts),
                           .spaces = 1u << KIR_LOCAL,
                           .summed = 1u << KIR_LOCAL,
                           .period = device->banks * device->bank,
                           .count = count_event};
}

/* ---- what a reader sees of counts --------------------------------------------------------- */

const hd_member hd_banks_members[] = {
    {"local_requests", "local", HD_COUNT, HD_AT(hd_banks_counts, local_requests)},
    {"bank_passes", "passes", HD_COUNT, HD_AT(hd_banks_counts, passes)},
    {"bank_conflicts", "conflicts", HD_COUNT, HD_AT(hd_banks_counts, conflicts)},
    {0}};

static const hd_banks_counts *counts_of(const hd_launch_counts *counts) {
    return (const hd_banks_counts *)counts->of[NUMBER_OF_hd_banks];
}

static const char *title_of(hd_arena *arena, const hd_device *device) {
    return hd_format(arena, "Local memory on %s, in %u banks of %u bytes", device->name,
                     device->banks, device->bank);
}

static const char *sum_of(hd_arena *arena, const hd_launch_counts *counts) {
    const hd_banks_counts *sum = counts_of(counts);
    return hd_format(arena, "local memory: %s, %s",
                     hd_show_counted(arena, sum->passes, "pass", "es"),
                     hd_show_counted(arena, sum->conflicts, "conflict", "s"));
}

static uint64_t weight_of(const hd_launch_counts *counts) { return counts_of(counts)->passes; }

static const hd_rule rule = {
    "heddle/bank-conflict", "BankConflict",
    "The lanes of a warp touch different words of one bank of local memory, which serves them one "
    "after the other.",
    "Let neighbouring threads touch neighbouring words, or make the rows of the array longer by "
    "one word.",
    "passes"};

static hd_access_finding find(hd_arena *arena, const hd_device *device, const hd_access_row *row,
                              const char *advise) {
    const hd_banks_counts *counts = counts_of(&row->counts);
    hd_access_finding f = {.own = counts->passes, .wasted = counts->conflicts};
    double requests = (double)counts->local_requests;
    (void)device, (void)advise;
    if (f.wasted)
        f.text = hd_format(
            arena,
            "%s of %s: %.3g passes of local memory for each request of a warp, where %.3g would "
            "do; %s of %s passes in '%s' are bank conflicts. Let neighbouring threads touch "
            "neighbouring words, or make the rows of the array longer by one word.",
            hd_access_kind_name(row->kind), hd_access_row_target(arena, row),
            (double)f.own / requests, (double)(f.own - f.wasted) / requests,
            hd_show_count(arena, (double)f.wasted), hd_show_count(arena, (double)f.own),
            row->kernel);
    return f;
}

const hd_analysis hd_banks_analysis = {
    .members = hd_banks_members,
    .work = hd_banks_work,
    .columns = {{"passes", HD_IN_SHOW, 2}, {"conflicts", HD_IN_SHOW | HD_IN_PROGRAM, 0}},
    .title = title_of,
    .sum = sum_of,
    .weight = weight_of,
    .rule = &rule,
    .find = find};
