/*
 * Reading YAML so that every complaint has a place: libcyaml loads the file by
 * a schema, libyaml's own document says where each entry stands. Private to
 * this folder.
 */
#ifndef HD_JOB_YAML_H
#define HD_JOB_YAML_H

#include <cyaml/cyaml.h>

#include "base/base.h"

typedef struct hd_yaml_file hd_yaml_file;

/* Reads `path` and loads it by `schema` into *data, which lives in the arena.
 * What does not fit the schema is one located error. */
hd_status hd_yaml_open(hd_arena *arena, const hd_diag *diag, const char *path,
                       const cyaml_schema_value_t *schema, hd_yaml_file **file, void **data);
/* Frees the document; loaded data stays. */
void hd_yaml_close(hd_yaml_file *file);

/* Where the value at `format` stands, written like "launches[0].args[2].name",
 * with all of it that exists. */
hd_place hd_yaml_place(const hd_yaml_file *file, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
