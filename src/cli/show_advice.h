/* What `heddle advise` answers, before its tables: the verdict, the command that follows it, and
 * why; as text and as JSON. */
#ifndef HD_CLI_SHOW_ADVICE_H
#define HD_CLI_SHOW_ADVICE_H

#include "advise/advise.h"
#include "advise/movement.h"
#include "advise/verdict.h"
#include "cli/cli.h"

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
    const char *verdict; /* by static cost, without its full stop */
    const char *decided; /* by the device, else by static cost: what counts in the end */
    const char *command; /* that puts the best layout in place; NULL: there is none */
    hd_movement before;  /* of the original */
    hd_movement after;   /* of the best layout; `layout` NULL: it is the original */
} cli_answer;

/* May be made before anything is measured, and again after it. */
cli_answer cli_answer_of(cli *c, const cli_question *question, const hd_advice *advice);
extern const hd_member cli_answer_members[]; /* cli_answer; context: the hd_record */

/* "Verdict for h200: ..." */
void cli_show_verdict(const cli_answer *answer, hd_str *out);
/* The command, indented; nothing where there is none. */
void cli_show_answer_command(const cli_answer *answer, hd_str *out);
/* What was taken apart, what was refused, guesses; then what moves before and after. */
void cli_show_why(cli *c, const cli_answer *answer, hd_str *out);

/* `heddle COMMAND` for a JOB, or a FILE with the options that stand in for one. */
const char *cli_command_on(cli *c, const char *command, const char *path, const cli_source *source);
/* The same for the question's job in a layout, with all options that matter to it. */
const char *cli_command_for(cli *c, const cli_question *question, const hd_advice *advice,
                            const char *command, const hd_layout *layout, const char *more);

#endif
