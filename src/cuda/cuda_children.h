/*
 * Kernels that launch kernels. What the device's own runtime is to the GPU is here a text of PTX that is
 * linked with the program's: it notes launches, copies and fills in memory, and they are done when the
 * kernel that asked for them is, each with all that it asks for itself. So they keep to the order of
 * their streams, and to what CUDA says of the parent, which is done when they are and cannot wait for
 * them; those of the stream for tails come last.
 */
#ifndef CUDA_CHILDREN_H
#define CUDA_CHILDREN_H

#include "cuda/work.h"

/* The text with that of the runtime behind it, where it has need of it; else NULL. One that has it already
 * is itself. */
const cuda_ptx_text *cuda_children_link(hd_arena *arena, const cuda_ptx_text *text);
/* Tells the runtime of a module that was loaded what it asks for. */
void cuda_children_prepare(const cuda_process *p, hd_ptx_module *module);
/* Does what the launch, which is done, has asked for. */
cuda_error cuda_children_run(cuda_process *p, const cuda_launch *launch);

#endif
