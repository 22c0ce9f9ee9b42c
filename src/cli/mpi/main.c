/*
 * heddle-mpi: commands over ranks.
 *
 *     mpirun -n 4 heddle-mpi COMMAND [OPTIONS] JOB|FILE|TRACE
 *
 * Every rank runs the command; what is divided asks cli.ranks. docs/mpi.md says what that is.
 */
#include "cli/cli.h"
#include "cli/stop.h"
#include "cli/mpi/mpi_ranks.h"

#ifdef __SANITIZE_ADDRESS__
/* MPI keeps memory until the process is over. */
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void) { return 1; }
#endif

typedef struct program {
    cli_ranks ranks;
    mpi_ranks *mpi;
} program;

static int ended(const cli_ranks *ranks, const hd_diag *diag, int status, const char *text) {
    return mpi_ranks_end(((const program *)ranks)->mpi, diag, status, text);
}

int main(int argc, char **argv) {
    if (argc == 4 && !strcmp(argv[1], "partition")) /* hidden: hd_partition() runs it */
        return mpi_partition(argv[2], argv[3]);
    hd_printer printer = {.out = stderr};
    const hd_diag diag = {hd_print_message, &printer};
    hd_arena *arena = hd_arena_new();
    program p = {.ranks.ended = ended};
    if (mpi_ranks_open(arena, &diag, cli_stop_wanted(), &p.mpi) != HD_OK)
        return CLI_WRONG;
    p.ranks.ranks = mpi_ranks_get(p.mpi);
    int status = cli_main(&p.ranks, argc, argv);
    hd_arena_free(arena);
    return status;
}
