/*
 * Hardware events of the threads of this process (perf_event_open(2)).
 */
#include "advise/measure/counters.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct {
    const char *name;
    uint64_t config;
} events[HD_PERF_EVENTS] = {{"cycles", PERF_COUNT_HW_CPU_CYCLES},
                            {"instructions", PERF_COUNT_HW_INSTRUCTIONS},
                            {"cache_references", PERF_COUNT_HW_CACHE_REFERENCES},
                            {"cache_misses", PERF_COUNT_HW_CACHE_MISSES},
                            {"stalled_frontend", PERF_COUNT_HW_STALLED_CYCLES_FRONTEND},
                            {"stalled_backend", PERF_COUNT_HW_STALLED_CYCLES_BACKEND}};

static int open_of_system(struct perf_event_attr *event) {
    return (int)syscall(SYS_perf_event_open, event, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static const char *why_not(hd_arena *arena, int error) {
    const hd_diag silent = {0};
    char *level;
    size_t length;
    if (error == ENOENT || error == EOPNOTSUPP || error == ENODEV)
        return "the processor lets nobody read its counters, as in most virtual machines";
    if (error != EACCES && error != EPERM && error != ENOSYS)
        return hd_format(arena, "perf_event_open fails: %s", strerror(error));
    if (hd_read_file(arena, &silent, "/proc/sys/kernel/perf_event_paranoid", &level, &length))
        level = "not known";
    return hd_format(
        arena,
        "perf events are not allowed (kernel.perf_event_paranoid is %.*s): sudo sysctl "
        "kernel.perf_event_paranoid=2; a container must allow perf_event_open, too "
        "(--cap-add PERFMON)",
        (int)strcspn(level, "\n"), level);
}

void hd_perf_open(hd_arena *arena, int (*open_event)(struct perf_event_attr *event),
                  hd_perf *perf) {
    hd_str names = {.arena = arena};
    int error = 0;
    for (int e = 0; e < HD_PERF_EVENTS; e++) {
        /* What the system's kernel does takes more permission. */
        struct perf_event_attr event = {.type = PERF_TYPE_HARDWARE,
                                        .size = sizeof event,
                                        .config = events[e].config,
                                        .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
                                                       PERF_FORMAT_TOTAL_TIME_RUNNING,
                                        .inherit = 1,
                                        .exclude_kernel = 1,
                                        .exclude_hv = 1};
        perf->files[e] = (open_event ? open_event : open_of_system)(&event);
        if (perf->files[e] >= 0)
            hd_str_printf(&names, "%s%s", names.length ? ", " : "", events[e].name);
        else if (!error)
            error = errno;
    }
    perf->names = hd_str_text(&names);
    perf->why = names.length ? NULL : why_not(arena, error);
}

void hd_perf_close(hd_perf *perf) {
    for (int e = 0; e < HD_PERF_EVENTS; e++)
        if (perf->files[e] >= 0)
            close(perf->files[e]);
}

void hd_perf_read(const hd_perf *perf, hd_perf_counts *counts) {
    *counts = (hd_perf_counts){0};
    for (int e = 0; e < HD_PERF_EVENTS; e++)
        if (perf->files[e] < 0 ||
            read(perf->files[e], &counts->of[e], sizeof counts->of[e]) != sizeof counts->of[e])
            memset(&counts->of[e], 0, sizeof counts->of[e]);
}

void hd_perf_add(hd_perf_counts *sum, const hd_perf_counts *before, const hd_perf_counts *after) {
    for (int e = 0; e < HD_PERF_EVENTS; e++) {
        if (after->of[e].running < before->of[e].running) /* it could not be read again */
            continue;
        sum->of[e].count += after->of[e].count - before->of[e].count;
        sum->of[e].enabled += after->of[e].enabled - before->of[e].enabled;
        sum->of[e].running += after->of[e].running - before->of[e].running;
    }
}

const char *hd_perf_print(hd_arena *arena, const hd_perf_counts *sum, double runs) {
    hd_str out = {.arena = arena};
    for (int e = 0; e < HD_PERF_EVENTS; e++)
        if (sum->of[e].running)
            hd_str_printf(&out, "%s%s=%.6g", out.length ? " " : "", events[e].name,
                          (double)sum->of[e].count * (double)sum->of[e].enabled /
                              (double)sum->of[e].running / runs);
    return out.length ? hd_str_text(&out) : "";
}
