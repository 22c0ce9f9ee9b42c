/*
 * The front end for OpenCL C and CUDA C, through clang. As in hd_frontend() and
 * hd_parse_command_make(); `device` is "opencl" or "cuda".
 *
 * Records, field offsets and parameter types come from libclang, code from LLVM IR. A file that
 * does not compile gives clang's own messages, each located, as errors. Images, pipes, recursion
 * and the like are located HD_EUNSUPPORTED errors.
 *
 * Of a CUDA C file kernels and device functions are taken, host code is skipped. `options` may
 * hold --cuda-path=DIR; without it the toolkit is looked for in $CUDA_PATH, $CUDA_HOME and
 * /usr/local/cuda, and a small header of Heddle's own serves where there is none.
 */
#ifndef HD_FRONTEND_CLANG_H
#define HD_FRONTEND_CLANG_H

#include "frontend/frontend.h"

hd_status front_clang_compile(hd_arena *arena, const hd_diag *diag, const char *path,
                              const char *options, const char *device, kir_form form,
                              const char *const *wanted, kir_module **module);
/* CUDA C as PTX, as clang's back end writes it. */
hd_status front_clang_ptx(hd_arena *arena, const hd_diag *diag, const char *path,
                          const char *options, const char **text);
hd_status front_clang_parse(hd_arena *arena, const hd_diag *diag, const char *path,
                            const char *options, const char *device, hd_parse_command *command);
hd_status front_clang_host(hd_arena *arena, const hd_diag *diag, const char *path,
                           const char *options, const char *device, hd_host *host);

#endif
