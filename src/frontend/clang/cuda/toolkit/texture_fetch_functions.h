/* CUDA 13 no longer has this header, which clang's wrapper of the toolkit includes. */
