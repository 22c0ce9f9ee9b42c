#include "watch/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"

struct hd_progress {
    const char *title;   /* of the kernel */
    uint64_t launches;   /* before this one */
    double start, shown; /* of this one; when the line was last written */
    bool is_there;       /* the line */
};

static bool is_quiet(const char *name) {
    const char *text = getenv(name);
    return text && !strncmp(text, "quiet", 5) && (!text[5] || text[5] == ' ');
}

hd_progress *hd_progress_new(hd_arena *arena) {
    if (is_quiet("HEDDLE_WATCH_OPTIONS") || is_quiet("HEDDLE_RECORD_OPTIONS"))
        return NULL;
    return hd_new(arena, hd_progress);
}

static void show(const hd_progress *g, double share, double spent) {
    enum { MOST_NAME = 40 };
    hd_arena *arena = hd_arena_new();
    size_t length = strcspn(g->title, "<(");
    const char *left = share >= 0.01 ? hd_format(arena, ", about %s left",
                                                 hd_show_seconds(arena, spent / share - spent))
                                     : "";
    fprintf(stderr, "\r\033[Kheddle: %.*s: launch %llu, %d%% of its blocks%s",
            (int)(length < MOST_NAME ? length : MOST_NAME), g->title,
            (unsigned long long)g->launches, (int)(100 * share), left);
    fflush(stderr);
    hd_arena_free(arena);
}

static void hear(void *user, uint64_t done, uint64_t count) {
    static const double first = 1, each = 0.25; /* seconds */
    hd_progress *g = user;
    double now = hd_clock(), spent = now - g->start;
    if (spent < first || now - g->shown < each || !isatty(STDERR_FILENO))
        return;
    g->shown = now;
    g->is_there = true;
    show(g, count ? (double)done / (double)count : 1, spent);
}

static void print(void *user, const char *text, size_t length) {
    hd_progress_erase(user);
    fwrite(text, 1, length, stdout);
}

void hd_progress_options(hd_progress *g, hd_ptx_options *options) {
    if (!g)
        return;
    options->progress = hear;
    options->print = print;
    options->user = g;
}

void hd_progress_launch(hd_progress *g, const char *title) {
    if (!g)
        return;
    g->title = title;
    g->start = hd_clock();
    g->shown = 0;
}

void hd_progress_launched(hd_progress *g) {
    if (!g)
        return;
    hd_progress_erase(g);
    g->launches++;
}

void hd_progress_erase(hd_progress *g) {
    if (!g || !g->is_there)
        return;
    fputs("\r\033[K", stderr);
    fflush(stderr);
    g->is_there = false;
}
