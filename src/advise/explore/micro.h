/*
 * Micro-kernels: the kernel and the job of a point (advise/explore/point.h).
 *
 *     typedef struct object { float f0; float f1; float f2; float f3; float result; } object;
 *
 *     __kernel void micro(__global object *objects, int pitch, int stride, int sparsity, ...) {
 *         int start = (int)get_global_id(1) * pitch + (int)get_global_id(0);
 *         for (int i = 0; i < granularity; i++) {
 *             int at = start + i * stride;
 *             at = at * sparsity + (int)get_global_id(2);
 *             ... three additions and two fused multiply-adds on objects[at].f0 to f3 ...
 *             objects[at].result = sum;
 *         }
 *     }
 *
 * Each object is read and written once, whatever the point is, so that points differ in the order
 * and in the work, not in the result. What a loop can do is an argument: points that differ only in
 * arguments share a kernel file, which a device compiles once for each layout. The kernel is after
 * Qasem and Teich, section VI-B; they give its operations, not its text.
 */
#ifndef HD_MICRO_H
#define HD_MICRO_H

#include "advise/explore/point.h"
#include "job/job.h"

/* What the kernel file of a point is called, without an ending: points with the same name have the
 * same kernel. */
const char *hd_micro_name(hd_arena *arena, const hd_micro_point *point);
/* Its text, for a back end by its name: "opencl" or "cuda". */
const char *hd_micro_source(hd_arena *arena, const hd_micro_point *point, const char *backend);
/* The text of the point's job file, beside the kernel file of this name. */
const char *hd_micro_job(hd_arena *arena, const hd_micro_point *point, const char *kernel_file);

/* An object, as the kernel file declares it. */
hd_record *hd_micro_record(hd_arena *arena, const hd_micro_point *point,
                           const hd_micro_shape *shape);
/* Integers of the index array; 0: there is none. */
uint64_t hd_micro_indices(const hd_micro_shape *shape);

/* A kernel file, which several points may share. */
typedef struct hd_micro_kernel {
    const char *name, *file; /* without and with an ending */
    kir_module *module;      /* NULL: not read yet */
} hd_micro_kernel;

/* Kernels of one folder, each written and read once. */
typedef struct hd_micro_folder {
    hd_arena *arena;
    const hd_diag *diag;
    const char *path, *backend;
    kir_form form; /* in which kernels are read */
    hd_vec(hd_micro_kernel *) kernels;
} hd_micro_folder;

typedef struct hd_micro {
    hd_micro_point point;
    hd_micro_shape shape;
    hd_job *job; /* resolved; buffer 0 holds the objects */
} hd_micro;

/* Writes the kernel and the job of a point, which hd_micro_check() allows, into the folder. */
hd_status hd_micro_write(hd_arena *arena, hd_micro_folder *folder, const hd_micro_point *point,
                         hd_micro_kernel **kernel);
/* The same, and reads them as those of a user.
 * HD_EINPUT: there is no such kernel. In `arena`. */
hd_status hd_micro_load(hd_arena *arena, hd_micro_folder *folder, const hd_micro_point *point,
                        hd_micro *micro);

/* What the kernel does, in plain C: computes `count` objects from number `first` on, which lie as
 * the record of micro->job declares them. */
void hd_micro_compute(const hd_micro *micro, void *objects, uint64_t first, uint64_t count);

#endif
