/*
 * What the machine has: a clock, cores, and memory that is still to be had. Linux hands out more
 * memory than there is, and kills whoever touches it, so what is large is asked for here before it
 * is allocated.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"

double hd_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

uint32_t hd_core_count(void) {
    cpu_set_t usable;
    long count = sched_getaffinity(0, sizeof usable, &usable) == 0
                     ? CPU_COUNT(&usable)
                     : sysconf(_SC_NPROCESSORS_ONLN); /* the set is too small for the machine */
    return count > 0 ? (uint32_t)count : 1;
}

/* The number behind `key` in a file of lines "key number"; an empty key: the first number. */
static bool read_number(const char *path, const char *key, uint64_t *number) {
    FILE *file = fopen(path, "r");
    char line[256];
    size_t length = strlen(key);
    bool found = false;
    while (file && !found && fgets(line, sizeof line, file)) {
        char *end;
        if (strncmp(line, key, length) != 0)
            continue;
        *number = strtoull(line + length, &end, 10);
        found = end != line + length;
    }
    if (file)
        fclose(file);
    return found;
}

static uint64_t less(uint64_t from, uint64_t taken) { return from > taken ? from - taken : 0; }

/* Of a control group; what it keeps of files can be taken back. */
static uint64_t free_of_group(const char *limit_path, const char *used_path, const char *stat_path,
                              const char *files_key) {
    uint64_t limit, used, files = 0;
    if (!read_number(limit_path, "", &limit) || !read_number(used_path, "", &used))
        return UINT64_MAX;
    read_number(stat_path, files_key, &files);
    return less(limit, less(used, files));
}

uint64_t hd_memory_free(void) {
    uint64_t kilobytes, pages;
    struct rlimit limit;
    uint64_t least[] = {UINT64_MAX, UINT64_MAX,
                        free_of_group("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current",
                                      "/sys/fs/cgroup/memory.stat", "inactive_file "),
                        free_of_group("/sys/fs/cgroup/memory/memory.limit_in_bytes",
                                      "/sys/fs/cgroup/memory/memory.usage_in_bytes",
                                      "/sys/fs/cgroup/memory/memory.stat", "total_inactive_file ")};
    if (read_number("/proc/meminfo", "MemAvailable:", &kilobytes))
        least[0] = kilobytes * 1024;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && /* `ulimit -v` */
        read_number("/proc/self/statm", "", &pages))
        least[1] = less(limit.rlim_cur, pages * (uint64_t)sysconf(_SC_PAGESIZE));
    for (size_t i = 1; i < sizeof least / sizeof *least; i++)
        least[0] = least[i] < least[0] ? least[i] : least[0];
    return least[0];
}
