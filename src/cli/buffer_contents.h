/* What becomes of the buffers at the end of a run: written to files, or compared. */
#ifndef HD_CLI_CONTENTS_H
#define HD_CLI_CONTENTS_H

#include "cli/cli.h"
#include "advise/measure/measure.h"
#include "machine/vm.h"

/* A file that an option names, which must not be there yet or will be replaced: its folder
 * exists, and it is a regular file and none of the inputs (a NULL among them is none).
 * Checked before a long run. */
hd_status cli_check_output(cli *c, const char *option, const char *path, const char *const *inputs,
                           size_t input_count);

typedef struct cli_dump {
    uint32_t buffer;
    const char *path;
} cli_dump;

/* Parses each "BUFFER=FILE" of --dump, and checks it as far as that goes before the run. */
hd_status cli_read_dumps(cli *c, const cli_texts *texts, const hd_job *job, cli_dump **dumps);
/* Writes them, all or none; contents[b] are the bytes of buffer b. */
hd_status cli_write_dumps(cli *c, const cli_dump *dumps, size_t count, const hd_job *job,
                          void *const *contents);

/* What --check asks for. */
typedef struct cli_check {
    bool opencl;           /* compare with an OpenCL device */
    bool expected;         /* compare with what the job says, launch by launch (expected.h) */
    const char *on;        /* which; NULL: the first */
    bool files;            /* compare with files */
    void **reference;      /* [buffer_count] their bytes; NULL: not given */
    bool equal, bit_equal; /* the result */
} cli_check;

/* Parses each "opencl", "expected" or "BUFFER=FILE", and reads the files. */
hd_status cli_read_check(cli *c, const cli_texts *texts, const char *on, const hd_job *job,
                         cli_check *check);
/* HD_EDIFFER after a message for each thing that differs. */
hd_status cli_compare(cli *c, cli_check *check, const hd_job *job, void *const *contents);

/* ---- expected.c: what a job says that buffers hold after its launches ---------------------------- */

typedef struct cli_expected cli_expected;

/* An error when the job says nothing of that. */
hd_status cli_expected_new(cli *c, const hd_job *job, cli_expected **expected);
/* The launch has run, after those before it: a message for each buffer that differs, up to some.
 * Where the job says what the launch changes, all others must hold what they held before. */
hd_status cli_expected_ran(cli_expected *expected, const hd_vm *vm, uint32_t launch);
/* HD_EDIFFER: some launch has left something else. *within: numbers differ within the job's tolerance. */
hd_status cli_expected_end(const cli_expected *expected, bool *within);

#endif
