/*
 * Arrays, and texture and surface objects. An array is memory of the device, row after row; an object is
 * a description of one, or of other memory, which kernels read (kernel/texture_object.h): its handle is the
 * address of that.
 */
#ifndef CUDA_ARRAY_H
#define CUDA_ARRAY_H

#include "cuda/work.h"
#include "kernel/texture_object.h"

enum { CUDA_TEXTURE_ALIGNMENT = 512 }; /* bytes, of memory without an array */
enum { CUDA_LINEAR_MOST = 1 << 28 };   /* texels of memory without an array */

typedef struct cuda_texels {
    uint32_t bits, channels, kind; /* as in kir_texture; bits of a channel */
} cuda_texels;

/* Flags of arrays, in both interfaces. */
enum {
    CUDA_ARRAY_LAYERED = 1,
    CUDA_ARRAY_SURFACE = 2,
    CUDA_ARRAY_CUBEMAP = 4,
    CUDA_ARRAY_GATHER = 8
};

typedef struct cuda_array {
    cuda_texels texels;
    size_t width, height, depth; /* 0: it has no such dimension; layers and faces are the depth */
    unsigned flags;
    bool is_level;            /* of a mipmapped array, with which it goes */
    char *at;                 /* the first texel */
    size_t row, plane, bytes; /* from row to row, from plane or layer to the next; of all */
} cuda_array;

typedef struct cuda_mipmap {
    uint32_t count;
    cuda_array *levels[KIR_TEXTURE_LEVELS];
} cuda_mipmap;

/* Handles of what `like` says. */
cuda_error cuda_array_make(cuda_process *p, const cuda_array *like, cuda_array **array);
cuda_error cuda_array_end(cuda_process *p, void *array);
cuda_error cuda_mipmap_make(cuda_process *p, const cuda_array *like, uint32_t levels,
                            cuda_mipmap **mipmap);
cuda_error cuda_mipmap_end(cuda_process *p, void *mipmap);

/* Where a box stands that begins at a byte of a row, a row and a plane; and so many bytes that go on
 * from row to row. */
cuda_error cuda_array_place(const cuda_process *p, void *array, const size_t position[3],
                            const cuda_box *box, cuda_place *place);
cuda_error cuda_array_run(const cuda_process *p, void *array, size_t x, size_t y, size_t bytes,
                          cuda_place *place);

/* Bytes of a texel; 0: there are no such texels. */
uint32_t cuda_texel_bytes(cuda_texels texels);

/* ---- objects ----------------------------------------------------------------------------------- */

/* The numbers of cudaResourceType and CUresourcetype. */
typedef enum cuda_resource_type {
    CUDA_OF_ARRAY,
    CUDA_OF_MIPMAP,
    CUDA_OF_MEMORY,
    CUDA_OF_ROWS
} cuda_resource_type;

typedef struct cuda_resource {
    int type;
    void *at;                    /* a handle, or memory */
    cuda_texels texels;          /* of memory */
    size_t width, height, pitch; /* of rows; of memory, width is its bytes */
} cuda_resource;

/* cudaResourceViewDesc and CUDA_RESOURCE_VIEW_DESC */
typedef struct cuda_view {
    int format;
    size_t width, height, depth;
    unsigned first_level, last_level, first_layer, last_layer, reserved[16];
} cuda_view;

/* What an object was made of, as its interface says it, for those that ask. */
enum { CUDA_RESOURCE_BYTES = 144, CUDA_SAMPLING_BYTES = 104 };
typedef struct cuda_object {
    kir_texture described; /* at its beginning */
    bool is_surface, is_runtimes, has_view;
    char resource[CUDA_RESOURCE_BYTES], sampling[CUDA_SAMPLING_BYTES];
    cuda_view view;
} cuda_object;

/* Whether it is something that texels can be read of. */
cuda_error cuda_resource_check(cuda_process *p, const cuda_resource *resource);
/* `sampled` says how, the resource and the view (or NULL) what; the object is a copy of `like`
 * but for these. */
cuda_error cuda_texture_make(cuda_process *p, const cuda_resource *resource, const cuda_view *view,
                             const kir_texture *sampled, const cuda_object *like, uint64_t *object);
cuda_error cuda_surface_make(cuda_process *p, const cuda_resource *resource,
                             const cuda_object *like, uint64_t *object);
/* Filtering from face to face, which is not there. */
cuda_error cuda_seamless_refused(cuda_process *p);
/* NULL: it is none of this kind. */
cuda_object *cuda_object_at(const cuda_process *p, uint64_t object, bool is_surface);
cuda_error cuda_object_end(cuda_process *p, uint64_t object, bool is_surface);

/* ---- references --------------------------------------------------------------------------------- */

/* A variable of a module that holds an object, made of what the program says of it by and by. */
typedef struct cuda_reference {
    const char *name;
    uint64_t *variable;
    bool is_surface, is_bound, is_changed;
    cuda_resource resource;
    kir_texture sampled;
    unsigned flags; /* as they were set */
    uint64_t object;
} cuda_reference;

cuda_reference *cuda_reference_of(cuda_process *p, void *variable, const char *name,
                                  bool is_surface);
/* Before a launch: those that were changed get their objects. */
cuda_error cuda_references_settle(cuda_process *p);
/* The variable goes. */
void cuda_reference_drop(cuda_process *p, const void *variable);

#endif
