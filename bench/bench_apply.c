/*
 * Whole OpenCL programs under `heddle apply --auto`, as they are: the examples' hosts, in plain AoS.
 *
 *     bench_apply [--runs N]      9
 *
 * The first run of each finds a layout, or that none gains; its later ones begin with that. They and runs
 * of the program alone take turns. Seconds are medians of whole processes by the wall clock, with what the
 * command itself takes before and after the program, which the first line says (it is that of `true`);
 * kernels' are the program's own. The ratio is of later runs, less that, to the program alone, in the
 * median of the pairs. Exit status 1 where an output differs, or a ratio is over 1.03.
 */
#include <stdio.h>
#include <stdlib.h>

#include "cli/report/report.h"
#include "shared/opencl_programs.h"

static const double allowed = 1.03;

typedef struct figures {
    const char *layout;
    double alone, first, later, ratio, kernels_alone, kernels_later;
    bool is_equal, fails;
} figures;

/* The layout that was found, of what heddle prints. */
static const char *layout_of(hd_arena *arena, const char *printed) {
    const char *end = strstr(printed, ": kernels take ");
    if (!end)
        return "left";
    const char *start = end;
    while (start > printed && start[-1] != '\n')
        start--;
    return hd_strndup(arena, start, (size_t)(end - start));
}

/* What the command takes around a program. */
static double measure_command(hd_arena *arena, int runs) {
    double more[BENCH_MOST_RUNS];
    const char *const own[] = {"true", NULL};
    const char *const with[] = {"sh", "-c", "exec \"$0\" apply --auto -- true 2>/dev/null; true",
                                HEDDLE_PROGRAM, NULL};
    for (int i = 0; i < runs; i++) {
        const double alone = bench_run(arena, own).seconds;
        more[i] = bench_run(arena, with).seconds - alone;
    }
    return bench_median(more, (size_t)runs);
}

static figures measure(hd_arena *arena, const char *program, double command, int runs) {
    const char *const own[] = {program, NULL};
    const char *const first[] = {HEDDLE_PROGRAM, "apply", "--auto", "--again", "--", program, NULL};
    const char *const later[] = {HEDDLE_PROGRAM, "apply", "--auto", "--", program, NULL};
    double alone[BENCH_MOST_RUNS], with[BENCH_MOST_RUNS], ratio[BENCH_MOST_RUNS],
        a[BENCH_MOST_RUNS], b[BENCH_MOST_RUNS];
    const bench_process plain = bench_run(arena, own), found = bench_run(arena, first);
    figures f = {.first = found.seconds,
                 .is_equal = bench_same_outcome(plain.printed, found.printed),
                 .fails = plain.status || found.status};
    bench_run(arena, later); /* for the driver's cache */
    for (int i = 0; i < runs; i++) {
        const bench_process x = bench_run(arena, own), y = bench_run(arena, later);
        alone[i] = x.seconds;
        with[i] = y.seconds;
        ratio[i] = (y.seconds - command) / x.seconds;
        a[i] = bench_kernel_seconds(x.printed);
        b[i] = bench_kernel_seconds(y.printed);
        f.is_equal &= bench_same_outcome(x.printed, y.printed);
        f.fails |= x.status || y.status;
        f.layout = layout_of(arena, y.printed);
    }
    f.alone = bench_median(alone, (size_t)runs);
    f.later = bench_median(with, (size_t)runs);
    f.ratio = bench_median(ratio, (size_t)runs);
    f.kernels_alone = bench_median(a, (size_t)runs);
    f.kernels_later = bench_median(b, (size_t)runs);
    return f;
}

int main(int argc, char **argv) {
    hd_arena *arena = hd_arena_new();
    const int runs = bench_runs(argc, argv, 9);
    bool is_wrong = false;
    if (!runs)
        return 2;
    /* What this machine found before is not what is measured. */
    setenv("HEDDLE_DATABASE", hd_format(arena, "%s/build/bench-apply.db", HEDDLE_SOURCE), 1);
    const double command = measure_command(arena, runs);
    printf("heddle itself takes %.0f ms\n", command * 1e3);
    printf("%-13s %8s %8s %8s %6s %13s %11s  %-6s %s\n", "program", "alone", "first", "later",
           "ratio", "kernels alone", "later", "equal", "layout");
    for (size_t i = 0; bench_opencl_names[i]; i++) {
        const char *program = bench_opencl_build(arena, bench_opencl_names[i]);
        if (!program) {
            printf("%-13s is not built\n", bench_opencl_names[i]);
            is_wrong = true;
            continue;
        }
        const figures f = measure(arena, program, command, runs);
        printf("%-13s %6.2f s %6.2f s %6.2f s %6.3f %10.1f ms %8.1f ms  %-6s %s\n",
               bench_opencl_names[i], f.alone, f.first, f.later, f.ratio, f.kernels_alone * 1e3,
               f.kernels_later * 1e3,
               f.fails      ? "fails"
               : f.is_equal ? "yes"
                            : "no",
               f.layout);
        is_wrong |= f.fails || !f.is_equal || f.ratio > allowed;
        fflush(stdout);
    }
    printf("%s: outputs equal, and no program slower by more than 3%%\n",
           is_wrong ? "missed" : "met");
    hd_arena_free(arena);
    return is_wrong;
}
