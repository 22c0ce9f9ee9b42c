/* What `heddle advise` answers, before its tables: the verdict, the command that follows it, and
 * why; as text and as JSON. */
#ifndef HD_CLI_SHOW_ADVICE_H
#define HD_CLI_SHOW_ADVICE_H

#include "advise/advise.h"
#include "advise/movement.h"
#include "advise/placements.h"
#include "advise/verdict.h"
#include "cli/cli.h"
#include "cli/report/members.h"

/* What was asked. */
typedef struct cli_question {
    const char *path;
    const cli_source *source;
    const hd_cost_options *cost;
} cli_question;

/* For the first device. */
typedef struct cli_answer {
    const hd_advice *advice;
    hd_basis basis;
    const char *basis_text;
    uint32_t assumption_count; /* of the guesses of `basis`, before those that are made up */
    const char *kind;          /* of what is decided: "take", "leave", "cannot tell" */
    const char *verdict;       /* by static cost, without its full stop */
    const char *decided;       /* by the device, else by static cost: what counts in the end */
    const char *command;       /* that puts the best layout in place; NULL: there is none */
    hd_movement before;        /* of the original */
    hd_movement after;         /* of the best layout; `layout` NULL: it is the original */
} cli_answer;

/* May be made before anything is measured, and again after it. */
cli_answer cli_answer_of(cli *c, const cli_question *question, const hd_advice *advice);
extern const hd_member cli_answer_members[];   /* cli_answer; context: the hd_record */
extern const hd_member cli_compiled_members[]; /* hd_recounted: what was counted of it */
/* Layouts of the first device, as their compiled kernels were counted. */
void cli_show_recounted(cli *c, const hd_advice *advice, hd_str *out);

/* "Verdict for h200: ..." */
void cli_show_verdict(const cli_answer *answer, hd_str *out);
/* The command, indented; nothing where there is none. */
void cli_show_answer_command(const cli_answer *answer, hd_str *out);
/* What was taken apart, what was refused, guesses; then what moves before and after. */
void cli_show_why(cli *c, const cli_answer *answer, hd_str *out);

/* ---- show_time.c: predicted times ------------------------------------------------------------------- */

/* The gain in time, and a table of what bounds each kernel; nothing where times are not known. */
void cli_show_time(cli *c, const hd_advice *advice, hd_str *out);
void cli_show_kernel_times(cli *c, const hd_advice *advice, hd_str *out);

/* A word as a shell takes it. */
const char *cli_quoted(hd_arena *arena, const char *word);
/* `heddle COMMAND` for a JOB, a FILE with the options that stand in for one, or a program, and with
 * more options. */
const char *cli_command_on(cli *c, const char *command, const char *path, const cli_source *source,
                           const char *more);
/* The same for the question's job in a layout, with all options that matter to it. */
const char *cli_command_for(cli *c, const cli_question *question, const hd_advice *advice,
                            const char *command, const hd_layout *layout, const char *more);

/* ---- show_evidence.c: what a run of the job has shown -------------------------------------------- */

/* Reads --run into `run` and `evidence`; the job is not run with --run 0. */
hd_status cli_evidence_read(cli *c, hd_advise_options *options);

/* "a run of 512 of 4096 blocks, with its caches simulated": what the advice for the first device
 * rests on; without evidence it is `cost`, and why the job was not run. */
const char *cli_evidence_basis(hd_arena *arena, const hd_advice *advice, const char *cost);
/* What ratios are of, where the objective is not the time. */
const char *cli_objective_text(hd_objective objective, bool is_timed);
/* The layouts that were judged, the best first. */
void cli_show_judged(cli *c, const hd_record *record, const hd_evidence *evidence,
                     const hd_device_advice *of, hd_str *out);

extern const hd_member cli_evidence_members[];  /* hd_evidence */
extern const hd_member cli_judgement_members[]; /* hd_judgement; context: the hd_record */

/* ---- choice.c: what a device decided ------------------------------------------------------------- */

/* "60s", "500ms", "2m", or seconds without a unit; over 0. */
hd_status cli_read_budget(cli *c, const char *text, double *seconds);

/* "device", "host", ...; `option` is for the message. */
hd_status cli_read_placement(cli *c, const char *option, const char *name, hd_placement *placement);

/* "all", or names with "," between them. */
hd_status cli_read_placements(cli *c, const char *option, const char *names,
                              const hd_placement **placements, uint32_t *count);

/* One sentence without its full stop. */
const char *cli_choice_verdict(hd_arena *arena, const hd_record *record, const hd_choice *choice);
/* What was measured. */
void cli_show_choice(cli *c, const hd_record *record, const hd_choice *choice, hd_str *out);
extern const hd_member cli_choice_members[]; /* hd_choice; context: the hd_record */
/* A warning for each layout that computes something else. */
void cli_warn_of_differences(cli *c, const hd_job *job, const hd_choice *choice);

/* Of one layout against the original: lines that say what the speed-up is a ratio of, how far it
 * spreads, and whether outputs are equal. */
void cli_show_speedup(cli *c, const hd_measurement *m, hd_str *out);

/* ---- show_placements.c: where buffers should live, without a device ----------------------------------- */

void cli_show_placements(cli *c, const hd_placements_advice *placed, hd_str *out);
extern const hd_member cli_placements_members[]; /* hd_placements_advice; context: the hd_record */

/* ---- cli_analysis.c: how costs are shown --------------------------------------------------------- */

/* Reads the devices and rules that the options name. */
hd_status cli_read_model(cli *c, hd_cost_options *options, const hd_device ***devices,
                         size_t *device_count);

/* A cost as a list: an entry for each degree. */
hd_value cli_cost_value(const hd_cost_vector *cost);

/* What accesses cost. */
typedef struct cli_lines {
    const hd_cost_line *lines;
    size_t count;
    const hd_cost_vector *whole; /* that they have a share in */
    const hd_device *device;     /* for hd_cost_explain() */
} cli_lines;
/* Rows for these tables. */
hd_value cli_lines_value(hd_arena *arena, cli_lines lines);
extern const hd_member cli_line_members[];  /* for JSON */
extern const hd_member cli_why_members[];   /* the same with the reason, for JSON */
extern const hd_member cli_worst_columns[]; /* share, line, access and reason */
/* Without "kept" where no line has any. */
const hd_member *cli_line_columns(const hd_cost_line *lines, size_t count);

#endif
