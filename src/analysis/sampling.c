/* Which blocks are counted (sampling.h). */
#include <math.h>

#include "analysis/sampling.h"
#include "base/table.h"

static const double FULL_SECONDS = 0.1; /* of a thread */
enum {
    FIRST_GROUP = 16, /* while nobody knows what a block takes that is not counted, */
    KNOWN_AFTER = 8,  /* which so many such blocks tell */
    LEAST_GROUP = 2,  /* from then on, so that it stays known */
    MOST_GROUP = 4096,
    REMEMBERED = 8, /* pairs: what was long ago matters less, as code becomes faster */
    MOST_TIMES = 8  /* of the mean: the most that a block counts as, since the system may have done
                      * something else meanwhile */
};

/* What blocks have taken. */
typedef struct taken {
    double blocks, seconds;
} taken;

/* What counted blocks and others take, compared: sums of means, each pair of blocks that ran at about
 * the same time, since what a kernel does changes. */
typedef struct compared {
    taken counted, plain; /* since the last pair */
    double pairs, sum_counted, sum_plain;
} compared;

/* All sizes of a kernel. */
typedef struct sampled_kernel {
    const char *name;
    uint64_t blocks, counted, weight;
    double seconds; /* of counted blocks */
    compared time;
} sampled_kernel;

struct hd_sampled {
    hd_sampling *sampling;
    uint32_t key[7]; /* kernel (of sampling->kernels), grid, block */
    compared time;
    double seconds;       /* of all counted blocks */
    uint64_t group, left; /* its blocks, and those of them that have not come */
    uint64_t until; /* blocks that come before the one that is counted; UINT64_MAX: it has come */
    uint64_t random;
};

struct hd_sampling {
    hd_arena *arena;
    double overhead;
    double plain, extra; /* seconds: of the program without counting, and what that has added */
    hd_vec(sampled_kernel) kernels;
    hd_vec(hd_sampled *) sampled;
    hd_hash_table by_name, by_size;
};

hd_sampling *hd_sampling_new(hd_arena *arena, double overhead) {
    hd_sampling *s = hd_new(arena, hd_sampling);
    s->arena = arena;
    s->overhead = overhead;
    s->by_name = (hd_hash_table){.arena = arena, .key_bytes = HD_TEXT_KEYS};
    s->by_size = (hd_hash_table){.arena = arena, .key_bytes = sizeof((hd_sampled *)0)->key};
    return s;
}

static uint32_t kernel_of(hd_sampling *s, const char *name) {
    uint64_t at = hd_hash_get_key(&s->by_name, name);
    if (at == HD_NO_VALUE) {
        name = hd_strdup(s->arena, name);
        at = s->kernels.count;
        hd_push(s->arena, &s->kernels, (sampled_kernel){.name = name});
        hd_hash_add_key(&s->by_name, name, at);
    }
    return (uint32_t)at;
}

static sampled_kernel *kernel_at(const hd_sampled *d) {
    return &d->sampling->kernels.data[d->key[0]];
}

hd_sampled *hd_sampling_of(hd_sampling *s, const char *kernel, const uint32_t grid[3],
                           const uint32_t block[3]) {
    const uint32_t key[7] = {
        kernel_of(s, kernel), grid[0], grid[1], grid[2], block[0], block[1], block[2]};
    uint64_t at = hd_hash_get_key(&s->by_size, key);
    if (at == HD_NO_VALUE) {
        hd_sampled *own = hd_new(s->arena, hd_sampled);
        at = s->sampled.count;
        *own = (hd_sampled){.sampling = s, .random = 0x9e3779b97f4a7c15 * (at + 1)};
        memcpy(own->key, key, sizeof key);
        hd_push(s->arena, &s->sampled, own);
        hd_hash_add_key(&s->by_size, own->key, at);
    }
    return s->sampled.data[at];
}

/* ---- groups ---------------------------------------------------------------------------------- */

/* The first blocks of a kernel; and those of another size of it, where the time is there. */
static bool is_first(const hd_sampled *d) {
    const hd_sampling *s = d->sampling;
    return d->seconds < FULL_SECONDS &&
           (kernel_at(d)->seconds < FULL_SECONDS || s->extra <= s->overhead * s->plain);
}

/* How many times longer a counted block takes; 0: nobody knows. */
static double times_in(const compared *c) {
    return c->sum_plain > 0 ? c->sum_counted / c->sum_plain : 0;
}

/* Of this size, else of all. */
static double times_of(const hd_sampled *d) {
    double times = times_in(&d->time);
    return times > 0 ? times : times_in(&kernel_at(d)->time);
}

/* Counting one of n blocks adds (counted - plain) / n to what each takes, a share of
 * (times - 1) / n. */
static uint64_t next_group(const hd_sampled *d) {
    if (d->sampling->overhead < 0 || is_first(d))
        return 1;
    double times = times_of(d), overhead = d->sampling->overhead;
    if (times <= 0)
        return FIRST_GROUP;
    if (times - 1 >= overhead * MOST_GROUP)
        return MOST_GROUP;
    double group = times > 1 ? ceil((times - 1) / overhead) : LEAST_GROUP;
    return group <= LEAST_GROUP ? LEAST_GROUP : (uint64_t)group;
}

/* xorshift64 (Marsaglia, 2003). */
static uint64_t random_below(hd_sampled *d, uint64_t bound) {
    d->random ^= d->random << 13;
    d->random ^= d->random >> 7;
    d->random ^= d->random << 17;
    return d->random % bound;
}

static void begin_group(hd_sampled *d) {
    d->group = d->left = next_group(d);
    d->until = d->group > 1 ? random_below(d, d->group) : 0;
}

bool hd_sampled_skips(hd_sampled *d, uint64_t blocks) {
    if (!d->left)
        begin_group(d);
    bool has_come = d->until == UINT64_MAX;
    if (has_come ? blocks > d->left : blocks > d->until)
        return false;
    d->left -= blocks;
    if (!has_come)
        d->until -= blocks;
    kernel_at(d)->blocks += blocks;
    return true;
}

uint64_t hd_sampled_next(hd_sampled *d) {
    if (!d->left)
        begin_group(d);
    sampled_kernel *kernel = kernel_at(d);
    bool counts = d->until == 0;
    if (d->until != UINT64_MAX)
        d->until--; /* of the one that is counted: none is left to come */
    d->left--;
    kernel->blocks++;
    kernel->counted += counts;
    kernel->weight += counts ? d->group : 0;
    return counts ? d->group : 0;
}

void hd_sampled_count_all(hd_sampled *d, uint64_t blocks) {
    sampled_kernel *kernel = kernel_at(d);
    kernel->blocks += blocks;
    kernel->counted += blocks;
    kernel->weight += blocks;
}

/* ---- time ------------------------------------------------------------------------------------ */

static void add_taken(taken *t, double seconds, double pairs, double sum) {
    double most = pairs > 0 ? MOST_TIMES * sum / pairs : 0;
    t->blocks++;
    t->seconds += most > 0 && seconds > most ? most : seconds;
}

static void compare(compared *c, bool counted, double seconds) {
    if (counted)
        add_taken(&c->counted, seconds, c->pairs, c->sum_counted);
    else
        add_taken(&c->plain, seconds, c->pairs, c->sum_plain);
    if (c->counted.blocks < 1 || c->plain.blocks < KNOWN_AFTER)
        return;
    if (c->pairs >= REMEMBERED) {
        c->pairs /= 2;
        c->sum_counted /= 2;
        c->sum_plain /= 2;
    }
    c->pairs++;
    c->sum_counted += c->counted.seconds / c->counted.blocks;
    c->sum_plain += c->plain.seconds / c->plain.blocks;
    c->counted = c->plain = (taken){0};
}

/* Seconds of counting, of which `plain` would have been taken without it. */
static void add_counting(hd_sampled *d, double seconds, double plain) {
    d->sampling->plain += plain;
    d->sampling->extra += seconds - plain;
    d->seconds += seconds;
    kernel_at(d)->seconds += seconds;
}

void hd_sampled_ran(hd_sampled *d, bool counted, double seconds) {
    double times = times_of(d);
    if (counted)
        add_counting(d, seconds, times > 1 ? seconds / times : times > 0 ? seconds : 0);
    else
        d->sampling->plain += seconds;
    compare(&d->time, counted, seconds);
    compare(&kernel_at(d)->time, counted, seconds);
}

void hd_sampled_spent(hd_sampled *d, double seconds) {
    add_counting(d, seconds, 0);
    d->time.counted.seconds += seconds;
    kernel_at(d)->time.counted.seconds += seconds;
}

hd_sampling_share hd_sampling_share_of(const hd_sampling *s, const char *name) {
    uint64_t at = hd_hash_get_key(&s->by_name, name);
    if (at == HD_NO_VALUE)
        return (hd_sampling_share){.scale = 1};
    const sampled_kernel *k = &s->kernels.data[at];
    return (hd_sampling_share){k->blocks, k->counted,
                               k->weight ? (double)k->blocks / (double)k->weight : 1};
}
