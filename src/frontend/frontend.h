/*
 * From a kernel file to kir. Each front end is a folder, and a row of the table in frontend.c says
 * which files are its own; nothing but that table and the folder knows the language:
 *
 *     OpenCL C, CUDA C   clang/   .cl, .cu, .cuh   the only folder here that sees LLVM or clang
 *     kir                         .kir             the text form (docs/kir.md)
 *
 * What a language decides about running its kernels stands in kir (KIR_RULES).
 */
#ifndef HD_FRONTEND_H
#define HD_FRONTEND_H

#include "kernel/kir.h"

/* Compiles every kernel of a file, by the front end that the end of its name says; OpenCL C where
 * no front end has that. `options` are the compiler's, such as -D, -I and -cl-std=, separated by
 * blanks; NULL or "": none. What is wrong with the file is told as errors located in it
 * (HD_EINPUT), what is not taken as HD_EUNSUPPORTED. Everything lives in `arena`. */
hd_status hd_frontend(hd_arena *arena, const hd_diag *diag, const char *path, const char *options,
                      kir_module **module);

/* Whether the end of the name is that of some front end's files. */
bool hd_is_kernel_file(const char *path);
/* Those ends, for messages: ".cl, .cu, .cuh or .kir". */
const char *hd_kernel_endings(hd_arena *arena);

/* The words that libclang reads a file with as the front end does, for who edits its text. */
typedef struct hd_parse_command {
    const char *const *words;
    int word_count;
    int macros;   /* a file in memory that the words may name; hd_parse_command_end() closes it */
    bool is_cuda; /* the text is CUDA C; else OpenCL C */
} hd_parse_command;
/* An error (HD_EUNSUPPORTED) for a file that libclang cannot read. */
hd_status hd_parse_command_make(hd_arena *arena, const hd_diag *diag, const char *path,
                                const char *options, hd_parse_command *command);
void hd_parse_command_end(hd_parse_command *command);

/* clang/memory.c: from here on LLVM and clang call hd_no_memory() where they are refused memory;
 * without it they abort. For programs, since it is so for all that the process does. */
void hd_front_catch_no_memory(void);

#endif
