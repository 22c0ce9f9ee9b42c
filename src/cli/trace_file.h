/* The commands on trace files: `heddle trace info`, `export` and `import`. */
#ifndef HD_CLI_TRACE_FILE_H
#define HD_CLI_TRACE_FILE_H

#include "cli/cli.h"
#include "trace/trace.h"

/* ---- what is traced: cmd_trace.c -------------------------------------------------------- */

/* A trace file that --out names, and what it is called while it is written. */
hd_status cli_check_trace(cli *c, const char *path, const char *const *inputs, size_t input_count);

/* ---- sums: trace_file.c ---------------------------------------------------------------- */

/* What a file holds, added up over its launches. */
typedef struct cli_traced {
    const char *path;
    hd_trace_sums sums;
    uint64_t bytes; /* of a trace file */
    bool complete;
    bool is_text; /* the text form, whose bytes say nothing */
} cli_traced;

/* Opens a trace file that was just written and adds it up. */
hd_status cli_trace_sum(cli *c, const char *path, cli_traced *traced);
/* "run.hdt: 1 launch, 64 blocks, 1.2M MIs, 315M lane accesses" and its bytes. */
void cli_show_traced(cli *c, const cli_traced *traced, hd_str *out);
extern const hd_member cli_traced_members[]; /* cli_traced */

#endif
