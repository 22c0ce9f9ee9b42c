/* A CUDA file without its launches: the kernels alone, for who never runs the host code. */
#ifndef HD_REWRITE_HOST_H
#define HD_REWRITE_HOST_H

#include "kernel/kir.h"

typedef struct hd_without_launches {
    kir_file *headers; /* of the user's, as they are */
    uint32_t header_count;
    /* Of the file and its headers those in which host functions launch kernels, with the bodies of
     * these functions empty. Every line stays where it is. */
    kir_file *files;
    uint32_t file_count;
    /* Kernels that are templates, "math::scale": nothing makes instances of them any more. */
    const char **templates;
    uint32_t template_count;
} hd_without_launches;

/* Stands at the end of the file where such bodies are empty, so that nobody takes it for a program. */
#define HD_WITHOUT_LAUNCHES                                                   \
    "/* heddle: the functions of this copy that launch kernels are empty. */"

/* What is wrong with the file is an error, the first one alone. */
hd_status hd_take_launches_out(hd_arena *arena, const hd_diag *diag, const char *path,
                               const char *options, hd_without_launches *result);

#endif
