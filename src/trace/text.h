/* What both directions of the text form share. docs/trace-format.md has its lines. */
#ifndef HD_TRACE_TEXT_H
#define HD_TRACE_TEXT_H

#define TEXT_FIRST_LINE "# heddle-trace-text 1"

static const char text_kinds[] = "LSA"; /* by hd_access_kind */

#endif
