/* What the files of a study share. */
#ifndef STUDY_PARTS_H
#define STUDY_PARTS_H

#include "explore/study.h"

/* Of two variants: the ratio of their values, with the ends that the ends of these allow. */
hd_interval study_ratio(hd_interval more, hd_interval less);
/* Whether `value` cannot be told from the best one, which has the least median. */
bool study_as_good(hd_interval value, hd_interval best);

/* study_lines.c, of a study that has its points; study_findings.c. */
void study_find_lines(hd_arena *arena, hd_study *study);
void study_test_findings(hd_arena *arena, hd_study *study);

#endif
