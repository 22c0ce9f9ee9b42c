#include "shared/opencl_programs.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

const char *const bench_opencl_names[] = {"bitonic", "blackscholes", "lavamd",
                                          "nbody4",  "sampo",        NULL};

bench_process bench_run(hd_arena *arena, const char *const *words) {
    hd_str command = {.arena = arena}, printed = {.arena = arena};
    char line[4096];
    for (size_t i = 0; words[i]; i++)
        hd_str_printf(&command, "%s'%s'", i ? " " : "", words[i]);
    const double start = hd_clock();
    FILE *from = popen(hd_str_text(&command), "r");
    while (from && fgets(line, sizeof line, from))
        hd_str_add(&printed, line);
    const int status = from ? pclose(from) : -1;
    return (bench_process){hd_clock() - start, status, hd_str_text(&printed)};
}

const char *bench_opencl_build(hd_arena *arena, const char *name) {
    const char *script = HEDDLE_SOURCE "/examples/build.sh";
    const bench_process made = bench_run(arena, (const char *[]){"bash", script, name, NULL});
    if (made.status)
        return NULL;
    return hd_strndup(arena, made.printed, strcspn(made.printed, "\n"));
}

static const char mark[] = "kernels took ";

double bench_kernel_seconds(const char *printed) {
    const char *at = strstr(printed, mark);
    return at ? strtod(at + strlen(mark), NULL) * 1e-3 : 0;
}

bool bench_same_outcome(const char *a, const char *b) {
    const char *end_a = strstr(a, mark), *end_b = strstr(b, mark);
    return end_a && end_b && end_a - a == end_b - b && !strncmp(a, b, (size_t)(end_a - a));
}

static int by_size(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int bench_runs(int argc, char **argv, int usual) {
    const bool is_given = argc == 3 && !strcmp(argv[1], "--runs");
    const int runs = is_given ? atoi(argv[2]) : argc == 1 ? usual : 0;
    if (runs >= 1 && runs <= BENCH_MOST_RUNS)
        return runs;
    fprintf(stderr, "%s [--runs N]\n", hd_path_name(argv[0]));
    return 0;
}

double bench_median(double *values, size_t count) {
    qsort(values, count, sizeof *values, by_size);
    return count ? (values[(count - 1) / 2] + values[count / 2]) / 2 : 0;
}
