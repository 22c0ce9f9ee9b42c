/*
 * Memory that is still to be had. Linux hands out more than there is, and kills whoever
 * touches it, so what is large is asked for here before it is allocated.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/base.h"

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

/* Of this process, by `ulimit -v`. */
static uint64_t free_of_process(void) {
    struct rlimit limit;
    uint64_t pages;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
        !read_number("/proc/self/statm", "", &pages))
        return UINT64_MAX;
    return less(limit.rlim_cur, pages * (uint64_t)sysconf(_SC_PAGESIZE));
}

uint64_t hd_memory_free(void) {
    uint64_t kilobytes, least = UINT64_MAX;
    if (read_number("/proc/meminfo", "MemAvailable:", &kilobytes))
        least = kilobytes * 1024;
    const uint64_t others[] = {
        free_of_group("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current",
                      "/sys/fs/cgroup/memory.stat", "inactive_file "),
        free_of_group("/sys/fs/cgroup/memory/memory.limit_in_bytes",
                      "/sys/fs/cgroup/memory/memory.usage_in_bytes",
                      "/sys/fs/cgroup/memory/memory.stat", "total_inactive_file "),
        free_of_process()};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        least = others[i] < least ? others[i] : least;
    return least;
}
