/*
 * The report page: one HTML file with code, style and data in it. docs/report.md
 * says what the data is and how it stands in the file; src/cli/report/web/ is what
 * shows it.
 */
#ifndef HD_REPORT_PAGE_H
#define HD_REPORT_PAGE_H

#include <jansson.h>

#include "base/base.h"

/* Fails where Heddle was built without the page (HEDDLE_PAGE=OFF). */
hd_status hd_page_check(const hd_diag *diag);

/* Writes the page with `data`, which stays the caller's, to `path`; the file appears whole or
 * not at all. The same data gives the same bytes. */
hd_status hd_page_write(const hd_diag *diag, const char *path, const json_t *data);

#endif
