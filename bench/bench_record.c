/*
 * What `heddle record` costs whole OpenCL programs, the examples' hosts, and what it writes.
 *
 *     bench_record [--runs N]      5
 *
 * Runs of the program alone and recorded ones take turns; seconds are medians of whole processes by the
 * wall clock, of recordings with what the command does when the program has ended. `contents` are the
 * files' bytes, and the bytes that they have unpacked, each content once. Exit status 1 where a program
 * whose launches take 10 ms or more takes more than twice its time, or the files take more than what
 * they hold, or a program fails or prints something else.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <zstd.h>

#include "cli/report/report.h"
#include "shared/opencl_programs.h"

static const double most = 2, long_launch = 10e-3;

typedef struct contents {
    uint64_t packed, whole;
} contents;

static uint64_t unpacked(hd_arena *arena, const char *path, size_t *packed) {
    char *bytes;
    static char room[1 << 17];
    uint64_t whole = 0;
    if (hd_read_long_file(arena, &hd_silent, path, SIZE_MAX, &bytes, packed))
        return 0;
    ZSTD_DCtx *unpacker = ZSTD_createDCtx();
    ZSTD_inBuffer in = {bytes, *packed, 0};
    size_t left = 1;
    while (left && !ZSTD_isError(left)) {
        ZSTD_outBuffer out = {room, sizeof room, 0};
        left = ZSTD_decompressStream(unpacker, &out, &in);
        whole += out.pos;
        if (in.pos == in.size && !out.pos)
            break;
    }
    ZSTD_freeDCtx(unpacker);
    return whole;
}

static contents contents_of(const char *folder) {
    contents c = {0};
    DIR *all = opendir(folder);
    for (const struct dirent *e; all && (e = readdir(all));) {
        hd_arena *arena = hd_arena_new();
        const char *path = hd_format(arena, "%s/%s", folder, e->d_name);
        struct stat is;
        size_t bytes = 0;
        if (hd_ends_in(e->d_name, ".zst"))
            c.whole += unpacked(arena, path, &bytes);
        else if (!stat(path, &is) && S_ISREG(is.st_mode))
            c.whole += bytes = (size_t)is.st_size;
        c.packed += bytes;
        hd_arena_free(arena);
    }
    if (all)
        closedir(all);
    return c;
}

static uint64_t launches_in(const char *printed) {
    const char *at = strstr(printed, " launch");
    while (at && at > printed && at[-1] >= '0' && at[-1] <= '9')
        at--;
    return at ? strtoull(at, NULL, 10) : 0;
}

/* False: something is not as it should be. */
static bool measure(hd_arena *arena, const char *name, const char *program, int runs) {
    double alone[BENCH_MOST_RUNS], recorded[BENCH_MOST_RUNS], ratio[BENCH_MOST_RUNS];
    bool fine = true;
    uint64_t launches = 0;
    double kernels = 0;
    contents c = {0};
    for (int i = 0; i < runs; i++) {
        char *folder;
        if (hd_scratch_make(arena, &hd_silent, &folder))
            return false;
        const char *to = hd_format(arena, "%s/run", folder);
        const char *const words[] = {HEDDLE_PROGRAM, "record", "--quiet", "-o", to,
                                     "--",           program,  NULL};
        const bench_process x = bench_run(arena, (const char *[]){program, NULL}),
                            y = bench_run(arena, words);
        alone[i] = x.seconds;
        recorded[i] = y.seconds;
        ratio[i] = y.seconds / x.seconds;
        kernels = bench_kernel_seconds(x.printed);
        launches = launches_in(strchr(y.printed, '\n') ? strchr(y.printed, '\n') : "");
        fine &= !x.status && !y.status && bench_same_outcome(x.printed, y.printed) && launches;
        if (!i)
            c = contents_of(hd_format(arena, "%s/contents", to));
        hd_scratch_remove(folder);
    }
    const double each = launches ? kernels / (double)launches : 0;
    const double by = bench_median(ratio, (size_t)runs);
    printf("%-13s %8llu %8.1f ms %6.2f s %6.2f s %6.2f %9.1f MiB %9.1f MiB%s\n", name,
           (unsigned long long)launches, each * 1e3, bench_median(alone, (size_t)runs),
           bench_median(recorded, (size_t)runs), by, (double)c.packed / 0x1p20,
           (double)c.whole / 0x1p20, fine ? "" : "  fails");
    fflush(stdout);
    return fine && c.packed <= c.whole && (each < long_launch || by <= most);
}

int main(int argc, char **argv) {
    hd_arena *arena = hd_arena_new();
    const int runs = bench_runs(argc, argv, 5);
    bool is_wrong = false;
    if (!runs)
        return 2;
    printf("%-13s %8s %11s %8s %8s %6s %13s %13s\n", "program", "launches", "each", "alone",
           "recorded", "ratio", "contents", "unpacked");
    for (size_t i = 0; bench_opencl_names[i]; i++) {
        const char *program = bench_opencl_build(arena, bench_opencl_names[i]);
        is_wrong |= !program || !measure(arena, bench_opencl_names[i], program, runs);
    }
    printf("%s: at most twice the time where launches take 10 ms, and no more bytes than contents "
           "have\n",
           is_wrong ? "missed" : "met");
    hd_arena_free(arena);
    return is_wrong;
}
