/*
 * The file of a device's figures, $XDG_CACHE_HOME/heddle/remap-HASH.txt:
 *
 *     heddle remap figures 2
 *     device NAME
 *     driver VERSION
 *     transfers DIRECTION latency chunk transfer staged overlap
 *     kind KIND DIRECTION remap host zero-copy group per-item direct
 *     place KIND DIRECTION PLACEMENT rate
 *     end
 *
 * Numbers are whole ones, which every locale writes alike: nanoseconds, bytes per second, and
 * thousandths of the overlap. It is a cache: whatever does not look like that, to the last line, is
 * not there.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "remap/calibrate.h"

static const char head[] = "heddle remap figures 2";

/* Empty variables and relative folders are as good as none (XDG Base Directory Specification). */
char *hd_remap_figures_path(hd_arena *arena, const char *device, const char *driver) {
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    bool has_cache = cache && *cache == '/';
    uint64_t hash = hd_hash_bytes(HD_HASH_START, device, strlen(device));
    hash = hd_hash_bytes(hash, driver, strlen(driver));
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

static bool is_line(char **text, const char *key, const char *value) {
    const char *line = next_line(text);
    size_t length = strlen(key);
    return line && !strncmp(line, key, length) && line[length] == ' ' &&
           !strcmp(line + length + 1, value);
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
    unsigned kind, direction, direct;
    hd_remap_kind_figures f;
    if (sscanf(line, "kind %u %u %lf %lf %lf %u %u %u", &kind, &direction, &f.remap, &f.host,
               &f.zero_copy, &f.tuning.group, &f.tuning.per_item, &direct) != 8 ||
        kind >= HD_REMAP_KINDS || direction > 1 || direct > 1 || f.tuning.group > 1024 ||
        f.tuning.per_item > 1 << 20 || !is_figure(f.remap) || !is_figure(f.host) ||
        !is_figure(f.zero_copy) || f.remap == 0 || f.host == 0)
        return false;
    f.tuning.direct = direct;
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

static bool read_text(char *text, const char *device, const char *driver,
                      hd_remap_figures *figures) {
    const char *line = next_line(&text);
    if (!line || strcmp(line, head) != 0 || !is_line(&text, "device", device) ||
        !is_line(&text, "driver", driver))
        return false;
    while ((line = next_line(&text)) && strcmp(line, "end") != 0)
        if (!read_transfers(line, figures) && !read_kind(line, figures) &&
            !read_place(line, figures))
            return false;
    return line && !*text;
}

void hd_remap_figures_read(const char *device, const char *driver, hd_remap_figures *figures) {
    hd_arena *arena = hd_arena_new();
    const hd_diag quiet = {0};
    const char *path = hd_remap_figures_path(arena, device, driver);
    char *text;
    size_t length;
    *figures = (hd_remap_figures){0};
    if (path && hd_read_file(arena, &quiet, path, &text, &length) == HD_OK &&
        (strlen(text) != length || !read_text(text, device, driver, figures)))
        *figures = (hd_remap_figures){0};
    hd_arena_free(arena);
}

/* ---- writing -------------------------------------------------------------------------- */

void hd_remap_figures_write(const char *device, const char *driver,
                            const hd_remap_figures *figures) {
    hd_arena *arena = hd_arena_new();
    const hd_diag quiet = {0};
    hd_str out = {.arena = arena};
    char *path = hd_remap_figures_path(arena, device, driver);
    hd_str_printf(&out, "%s\ndevice %s\ndriver %s\n", head, device, driver);
    for (unsigned d = 0; d < 2; d++) {
        const hd_remap_transfer_figures *t = &figures->transfers[d];
        if (t->transfer > 0)
            hd_str_printf(&out, "transfers %u %.0f %.0f %.0f %.0f %.0f\n", d, t->latency * 1e9,
                          t->chunk * 1e9, t->transfer, t->staged, t->overlap * 1e3);
        for (unsigned k = 0; k < HD_REMAP_KINDS; k++) {
            const hd_remap_kind_figures *f = &figures->kinds[k][d];
            if (f->remap > 0)
                hd_str_printf(&out, "kind %u %u %.0f %.0f %.0f %u %u %u\n", k, d, f->remap, f->host,
                              f->zero_copy, f->tuning.group, f->tuning.per_item, f->tuning.direct);
            for (unsigned p = 0; p < HD_REMAP_PLACEMENTS; p++)
                if (f->in_place[p] > 0)
                    hd_str_printf(&out, "place %u %u %u %.0f\n", k, d, p, f->in_place[p]);
        }
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
