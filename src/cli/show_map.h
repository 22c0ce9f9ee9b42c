/* What `heddle map` prints. */
#ifndef HD_CLI_SHOW_MAP_H
#define HD_CLI_SHOW_MAP_H

#include "advise/mapping.h"
#include "cli/cli.h"

typedef struct cli_map {
    const char *path;
    const cli_source *source; /* of a kernel file */
    const hd_map_question *question;
    hd_mapping *mapping;
    const char *wanted_out;     /* --out, or NULL */
    const char *out, *data_out; /* files that were written, or NULL */
} cli_map;

/* As text or JSON. Returns an exit status. */
int cli_print_map(cli *c, const cli_map *map);

#endif
