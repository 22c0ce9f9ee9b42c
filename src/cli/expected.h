/* What a job says that buffers hold after its launches, beside what they do hold. */
#ifndef HD_CLI_EXPECTED_H
#define HD_CLI_EXPECTED_H

#include "cli/cli.h"
#include "machine/vm.h"

typedef struct cli_expected cli_expected;

/* An error when the job says nothing of that. */
hd_status cli_expected_new(cli *c, const hd_job *job, cli_expected **expected);
/* The launch has run, after those before it. HD_EDIFFER after a message for each buffer that differs.
 * Where the job says what the launch changes, all others must hold what they held before. */
hd_status cli_expected_ran(cli_expected *expected, const hd_vm *vm, uint32_t launch);

#endif
