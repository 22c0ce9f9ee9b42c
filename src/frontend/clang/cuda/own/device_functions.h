/* All of it is in heddle_cuda.h, which is included before every file. */
