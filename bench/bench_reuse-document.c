/*
 * What "Memory-trace analysis of the data sharing degree in SIMT architectures" says of its
 * eight applications in figure 4 and chapter IX, beside Heddle's data reuse characteristics.
 * docs/reproduce-reuse.md is what this prints, with comments.
 *
 * The applications are those of examples/ at the document's sizes, and variants of four of them
 * that stand in reuse-document/. The document publishes neither traces nor kernels, and its
 * figures are pictures, so that only what its text says in numbers or words can be compared.
 *
 *     bench_reuse-document                    every table
 *     bench_reuse-document --one-mesh         no rows of nbf, moldyn and euler
 *     bench_reuse-document --figures DIR      the pictures of docs/figures in DIR, too
 */
#include <stdio.h>
#include <stdlib.h>

#include "cli/report/report.h"
#include "reuse-document/document_figures.h"
#include "reuse-document/document_tables.h"

static void print_tables(document *d) {
    print_figure_4(d);
    print_vectoradd(d);
    print_blocks(d);
    print_apart(d);
    print_contours(d);
    print_domains(d);
    print_ends(d);
    print_lengths(d);
    print_ranges(d);
    print_peaks(d);
    print_clusters(d);
    print_unfinished(d);
}

int main(int argc, char **argv) {
    hd_printer printer = {.out = stderr};
    const hd_diag diag = {hd_print_message, &printer};
    document d = {.arena = hd_arena_new(), .diag = &diag};
    const char *figures = NULL;
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--one-mesh"))
            d.one_mesh = true;
        else if (!strcmp(argv[i], "--figures") && i + 1 < argc)
            figures = argv[++i];
        else {
            fprintf(stderr, "usage: bench_reuse-document [--one-mesh] [--figures DIR]\n");
            return 2;
        }
    open_document(&d);
    print_tables(&d);
    hd_status status = figures ? write_figures(&d, figures) : HD_OK;
    close_document(&d);
    hd_arena_free(d.arena);
    return status == HD_OK ? 0 : 2;
}
