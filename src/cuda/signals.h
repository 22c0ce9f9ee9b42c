/* Signals that end a program: what it has found out until then is written first. */
#ifndef CUDA_SIGNALS_H
#define CUDA_SIGNALS_H

#include "cuda/process.h"

/* Where something is counted or recorded, signals that the program does not handle itself are caught
 * from here on. */
void cuda_signals_begin(cuda_process *p);

#endif
