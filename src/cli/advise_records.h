/* What is advised for a job of several records, in one answer. */
#ifndef HD_CLI_ADVISE_RECORDS_H
#define HD_CLI_ADVISE_RECORDS_H

#include "cli/show_advice.h"

/* One sentence without its full stop. */
const char *cli_records_verdict(hd_arena *arena, const hd_records_advice *all);
/* What applies all of it; NULL: there is nothing to apply. */
const char *cli_records_command(cli *c, const cli_question *question, const hd_records_advice *all);
/* The verdict, and each record with its part of the gain. */
void cli_show_records(cli *c, const hd_records_advice *all, hd_str *out);
/* hd_record_advice, without what is advised for it in full. */
extern const hd_member cli_record_advice_members[];

#endif
