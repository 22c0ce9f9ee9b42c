/* A program's own header of this name. */
#define OWN_CUDA_HEADER 7
