/*
 * libheddle-native: LLVM for the machine, which loads it when native code pays, and does without
 * where it is not there.
 */
#ifndef HD_NATIVE_LLVM_H
#define HD_NATIVE_LLVM_H

#include <stddef.h>
#include <stdint.h>

/* What names the code that it makes: version of LLVM, processor, features. */
typedef const char *hd_native_target_fn(void);
/* Machine code of a module's text as an object file, to be freed; NULL: *message says why, to be freed. */
typedef void *hd_native_compile_fn(const char *ir, size_t length, size_t *bytes, char **message);
/* Loads an object file and finds its functions f0, f1, ... of which `has` says which there are. The
 * handle frees them; NULL: *message says why. */
typedef void *hd_native_load_fn(const void *object, size_t bytes, uint32_t count, const _Bool *has,
                                void **functions, char **message);
typedef void hd_native_unload_fn(void *handle);

#endif
