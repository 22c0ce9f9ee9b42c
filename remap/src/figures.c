/*
 * The file of a device's figures, $XDG_CACHE_HOME/heddle/remap-HASH.txt:
 *
 *     heddle remap figures 3
 *     device NAME
 *     driver VERSION
 *     units COUNT
 *     transfers DIRECTION latency chunk transfer staged overlap
 *     kind KIND DIRECTION transfer remap host zero-copy group per-item direct settled
 *     place KIND DIRECTION PLACEMENT rate
 *     lesson MAP chunked bulk host zero-copy
 *     end
 *
 * Numbers are whole ones, which every locale writes alike: nanoseconds, bytes per second, and
 * thousandths of the overlap. Of a lesson it is what three moves have told, or 0. It is a cache: whatever does not look like that, to the last line, is
 * not there.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "remap/calibrate.h"

static const char head[] = "heddle remap figures 3";

/* The lines that say which device it is. A part of one has its name, but fewer units. */
static const char *identity(hd_arena *arena, const hd_compute *gpu) {
    return hd_format(arena, "%s\ndevice %s\ndriver %s\nunits %u\n", head, gpu->device.name,
                     gpu->device.driver, gpu->units);
}

/* Empty variables and relative folders are as good as none (XDG Base Directory Specification). */
char *hd_remap_figures_path(hd_arena *arena, const hd_compute *gpu) {
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    bool has_cache = cache && *cache == '/';
    const char *of_device = identity(arena, gpu) + strlen(head);
    uint64_t hash = hd_hash_bytes(HD_HASH_START, of_device, strlen(of_device));
    if (!has_cache && !(home && *home == '/'))
        return NULL;
    return hd_format(arena, "%s/heddle/remap-%016" PRIx64 ".txt",
                     has_cache ? cache : hd_format(arena, "%s/.cache", home), hash);
}

/* ---- reading ------------------------------------------------------------------------- */

/* The next line of *text, without its newline; NULL at the end. */
static char *next_line(char **text) {
    char *line = *text, *end = strchr(line, '\n');
    if (!end)
        return NULL;
    *end = '\0';
    *text = end + 1;
    return line;
}

static bool is_figure(double value) { return isfinite(value) && value >= 0; }

static bool read_transfers(const char *line, hd_remap_figures *figures) {
    unsigned direction;
    hd_remap_transfer_figures f;
    if (sscanf(line, "transfers %u %lf %lf %lf %lf %lf", &direction, &f.latency, &f.chunk,
               &f.transfer, &f.staged, &f.overlap) != 6 ||
        direction > 1 || !is_figure(f.latency) || !is_figure(f.chunk) || !is_figure(f.transfer) ||
        !is_figure(f.staged) || !(f.overlap >= 0 && f.overlap <= 1000) || f.transfer == 0 ||
        f.staged == 0)
        return false;
    f.latency *= 1e-9;
    f.chunk *= 1e-9;
    f.overlap *= 1e-3;
    figures->transfers[direction] = f;
    return true;
}

static bool read_kind(const char *line, hd_remap_figures *figures) {
    unsigned kind, direction, direct, settled;
    hd_remap_kind_figures f;
    if (sscanf(line, "kind %u %u %lf %lf %lf %lf %u %u %u %u", &kind, &direction, &f.transfer,
               &f.remap, &f.host, &f.zero_copy, &f.tuning.group, &f.tuning.per_item, &direct,
               &settled) != 10 ||
        kind >= HD_REMAP_KINDS || direction > 1 || direct > 1 || settled > 1 ||
        f.tuning.group > 1024 || f.tuning.per_item > 1 << 20 || !is_figure(f.transfer) ||
        !is_figure(f.remap) || !is_figure(f.host) || !is_figure(f.zero_copy) || f.transfer == 0 ||
        f.remap == 0 || f.host == 0)
        return false;
    f.tuning.direct = direct;
    f.settled = settled;
    memcpy(f.in_place, figures->kinds[kind][direction].in_place, sizeof f.in_place);
    figures->kinds[kind][direction] = f;
    return true;
}

static bool read_place(const char *line, hd_remap_figures *figures) {
    unsigned kind, direction, placement;
    double rate;
    if (sscanf(line, "place %u %u %u %lf", &kind, &direction, &placement, &rate) != 4 ||
        kind >= HD_REMAP_KINDS || direction > 1 || placement >= HD_REMAP_PLACEMENTS ||
        !is_figure(rate) || rate == 0)
        return false;
    figures->kinds[kind][direction].in_place[placement] = rate;
    return true;
}

/* Behind those that are there. */
static bool read_lesson(const char *line, hd_remap_figures *figures) {
    hd_remap_lesson *lesson = figures->lessons;
    double seconds[HD_REMAP_STRATEGIES];
    while (lesson < figures->lessons + HD_REMAP_LESSONS && lesson->map)
        lesson++;
    if (lesson == figures->lessons + HD_REMAP_LESSONS ||
        sscanf(line, "lesson %" SCNx64 " %lf %lf %lf %lf", &lesson->map, &seconds[HD_REMAP_CHUNKED],
               &seconds[HD_REMAP_BULK], &seconds[HD_REMAP_HOST], &seconds[HD_REMAP_ZERO_COPY]) != 5)
        return false;
    for (int s = HD_REMAP_CHUNKED; s < HD_REMAP_STRATEGIES; s++)
        for (int i = 0; i < HD_REMAP_LATEST; i++)
            lesson->seconds[s][i] = seconds[s] * 1e-9;
    return lesson->map && is_figure(seconds[HD_REMAP_CHUNKED]) &&
           is_figure(seconds[HD_REMAP_BULK]) && is_figure(seconds[HD_REMAP_HOST]) &&
           is_figure(seconds[HD_REMAP_ZERO_COPY]);
}

/* `text` is what follows the lines of the device. */
static bool read_text(char *text, hd_remap_figures *figures) {
    const char *line;
    while ((line = next_line(&text)) && strcmp(line, "end") != 0)
        if (!read_transfers(line, figures) && !read_kind(line, figures) &&
            !read_place(line, figures) && !read_lesson(line, figures))
            return false;
    return line && !*text;
}

void hd_remap_figures_read(const hd_compute *gpu, hd_remap_figures *figures) {
    hd_arena *arena = hd_arena_new();
    const hd_diag quiet = {0};
    const char *path = hd_remap_figures_path(arena, gpu), *of_device = identity(arena, gpu);
    char *text;
    size_t length, begin = strlen(of_device);
    *figures = (hd_remap_figures){0};
    if (path && hd_read_file(arena, &quiet, path, &text, &length) == HD_OK &&
        (strlen(text) != length || strncmp(text, of_device, begin) != 0 ||
         !read_text(text + begin, figures)))
        *figures = (hd_remap_figures){0};
    hd_arena_free(arena);
}

/* ---- writing -------------------------------------------------------------------------- */

void hd_remap_figures_write(const hd_compute *gpu, const hd_remap_figures *figures) {
    hd_arena *arena = hd_arena_new();
    const hd_diag quiet = {0};
    hd_str out = {.arena = arena};
    char *path = hd_remap_figures_path(arena, gpu);
    hd_str_add(&out, identity(arena, gpu));
    for (unsigned d = 0; d < 2; d++) {
        const hd_remap_transfer_figures *t = &figures->transfers[d];
        if (t->transfer > 0)
            hd_str_printf(&out, "transfers %u %.0f %.0f %.0f %.0f %.0f\n", d, t->latency * 1e9,
                          t->chunk * 1e9, t->transfer, t->staged, t->overlap * 1e3);
        for (unsigned k = 0; k < HD_REMAP_KINDS; k++) {
            const hd_remap_kind_figures *f = &figures->kinds[k][d];
            if (f->remap > 0)
                hd_str_printf(&out, "kind %u %u %.0f %.0f %.0f %.0f %u %u %u %u\n", k, d,
                              f->transfer, f->remap, f->host, f->zero_copy, f->tuning.group,
                              f->tuning.per_item, f->tuning.direct, f->settled);
            for (unsigned p = 0; p < HD_REMAP_PLACEMENTS; p++)
                if (f->in_place[p] > 0)
                    hd_str_printf(&out, "place %u %u %u %.0f\n", k, d, p, f->in_place[p]);
        }
    }
    for (const hd_remap_lesson *l = figures->lessons;
         l < figures->lessons + HD_REMAP_LESSONS && l->map; l++) {
        hd_str_printf(&out, "lesson %016" PRIx64, l->map);
        for (int s = HD_REMAP_CHUNKED; s < HD_REMAP_STRATEGIES; s++)
            hd_str_printf(&out, " %.0f", hd_remap_learned(l, (hd_remap_strategy)s) * 1e9);
        hd_str_add(&out, "\n");
    }
    hd_str_add(&out, "end\n");
    for (char *slash = path; slash && (slash = strchr(slash + 1, '/'));) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
    if (path)
        hd_write_file(&quiet, path, hd_str_text(&out), out.length);
    hd_arena_free(arena);
}
