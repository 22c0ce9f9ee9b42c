/*
 * What the tests of jobs stand on: a scratch folder, captured messages, and a
 * module written by hand, as the front end would give it for
 *
 *     struct vec  { float x, y; };
 *     struct body { struct vec pos; float4 v; int id; short d[3]; uchar flag; half h; };
 *     struct cell { uint a; double b; };
 *     struct pair { float scale; int shift; };
 *     kernel void move(global struct body *bodies, uint n, float dt, local float *scratch);
 *     kernel void mix(global struct cell *cells, global const float4 *weights, float4 w,
 *                     struct pair p, long big, uchar small);
 *     kernel void fixed(global float *a)  with reqd_work_group_size(64, 1, 1)
 */
#ifndef TESTS_JOB_FIXTURE_H
#define TESTS_JOB_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "folder.h"
#include "job/job.h"

typedef struct captured {
    unsigned errors;
    unsigned line, column;
    char file[256], text[2048], source[512];
} captured;

static void capture(const hd_message *message, void *user) {
    captured *c = user;
    if (message->severity != HD_ERROR)
        return;
    c->errors++;
    c->line = message->place.line;
    c->column = message->place.column;
    snprintf(c->file, sizeof c->file, "%s", message->place.file ? message->place.file : "");
    snprintf(c->source, sizeof c->source, "%s", message->place.text ? message->place.text : "");
    snprintf(c->text, sizeof c->text, "%s", message->text);
}

typedef struct fixture {
    hd_arena *arena;
    captured seen;
    hd_diag diag;
    char *folder;
    const kir_module *module;
} fixture;

static inline hd_record *make_record(hd_arena *arena, const char *name, uint32_t count,
                                     const hd_field *fields) {
    hd_record *record = hd_new(arena, hd_record);
    record->name = name;
    record->spelling = hd_format(arena, "struct %s", name);
    record->field_count = count;
    record->fields = hd_new_array(arena, hd_field, count);
    memcpy(record->fields, fields, count * sizeof *fields);
    hd_record_lay_out(record);
    return record;
}

static inline kir_param make_value(const char *name, const char *type_name, uint8_t kind,
                                   uint8_t bits, uint8_t lanes) {
    return (kir_param){.name = name,
                       .type_name = type_name,
                       .type = {.kind = kind, .bits = bits, .lanes = lanes},
                       .bytes = bits / 8u * lanes};
}

static inline kir_param make_pointer(const char *name, kir_space space, const char *element,
                                     uint32_t bytes, const hd_record *record) {
    return (kir_param){.name = name,
                       .type_name = "a pointer",
                       .type = {.kind = KIR_PTR, .bits = 64, .lanes = 1, .space = space},
                       .element_type = element,
                       .element_bytes = bytes,
                       .record = record};
}

static inline kir_kernel *make_kernel(hd_arena *arena, const char *name, uint32_t count,
                                      const kir_param *params) {
    kir_kernel *kernel = hd_new(arena, kir_kernel);
    kernel->name = name;
    kernel->place = (hd_place){.file = "test.cl", .line = 7};
    kernel->param_count = count;
    kernel->params = hd_new_array(arena, kir_param, count);
    memcpy(kernel->params, params, count * sizeof *params);
    return kernel;
}

static inline const kir_module *make_module(hd_arena *arena) {
    hd_record *vec = make_record(
        arena, "vec", 2,
        (hd_field[]){{"x", "float", 0, 4, 4, 1, NULL}, {"y", "float", 0, 4, 4, 1, NULL}});
    hd_record *body = make_record(arena, "body", 6,
                                  (hd_field[]){{"pos", "struct vec", 0, 8, 4, 1, vec},
                                               {"v", "float4", 0, 16, 16, 1, NULL},
                                               {"id", "int", 0, 4, 4, 1, NULL},
                                               {"d", "short", 0, 6, 2, 3, NULL},
                                               {"flag", "unsigned char", 0, 1, 1, 1, NULL},
                                               {"h", "half", 0, 2, 2, 1, NULL}});
    hd_record *cell = make_record(
        arena, "cell", 2,
        (hd_field[]){{"a", "uint", 0, 4, 4, 1, NULL}, {"b", "double", 0, 8, 8, 1, NULL}});
    hd_record *pair = make_record(
        arena, "pair", 2,
        (hd_field[]){{"scale", "float", 0, 4, 4, 1, NULL}, {"shift", "int", 0, 4, 4, 1, NULL}});
    kir_param by_value = {.name = "p",
                          .type_name = "struct pair",
                          .bytes = 8,
                          .record = pair,
                          .type = {.kind = KIR_PTR, .bits = 64, .lanes = 1},
                          .by_value_struct = true};
    kir_module *module = hd_new(arena, kir_module);
    module->record_count = 4;
    module->records = hd_new_array(arena, hd_record *, 4);
    module->records[0] = vec;
    module->records[1] = body;
    module->records[2] = cell;
    module->records[3] = pair;
    module->kernel_count = 3;
    module->kernels = hd_new_array(arena, kir_kernel *, 3);
    module->kernels[0] = make_kernel(
        arena, "move", 4,
        (kir_param[]){make_pointer("bodies", KIR_GLOBAL, "struct body", body->size, body),
                      make_value("n", "uint", KIR_INT, 32, 1),
                      make_value("dt", "float", KIR_FLOAT, 32, 1),
                      make_pointer("scratch", KIR_LOCAL, "float", 4, NULL)});
    module->kernels[1] = make_kernel(
        arena, "mix", 6,
        (kir_param[]){make_pointer("cells", KIR_GLOBAL, "struct cell", cell->size, cell),
                      make_pointer("weights", KIR_GLOBAL, "float4", 16, NULL),
                      make_value("w", "float4", KIR_FLOAT, 32, 4), by_value,
                      make_value("big", "long", KIR_INT, 64, 1),
                      make_value("small", "unsigned char", KIR_INT, 8, 1)});
    module->kernels[2] = make_kernel(
        arena, "fixed", 1, (kir_param[]){make_pointer("a", KIR_GLOBAL, "float", 4, NULL)});
    module->kernels[2]->required_local[0] = 64;
    module->kernels[2]->required_local[1] = module->kernels[2]->required_local[2] = 1;
    return module;
}

static inline int fixture_setup(void **state) {
    fixture *f = calloc(1, sizeof *f);
    f->arena = hd_arena_new();
    f->diag = (hd_diag){capture, &f->seen};
    f->folder = folder_make(f->arena);
    f->module = make_module(f->arena);
    *state = f;
    return 0;
}

static inline int fixture_teardown(void **state) {
    fixture *f = *state;
    folder_remove(f->folder);
    hd_arena_free(f->arena);
    free(f);
    return 0;
}

static inline const char *fixture_write(fixture *f, const char *name, const void *data,
                                        size_t length) {
    const char *path = hd_format(f->arena, "%s/%s", f->folder, name);
    assert_int_equal(hd_write_file(&f->diag, path, data, length), HD_OK);
    return path;
}

/* Reads the text as a job file. */
static inline hd_status fixture_read(fixture *f, const char *text, hd_job **job) {
    const char *path = fixture_write(f, "job.yaml", text, strlen(text));
    *job = NULL;
    memset(&f->seen, 0, sizeof f->seen);
    return hd_job_read(f->arena, &f->diag, path, job);
}

#endif
