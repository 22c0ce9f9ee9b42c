/* Profiles, the synthetic form, the host, and what is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "device/device.h"
#include "folder.h"

typedef struct heard {
    int count;
    char file[256];
    unsigned line, column;
    char text[1024];
} heard;

static void hear(const hd_message *message, void *user) {
    heard *h = user;
    h->count++;
    assert_non_null(message->place.file);
    snprintf(h->file, sizeof h->file, "%s", message->place.file);
    snprintf(h->text, sizeof h->text, "%s", message->text);
    h->line = message->place.line;
    h->column = message->place.column;
}

static const hd_device *found(hd_arena *arena, const char *name) {
    heard h = {0};
    hd_diag diag = {hear, &h};
    const hd_device *device = NULL;
    if (hd_device_find(arena, &diag, name, &device) != HD_OK)
        fail_msg("%s: %s:%u: %s", name, h.file, h.line, h.text);
    assert_int_equal(hd_device_check(&diag, device), HD_OK);
    assert_int_equal(h.count, 0);
    return device;
}

static void assert_same_numbers(const hd_device *a, const hd_device *b) {
    assert_int_equal(a->warp, b->warp);
    assert_true(a->l1.size == b->l1.size && a->l1.line == b->l1.line);
    assert_true(a->l2.size == b->l2.size && a->l2.line == b->l2.line);
    assert_int_equal(a->segment, b->segment);
    assert_int_equal(a->coalescing, b->coalescing);
    assert_true(a->w_l1 == b->w_l1 && a->w_l2 == b->w_l2 && a->w_dram == b->w_dram);
    assert_int_equal(a->sms, b->sms);
    assert_int_equal(a->max_blocks, b->max_blocks);
    assert_int_equal(a->max_threads, b->max_threads);
    assert_int_equal(a->registers, b->registers);
    assert_int_equal(a->max_registers, b->max_registers);
    assert_memory_equal(&a->energy, &b->energy, sizeof a->energy);
    assert_memory_equal(&a->speed, &b->speed, sizeof a->speed);
    assert_int_equal(a->epsilon, b->epsilon);
    assert_int_equal(!a->tiles, !b->tiles);
    for (uint64_t bytes = 1; a->tiles && bytes <= 130; bytes++)
        assert_int_equal(hd_tile_select(a->tiles, bytes), hd_tile_select(b->tiles, bytes));
}

/* ---- the synthetic form ----------------------------------------------------- */

#define FERMI "warp:32 l1:48k/128 l2:768k/32 w:1,30,100 blocks:8 threads:1536 regs:32768"

static void synthetic_form_sets_every_figure(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    const hd_device *d = found(arena, FERMI);
    assert_string_equal(d->name, "synthetic");
    assert_null(d->source_file);
    assert_int_equal(d->warp, 32);
    assert_int_equal(d->l1.size, 49152);
    assert_int_equal(d->l1.line, 128);
    assert_int_equal(d->l2.size, 786432);
    assert_int_equal(d->l2.line, 32);
    assert_true(d->w_l1 == 1 && d->w_l2 == 30 && d->w_dram == 100);
    assert_int_equal(d->max_blocks, 8);
    assert_int_equal(d->max_threads, 1536);
    assert_int_equal(d->registers, 32768);
    assert_int_equal(d->segment, 128);
    assert_int_equal(d->max_registers, 255);
    assert_int_equal(d->sms, 0);
    d = found(arena, "  sms:14 maxregs:63 segment:64 regs:1k\tthreads:64 blocks:1 w:.5,1.25,3 "
                     "l2:0/32 l1:0 warp:64\n");
    assert_int_equal(d->sms, 14);
    assert_int_equal(d->max_registers, 63);
    assert_int_equal(d->segment, 64);
    assert_int_equal(d->registers, 1024);
    assert_true(d->w_l1 == 0.5 && d->w_l2 == 1.25);
    assert_int_equal(d->l1.size, 0);
    assert_int_equal(d->l2.line, 32);
    hd_arena_free(arena);
}

static void printing_and_parsing_are_inverse(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    assert_string_equal(hd_device_print(arena, found(arena, FERMI)),
                        FERMI " segment:128 maxregs:255 sms:0 coalescing:warp");
    const char *texts[] = {
        "warp:8 l1:1025/1 l2:3g/64 w:0.1,0.30000000000000004,1e300 blocks:1 threads:8 regs:255",
        "warp:1 l1:0 l2:0/128 w:1,1,1 blocks:4294967295 threads:1 regs:4294967295 segment:1",
        FERMI " l1tags:128/6 l2tags:256/8 l1write:evict",
        FERMI " l2tags:32/1 l1write:through",
        FERMI " energy:0,0,0,1,2.5,30.000000000000004,0,1e-3",
        FERMI " clock:1150.5 bandwidth:148.4,201,0 rates:32,16,32,4,64,0.25 latency:45,310,685",
        FERMI " epsilon:96 tiles:1024-12,512-20,16384-32,32-48,AoS",
        FERMI " tiles:none",
        FERMI " tiles:SoA",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const hd_device *d = found(arena, texts[i]);
        assert_same_numbers(d, found(arena, hd_device_print(arena, d)));
    }
    hd_arena_free(arena);
}

static void check_refused(const char *text, unsigned column, const char *says) {
    hd_arena *arena = hd_arena_new();
    heard h = {0};
    hd_diag diag = {hear, &h};
    const hd_device *device = NULL;
    assert_int_equal(hd_device_find(arena, &diag, text, &device), HD_EINPUT);
    assert_null(device);
    assert_int_equal(h.count, 1);
    assert_string_equal(h.file, "<device>");
    if (h.column != column || !strstr(h.text, says))
        fail_msg("%s: at column %u: %s", text, h.column, h.text);
    hd_arena_free(arena);
}

static void synthetic_errors_name_the_place(void **state) {
    (void)state;
    check_refused("wrap:32", 1, "'wrap:32' is no figure of a device; write key:value with warp");
    check_refused(FERMI " sms", 75, "'sms' is no figure");
    check_refused(FERMI " warp:32", 75, "'warp' is given twice");
    check_refused("warp:32 l1:48k/128", 19, "the device lacks 'l2'; add l2:");
    check_refused("warp:x", 6, "'warp' must be a whole number below 2^32, not 'x'");
    check_refused("warp:", 6, "'warp' must be a whole number");
    check_refused("warp:-1", 6, "'warp' must be a whole number");
    check_refused("warp:4294967296", 6, "'warp' must be a whole number");
    check_refused("warp:3 2", 8, "'2' is no figure");
    check_refused("warp:32,1", 6, "'warp' must look like 32");
    check_refused("l1:48q/128", 4, "the size of 'l1' must be in bytes");
    check_refused("l1:9999999999999g/128", 4, "the size of 'l1' must be in bytes");
    check_refused("l1:48k/128/2", 4, "'l1' must look like 48k/128");
    check_refused("l1:48k/", 4, "'line of l1' must be a whole number");
    check_refused("w:1,30", 3, "'w' must look like 1,30,100");
    check_refused("w:1,30,100,4", 3, "'w' must look like 1,30,100");
    check_refused("w:1,nan,100", 3, "the weights 'w' must be numbers");
    check_refused("w:1,30,1e999", 3, "the weights 'w' must be numbers");
    check_refused("w:1,30,-2", 3, "the weights 'w' must be numbers");
    check_refused("coalescing:halfwarp", 12,
                  "'coalescing' must be warp or half-warp, not 'halfwarp'");
    check_refused("energy:1,2,3", 8, "'energy' must look like 50,160,70");
    check_refused("energy:1,2,3,4,5,6,7,8,9", 8, "'energy' must look like 50,160,70");
    check_refused("energy:1,2,3,4,5,6,7,-8", 8, "the figures of 'energy' must be numbers");
    check_refused("energy:1,2,3,4,5,6,7,1e999", 8, "the figures of 'energy' must be numbers");
    check_refused("tiles:12", 7,
                  "'tiles' must be tiles with the bytes that each goes to, like 512");
    check_refused("tiles:512-20", 7, "not '512-20'");
    check_refused("tiles:512-20,SoA/4", 7, "'tiles' must look like AoS-8,SoA-12,512-96,SoA");
    check_refused("epsilon:64,128", 9, "'epsilon' must look like 32");
    check_refused("coalescing:warp,warp", 12, "'coalescing' must look like half-warp");
}

static void numbers_without_sense_are_refused(void **state) {
    (void)state;
#define REST " w:1,30,100 blocks:8 threads:1536 regs:32768"
    check_refused("warp:33 l1:0 l2:0" REST, 1, "'warp' must be a power of two");
    check_refused("warp:0 l1:0 l2:0" REST, 1, "'warp' must be a power of two");
    check_refused("warp:32 l1:48k/100 l2:0" REST, 9, "the line of 'l1' must be a power of two");
    check_refused("warp:32 l1:48k l2:0" REST, 9, "the line of 'l1' must be a power of two");
    check_refused("warp:32 l1:0 l2:100/64" REST, 14, "its size a multiple");
    check_refused("warp:32 l1:0 l2:0 segment:96" REST, 19, "'segment' must be a power of two");
    check_refused("w:2,1,100 warp:32 l1:0 l2:0 blocks:8 threads:32 regs:9999", 1,
                  "must be positive");
    check_refused("w:0,1,100 warp:32 l1:0 l2:0 blocks:8 threads:32 regs:9999", 1,
                  "must be positive");
    check_refused("threads:100 warp:32 l1:0 l2:0 w:1,2,3 blocks:8 regs:9999", 1,
                  "'threads' must be a multiple of 'warp'");
    check_refused("blocks:0 threads:64 warp:32 l1:0 l2:0 w:1,2,3 regs:9999", 1,
                  "'blocks' must be at least 1");
    check_refused("regs:0 blocks:1 threads:64 warp:32 l1:0 l2:0 w:1,2,3", 1,
                  "'regs' must be at least 1");
    check_refused("warp:32 l1:0 l2:0 segment:32 coalescing:half-warp" REST, 30,
                  "'coalescing' by half-warps");
    check_refused("warp:1 l1:0 l2:0 coalescing:half-warp" REST, 18, "'coalescing' by half-warps");
    check_refused("warp:32 l1:0 l2:0 banks:30" REST, 19, "'banks' must be a power of two");
    check_refused("warp:32 l1:0 l2:0 bank:128" REST, 19, "'bank' must be a power of two from 1");
    check_refused("warp:32 l1:0 l2:0 energy:1,1,1,3,2,4,0,0" REST, 19, "must not fall from L1");
    check_refused("warp:32 l1:0 l2:0 energy:1,1,1,0,0,0,0,0" REST, 19, "must not fall from L1");
    check_refused("warp:32 l1:0 l2:0 clock:700" REST, 1, "'bandwidth' must have GB/s");
    check_refused("warp:32 l1:0 l2:0 bandwidth:200,400,6" REST, 1, "go together; add 'clock'");
    check_refused("warp:32 l1:0 l2:0 clock:700 bandwidth:200,400,6 rates:1,1,0,1,1,1" REST, 49,
                  "all 'rates' must be positive");
    check_refused("warp:32 l1:0 l2:0 clock:700 bandwidth:200,400,6 rates:1,1,1,1,1,1 "
                  "latency:30,20,400" REST,
                  67, "not fall from L1 to L2");
    check_refused("maxregs:300 regs:256 blocks:1 threads:64 warp:32 l1:0 l2:0 w:1,2,3", 1,
                  "'maxregs' must be from 1 to 'regs'");
    hd_arena *arena = hd_arena_new();
    hd_device device = *found(arena, FERMI);
    device.w_dram = INFINITY;
    assert_int_equal(hd_device_check(NULL, &device), HD_EINPUT);
    hd_arena_free(arena);
}

/* ---- the shipped profiles ------------------------------------------------------ */

static void every_shipped_profile_loads(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    static const char *const names[] = {"a10",
                                        "a100",
                                        "amd-carrizo",
                                        "amd-kaveri",
                                        "b200",
                                        "firepro-s9000",
                                        "geforce-gtx1080",
                                        "geforce-gtx285",
                                        "geforce-gtx480",
                                        "geforce-gtx680",
                                        "geforce-titan-xp",
                                        "gh200",
                                        "h100",
                                        "h200",
                                        "intel-max-1550",
                                        "l4",
                                        "l40s",
                                        "mi100",
                                        "mi210",
                                        "mi250x",
                                        "mi300a",
                                        "mi300x",
                                        "radeon-fiji",
                                        "rtx-3090",
                                        "rtx-4090",
                                        "rtx-5090",
                                        "rx-7900-xtx",
                                        "t4",
                                        "tesla-c1060",
                                        "tesla-k20c",
                                        "tesla-k20m",
                                        "tesla-k20x",
                                        "tesla-k80",
                                        "tesla-m2050",
                                        "tesla-p100",
                                        "v100"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const hd_device *d = found(arena, names[i]);
        assert_string_equal(d->name, names[i]);
        assert_non_null(d->source_file);
        assert_true(strlen(d->title) > 5);
        assert_true(d->w_l1 == 1 && d->sms > 0);
        assert_same_numbers(d, found(arena, hd_device_print(arena, d)));
        assert_same_numbers(d, found(arena, d->source_file));
    }
    /* and none beside them */
    const hd_device **all;
    size_t count;
    assert_int_equal(hd_device_list(arena, NULL, &all, &count), HD_OK);
    assert_int_equal(count, sizeof names / sizeof *names + 1);
    hd_arena_free(arena);
}

/* What holds of every GPU that there is a profile of; a slip of a digit or a unit breaks it. */
static void figures_of_shipped_profiles_are_plausible(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    const hd_device **all;
    size_t count;
    assert_int_equal(hd_device_list(arena, NULL, &all, &count), HD_OK);
    for (size_t i = 0; i + 1 < count; i++) {
        const hd_device *d = all[i];
        bool plausible =
            (d->warp == 16 || d->warp == 32 || d->warp == 64) && d->segment >= 32 &&
            d->segment <= 128 && d->l1.size <= UINT64_C(512) << 10 &&
            d->l2.size <= UINT64_C(256) << 20 && d->w_l2 >= 1.5 * d->w_l1 &&
            d->w_dram >= 1.5 * d->w_l2 && d->w_dram <= 100 && d->max_blocks >= 8 &&
            d->max_threads >= 1024 && d->max_threads <= 2560 &&
            /* all threads at once have at least 16 registers each, one has not them all */
            d->registers >= 16 * d->max_threads && d->max_registers * d->warp < d->registers;
        const hd_device_energy *e = &d->energy; /* peaks stay near what boards can draw */
        plausible = plausible && e->fp32 >= 1 && e->fp32 <= 1000 && e->fp64 > e->fp32 &&
                    e->l1 < e->l2 && e->l2 < e->dram && e->dram >= 30 && e->dram <= 1000 &&
                    e->idle >= 5 && e->idle <= 200;
        plausible = plausible && (!d->l1.size || !d->l2.size || d->l1.size < d->l2.size);
        if (!plausible)
            fail_msg("%s: %s", d->name, hd_device_print(arena, d));
    }
    hd_arena_free(arena);
}

static void every_figure_of_a_shipped_profile_has_a_source(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    const hd_device **all;
    size_t count;
    assert_int_equal(hd_device_list(arena, NULL, &all, &count), HD_OK);
    for (size_t i = 0; i + 1 < count; i++) {
        char *text, *line, *rest;
        size_t length;
        uint32_t figures = 0, sources = 0;
        assert_int_equal(hd_read_file(arena, NULL, all[i]->source_file, &text, &length), HD_OK);
        for (rest = text; (line = strsep(&rest, "\n"));) {
            figures += *line != '#' && strstr(line, ": {") != NULL;
            const char *source = strstr(line, "source: ");
            /* a source says more than that there is one */
            sources += source && *line != '#' && strlen(source) > strlen("source: \"x\"}");
        }
        if (figures < 10 || sources != figures)
            fail_msg("%s: %u figures, %u sources", all[i]->name, figures, sources);
    }
    hd_arena_free(arena);
}

/* Peng et al., table II and section IV-C. */
static void devices_of_the_paper_have_its_figures(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    assert_string_equal(hd_device_print(arena, found(arena, "tesla-m2050")),
                        "warp:32 l1:64k/128 l2:768k/32 w:1,30,100 blocks:8 threads:1536 "
                        "regs:32768 segment:128 maxregs:63 sms:14 coalescing:warp "
                        "l1tags:128/8 l2tags:128/8 l1write:evict "
                        "shared:49152 clock:1150 bandwidth:148.4,201,6 "
                        "rates:32,16,32,4,64,1 latency:45,310,685 "
                        "energy:199,638,279,187,494,640,80,33.8");
    assert_string_equal(
        hd_device_print(arena, found(arena, "tesla-k20c")),
        "warp:32 l1:0 l2:1536k/32 w:1,30,100 blocks:16 threads:2048 regs:65536 "
        "segment:128 maxregs:255 sms:13 coalescing:warp l2tags:128/16 "
        "shared:49152 compiler:nvptx64 clock:706 bandwidth:208,452,6 "
        "rates:192,64,160,32,128,5 latency:188,188,331 energy:58.3,187,81.7,54.6,145,266,80,33.8");
    hd_arena_free(arena);
}

/* Kofler, Cosenza and Fahringer, table 1; and the tiles that their section 4 names for 16 bytes. */
static void gpus_of_kofler_have_their_epsilon_and_tree(void **state) {
    (void)state;
    static const struct {
        const char *name, *tiles;
        uint32_t epsilon;
        uint64_t of_16_bytes;
    } rows[] = {
        {"firepro-s9000", "1024 to 12, 512 to 20, 16384 to 32, 32 to 48, AoS", 64, 512},
        {"geforce-gtx480", "AoS to 8, SoA to 12, 512 to 96, SoA", 128, 512},
        {"tesla-k20m", "SoA to 20, 8192 to 48, 16384 to 96, 32768", 128, HD_TILE_SOA},
    };
    hd_arena *arena = hd_arena_new();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const hd_device *d = found(arena, rows[i].name);
        const char *why;
        assert_int_equal(hd_device_epsilon(d, &why), rows[i].epsilon);
        assert_non_null(strstr(why, "profile"));
        assert_non_null(d->tiles);
        assert_string_equal(hd_tile_steps_print(arena, d->tiles), rows[i].tiles);
        assert_true(hd_tile_select(d->tiles, 16) == rows[i].of_16_bytes);
    }
    hd_arena_free(arena);
}

static void list_is_sorted_and_ends_with_the_host(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    const hd_device **devices;
    size_t count;
    assert_int_equal(hd_device_list(arena, NULL, &devices, &count), HD_OK);
    assert_true(count >= 28);
    for (size_t i = 1; i + 1 < count; i++)
        assert_true(strcmp(devices[i - 1]->name, devices[i]->name) < 0);
    assert_string_equal(devices[count - 1]->name, "host");
    hd_arena_free(arena);
}

static void host_is_read_from_the_machine(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    const hd_device *host = found(arena, "host");
    assert_string_equal(host->name, "host");
    assert_true(host->warp == 4 || host->warp == 8 || host->warp == 16);
    assert_true(host->sms >= 1 && host->sms <= (uint32_t)sysconf(_SC_NPROCESSORS_CONF));
    assert_true(host->segment >= 16);
    assert_same_numbers(host, found(arena, hd_device_print(arena, host)));
    hd_arena_free(arena);
}

/* ---- profiles that are refused --------------------------------------------------- */

static const char good_profile[] = "title: A device\n"
                                   "warp: {value: 32, source: s}\n"
                                   "l1: {size: 48k, line: 128, source: s}\n"
                                   "l2: {size: 768k, line: 32, source: s}\n"
                                   "w: {l1: 1, l2: 30, dram: 100, source: s}\n"
                                   "segment: {value: 128, source: s}\n"
                                   "sms: {value: 14, source: s}\n"
                                   "blocks: {value: 8, source: s}\n"
                                   "threads: {value: 1536, source: s}\n"
                                   "regs: {value: 32768, source: s}\n"
                                   "maxregs: {value: 63, source: s}\n";

typedef struct folder {
    hd_arena *arena;
    char *path;
    char *profile; /* path of mine.yaml in it */
} folder;

static int make_folder(void **state) {
    folder *f = calloc(1, sizeof *f);
    f->arena = hd_arena_new();
    f->path = folder_make(f->arena);
    f->profile = hd_format(f->arena, "%s/mine.yaml", f->path);
    *state = f;
    return 0;
}

static int remove_folder(void **state) {
    folder *f = *state;
    unsetenv("HEDDLE_DEVICES");
    folder_remove(f->path);
    hd_arena_free(f->arena);
    free(f);
    return 0;
}

/* The good profile with `from` replaced by `to`; `from` NULL: `to` alone. */
static char *changed(hd_arena *arena, const char *from, const char *to) {
    if (!from)
        return hd_strdup(arena, to);
    const char *at = strstr(good_profile, from);
    assert_non_null(at);
    return hd_format(arena, "%.*s%s%s", (int)(at - good_profile), good_profile, to,
                     at + strlen(from));
}

static hd_status read_changed(folder *f, const char *text, heard *h, const hd_device **device) {
    hd_diag diag = {hear, h};
    assert_int_equal(hd_write_file(NULL, f->profile, text, strlen(text)), HD_OK);
    *device = NULL;
    return hd_device_read(f->arena, &diag, f->profile, device);
}

static void check_profile_refused(folder *f, const char *from, const char *to, unsigned line,
                                  const char *says) {
    heard h = {0};
    const hd_device *device;
    char *text = changed(f->arena, from, to);
    assert_int_equal(read_changed(f, text, &h, &device), HD_EINPUT);
    assert_null(device);
    assert_int_equal(h.count, 1);
    assert_string_equal(h.file, f->profile);
    if (h.line != line || !strstr(h.text, says))
        fail_msg("%s: at line %u: %s", to, h.line, h.text);
}

static void bad_profiles_give_one_located_error(void **state) {
    folder *f = *state;
    check_profile_refused(f, "value: 32,", "valeu: 32,", 2,
                          "unknown key 'valeu' of 'warp'; the keys are: value, source");
    check_profile_refused(f, "l2: {size: 768k", "l2: {sise: 768k", 4,
                          "unknown key 'sise' of 'l2'; the keys are: size, line, source");
    check_profile_refused(f, "segment:", "segmant:", 6,
                          "unknown key 'segmant'; the keys are: title, warp, l1");
    check_profile_refused(f, "sms: {value: 14, source: s}\n", "", 1,
                          "the key 'sms' is missing; add it, as in 'sms: {value: 32, source: ");
    check_profile_refused(f, "line: 128, source: s", "line: 128", 3,
                          "the key 'source' of 'l1' is missing; add it");
    check_profile_refused(f, "{value: 32, source: s}", "32", 2,
                          "'warp' must be a mapping of keys to values: 'warp: {value: 32, ");
    check_profile_refused(f, "{value: 32, source: s}", "[32]", 2,
                          "'warp' must be a mapping of keys to values: 'warp: {value: 32, ");
    check_profile_refused(f, "value: 32", "value: [32]", 2, "'value' must be a single value");
    check_profile_refused(f, "value: 8", "value: many", 8,
                          "'blocks' must be a whole number below 2^32, not 'many'");
    check_profile_refused(f, "value: 8", "value: -8", 8, "'blocks' must be a whole number");
    check_profile_refused(f, "value: 8", "value: 8.5", 8, "'blocks' must be a whole number");
    check_profile_refused(f, "dram: 100", "dram: 100 cycles", 5, "the weights 'w' must be numbers");
    check_profile_refused(f, "dram: 100", "dram: 10", 5, "the weights 'w' must be positive");
    check_profile_refused(f, "value: 32,", "value: 31,", 2, "'warp' must be a power of two");
    check_profile_refused(f, "sms:", "coalescing: {value: quarter-warp, source: s}\nsms:", 7,
                          "'coalescing' must be warp or half-warp, not 'quarter-warp'");
    check_profile_refused(f, "sms:", "tiles: {value: \"512 to 20\", source: s}\nsms:", 7,
                          "'tiles' must be tiles with the bytes that each goes to");
    check_profile_refused(f, "128, source: s}\nsms:",
                          "64, source: s}\ncoalescing: {value: half-warp, source: s}\nsms:", 7,
                          "'coalescing' by half-warps");
    check_profile_refused(f, "title: A device", "title: ''", 1, "'title' is empty; fill it in");
    check_profile_refused(f, "warp:", "title: twice\nwarp:", 2,
                          "the key 'title' stands here twice");
    check_profile_refused(f, "sms: {", "sms: }", 7, "this is not YAML");
    check_profile_refused(f, "A device", "[A, device]", 1, "'title' must be a single value");
    check_profile_refused(f, "A device\nwarp: {value: 32", "&a A\nwarp: {value: *a", 2,
                          "aliases are not read here; write the value out");
    check_profile_refused(f, NULL, "", 1, "the file is empty; a profile has the keys: title, warp");
    check_profile_refused(f, NULL, "# nothing\n", 1,
                          "the file is empty; a profile has the keys: title, warp");
    check_profile_refused(
        f, NULL, "- 1\n- 2\n", 1,
        "a profile must be a mapping of keys to values, such as 'title: My device'");
    check_profile_refused(f, NULL, "\x80\xff", 1, "this is not YAML");
}

/* Devices of compute capability 1.3 say which lanes are joined; others need not. */
static void coalescing_is_a_figure_of_its_own(void **state) {
    folder *f = *state;
    heard h = {0};
    const hd_device *device;
    assert_int_equal(read_changed(f, good_profile, &h, &device), HD_OK);
    assert_int_equal(device->coalescing, HD_COALESCE_WARP);
    assert_int_equal(hd_device_request_lanes(device), 32);
    assert_int_equal(hd_device_segment_for(device, 1), 128);
    device = found(f->arena, "tesla-c1060");
    assert_int_equal(device->coalescing, HD_COALESCE_HALF_WARP);
    assert_int_equal(hd_device_request_lanes(device), 16);
    static const uint32_t widths[] = {1, 2, 4, 8, 16}, segments[] = {32, 64, 128, 128, 128};
    for (int i = 0; i < 5; i++)
        assert_int_equal(hd_device_segment_for(device, widths[i]), segments[i]);
    assert_non_null(strstr(hd_device_print(f->arena, device), " coalescing:half-warp"));
}

static void check_epsilon(const hd_device *device, uint32_t epsilon, const char *says) {
    const char *why;
    assert_int_equal(hd_device_epsilon(device, &why), epsilon);
    assert_int_equal(hd_device_epsilon(device, NULL), epsilon);
    if (!strstr(why, says))
        fail_msg("%s: %s", device->name, why);
}

/* What the profile says, or else what one miss brings. */
static void epsilon_has_a_reason(void **state) {
    folder *f = *state;
    heard h = {0};
    const hd_device *device;
    check_epsilon(found(f->arena, FERMI), 128, "a line of its L1");
    check_epsilon(found(f->arena, FERMI " epsilon:96"), 96, "what its profile says");
    check_epsilon(found(f->arena, "h200"), 32, "a sector of its L1");
    check_epsilon(found(f->arena, "mi210"), found(f->arena, "mi210")->l1.line, "a line of its L1");
    check_epsilon(found(f->arena, "geforce-gtx680"), 32, "its L1 does not hold global memory");
    check_epsilon(found(f->arena, "tesla-c1060"), 128, "a transaction, as no cache");
    char *text = hd_format(f->arena,
                           "%sepsilon: {value: 64, source: s}\n"
                           "tiles: {value: \"512 to 20, SoA\", source: s}\n",
                           good_profile);
    assert_int_equal(read_changed(f, text, &h, &device), HD_OK);
    check_epsilon(device, 64, "what its profile says");
    assert_string_equal(hd_tile_steps_print(f->arena, device->tiles), "512 to 20, SoA");
}

static void missing_profile_is_an_error(void **state) {
    folder *f = *state;
    heard h = {0};
    hd_diag diag = {hear, &h};
    const hd_device *device = NULL;
    assert_int_equal(hd_device_find(f->arena, &diag, f->profile, &device), HD_EINPUT);
    assert_int_equal(h.count, 1);
    assert_string_equal(h.file, f->profile);
    assert_non_null(strstr(h.text, "cannot open"));
    assert_null(device);
}

/* Damaged profiles load or give one message; they never crash. */
static void damaged_profiles_never_crash(void **state) {
    folder *f = *state;
    const char signs[] = "{}[]:,-#&*!|>'\"%@\n\t 09az\x80\xff";
    uint32_t dice = 12345;
    for (int round = 0; round < 400; round++) {
        char text[sizeof good_profile];
        strcpy(text, good_profile);
        for (int change = 0; change < 1 + round % 4; change++) {
            dice = dice * 1664525 + 1013904223;
            size_t at = (dice >> 8) % (sizeof good_profile - 1);
            text[at] = signs[(dice >> 4) % (sizeof signs - 1)];
        }
        heard h = {0};
        const hd_device *device;
        hd_status status = read_changed(f, text, &h, &device);
        assert_int_equal(h.count, status != HD_OK);
        assert_int_equal(device != NULL, status == HD_OK);
        if (status != HD_OK)
            assert_true(h.line >= 1);
    }
}

/* ---- finding ---------------------------------------------------------------------- */

static void own_folder_is_searched_first(void **state) {
    folder *f = *state;
    assert_int_equal(hd_write_file(NULL, f->profile, good_profile, strlen(good_profile)), HD_OK);
    setenv("HEDDLE_DEVICES", f->path, 1);
    const hd_device *d = found(f->arena, "mine");
    assert_string_equal(d->name, "mine");
    assert_string_equal(d->title, "A device");
    assert_int_equal(d->sms, 14);

    char *shadow = hd_format(f->arena, "%s/h200.yaml", f->path);
    assert_int_equal(hd_write_file(NULL, shadow, good_profile, strlen(good_profile)), HD_OK);
    assert_string_equal(found(f->arena, "h200")->title, "A device");
    unlink(shadow);
    assert_string_not_equal(found(f->arena, "h200")->title, "A device");
}

static void unknown_name_lists_the_known_ones(void **state) {
    folder *f = *state;
    assert_int_equal(hd_write_file(NULL, f->profile, good_profile, strlen(good_profile)), HD_OK);
    setenv("HEDDLE_DEVICES", f->path, 1);
    heard h = {0};
    hd_diag diag = {hear, &h};
    const hd_device *device = NULL;
    assert_int_equal(hd_device_find(f->arena, &diag, "tesla-k20", &device), HD_EINPUT);
    assert_int_equal(h.count, 1);
    assert_non_null(
        strstr(h.text, "there is no device 'tesla-k20'; known are a10, a100, amd-carrizo, "));
    assert_non_null(strstr(h.text, "mine, "));
    assert_non_null(strstr(h.text, "tesla-m2050, tesla-p100, v100, host, "));
}

static void own_folder_must_exist(void **state) {
    folder *f = *state;
    char *nowhere = hd_format(f->arena, "%s/nowhere", f->path);
    setenv("HEDDLE_DEVICES", nowhere, 1);
    heard h = {0};
    hd_diag diag = {hear, &h};
    const hd_device *device = NULL;
    assert_int_equal(hd_device_find(f->arena, &diag, "h200", &device), HD_EINPUT);
    assert_int_equal(h.count, 1);
    assert_string_equal(h.file, nowhere);
    assert_non_null(strstr(h.text, "HEDDLE_DEVICES"));
}

#define in_folder(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void) {
    unsetenv("HEDDLE_DEVICES");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(synthetic_form_sets_every_figure),
        cmocka_unit_test(printing_and_parsing_are_inverse),
        cmocka_unit_test(synthetic_errors_name_the_place),
        cmocka_unit_test(numbers_without_sense_are_refused),
        cmocka_unit_test(every_shipped_profile_loads),
        cmocka_unit_test(figures_of_shipped_profiles_are_plausible),
        cmocka_unit_test(every_figure_of_a_shipped_profile_has_a_source),
        cmocka_unit_test(devices_of_the_paper_have_its_figures),
        cmocka_unit_test(gpus_of_kofler_have_their_epsilon_and_tree),
        cmocka_unit_test(list_is_sorted_and_ends_with_the_host),
        cmocka_unit_test(host_is_read_from_the_machine),
        in_folder(bad_profiles_give_one_located_error),
        in_folder(coalescing_is_a_figure_of_its_own),
        in_folder(epsilon_has_a_reason),
        in_folder(missing_profile_is_an_error),
        in_folder(damaged_profiles_never_crash),
        in_folder(own_folder_is_searched_first),
        in_folder(unknown_name_lists_the_known_ones),
        in_folder(own_folder_must_exist),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
