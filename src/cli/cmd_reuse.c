/*
 * heddle reuse: the data reuse characteristic of a trace or of a run (docs/reuse.md). The word
 * `compare` begins the command that sets two of them side by side (reuse_compare.c).
 */
#include "cli/reuse.h"

int cmd_reuse(cli *c, int argc, char **argv) {
    cli_reuse_options o = {0};
    const cli_option options[] = {
        CLI_INCLUDE(cli_reuse_table(c, &o)),
        {"csv", 0, NULL, "every distance that has a degree, as distance,degree", CLI_FLAG, &o.csv},
        CLI_INCLUDE(cli_machine_table(c, &o.input.machine)),
        {0}};
    static const cli_page page = {
        "--scenario N [OPTIONS] TRACE|JOB|FILE",
        "Counts how much data the memory instructions (MIs) of a run take up again, by the number "
        "of MIs from one use to the next: at each reuse distance the reuse degree, which is the "
        "accesses of a later MI to elements that an earlier one touched, summed over all pairs of "
        "MIs at that distance. The scenario says how blocks run: one after another, at once, or on "
        "core clusters. Reads a trace file, or runs a job on the machine. 'heddle reuse compare A "
        "B' shows how two differ; it has a --help of its own.",
        {1, 1}};
    if (!cli_parse(c, &page, options, &o.input.source, argc, argv))
        return c->status;
    cli_reuse result;
    o.input.path = c->words[0];
    if (cli_reuse_read(c, &o, c->words, 1) || cli_reuse_analyse(c, &o, &result))
        return CLI_WRONG;
    int status = cli_reuse_show(c, &o, &result);
    return status || o.input.is_trace ? status : cli_run_status(&result.run);
}
