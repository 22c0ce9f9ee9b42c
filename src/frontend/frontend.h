/*
 * The only place that sees LLVM or clang: source → kir and records.
 */
#ifndef HD_FRONTEND_H
#define HD_FRONTEND_H

#include "kernel/kir.h"

/* Compiles a file and lowers every kernel in it: .cu and .cuh are CUDA C, all others
 * OpenCL C. `options` are clang's (-D, -I, -cl-std=…), separated by blanks, may be NULL
 * or "". Records, field offsets and parameter types come from libclang, code from LLVM
 * IR. A file that does not compile gives clang's own messages, each located, as errors
 * (HD_EINPUT). Images, pipes, recursion and the like are located HD_EUNSUPPORTED errors.
 * Everything lives in `arena`.
 *
 * Of a CUDA C file kernels and device functions are taken, host code is skipped. `options`
 * may hold --cuda-path=DIR; without it the toolkit is looked for in $CUDA_PATH, $CUDA_HOME
 * and /usr/local/cuda, and a small header of Heddle's own serves where there is none. */
hd_status hd_frontend(hd_arena *arena, const hd_diag *diag, const char *path, const char *options,
                      kir_module **module);

/* memory.c: from here on LLVM and clang call hd_no_memory() where they are refused memory; without
 * it they abort. For programs, since it is so for all that the process does. */
void hd_front_catch_no_memory(void);

/* The words that libclang reads a file with as the front end does, for who edits its text. */
typedef struct hd_parse_command {
    const char *const *words;
    int word_count;
    int macros; /* a file in memory that the words may name; hd_parse_command_end() closes it */
} hd_parse_command;
hd_status hd_parse_command_make(hd_arena *arena, const hd_diag *diag, const char *path,
                                const char *options, hd_parse_command *command);
void hd_parse_command_end(hd_parse_command *command);

#endif
