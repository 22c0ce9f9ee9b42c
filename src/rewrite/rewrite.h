/*
 * Source edits for chosen layouts; generated headers and converters.
 *
 * A kernel parameter `__global R *p` of a laid-out record R becomes, in order,
 * one `__global uchar *p` (shared allocation) or one `__global uchar *p_0`,
 * `p_1` … for each cluster (discrete), followed by `ulong p_count`, the number
 * of elements. The generated prelude behind the record holds the address map
 * for this layout as inline functions; every `p[i].f` becomes a call of them.
 *
 * The fields of a record of arrays (hd_record.of_arrays) are buffers of their own:
 * kernel parameters such as `__global float *x, __global float *y`. The first of
 * them in a kernel becomes the allocations of the layout, named after the record,
 * and the count; the others go.
 */
#ifndef HD_REWRITE_H
#define HD_REWRITE_H

#include "job/job.h"
#include "kernel/kir.h"
#include "layout/layout.h"

/* A kernel's parameter that is a field of a record of arrays, or points to numbers that are a record
 * by the job's word. */
typedef struct hd_array_param {
    const char *kernel, *param;
    const hd_record *record;
    uint32_t field; /* of a record of arrays, else 0 */
    /* Of a record in columns: how this kernel says the stride, "n|nx*ny"; and the elements, 0 where
     * launches differ in them. */
    const char *stride;
    uint64_t count;
} hd_array_param;

typedef struct hd_rewrite_request {
    const char *path;          /* the kernel file: .cu is CUDA C, all others OpenCL C */
    const char *const *others; /* whole paths: further files of the program, read with it as one */
    uint32_t other_count;
    const char *options;             /* the compiler's; may be NULL */
    const hd_record_layout *layouts; /* at least one; no record twice */
    uint32_t layout_count;
    const hd_array_param *arrays; /* of all records of arrays */
    uint32_t array_count;
    const kir_module
        *module;     /* the kernels that there are, with instances of templates; may be NULL */
    bool with_host;  /* as hd_rewrite_program() */
    bool of_program; /* as hd_rewrite_kernels_of_program() */
} hd_rewrite_request;

/* A stretch of a rewritten text that is the original's. */
typedef struct hd_kept_text {
    size_t at, from, length; /* in the new text, and in the original */
} hd_kept_text;

/* A file that goes into the new folder: the kernel file, or a header that it includes from below
 * its own folder. */
typedef struct hd_rewritten_file {
    const char *path; /* of the original */
    const char *name; /* from the folder where the rewritten files go, so that includes find it */
    const char *text, *original; /* the new one and the one that was read */
    const hd_kept_text *kept;    /* [kept_count] in the order of `text` */
    size_t kept_count;
    uint32_t edit_count; /* places changed in the user's text */
    bool is_copy;        /* goes along, byte for byte */
} hd_rewritten_file;

/* A header of the user's that stays where it is. */
typedef struct hd_header_elsewhere {
    const char *path;
    const char *folder; /* found from the new folder with -I of this one; NULL: as before */
} hd_header_elsewhere;

/* A kernel's parameter that became the layout's allocations and a count. */
typedef struct hd_laid_param {
    const char *kernel;
    uint32_t param, layout; /* indices, in the original and into the request's layouts */
} hd_laid_param;

typedef struct hd_rewritten {
    hd_rewritten_file *files; /* the kernel file first, and behind it the others of the request */
    uint32_t file_count;
    hd_header_elsewhere *elsewhere;
    uint32_t elsewhere_count;
    const char *host_header; /* C header: types, sizes, converters to and from the layouts */
    const char *options;     /* to compile files[0] with where it is stored: the request's, and
                              * the folder of the original for what it includes unchanged */
    uint32_t edit_count;     /* in all files */
    hd_laid_param *laid_params;
    uint32_t laid_param_count;
    /* Of threads, which the kernels take from a map (thread_map.h); NULL: they have none. */
    const struct hd_order_file *orders;
    bool is_program;        /* with its host code */
    bool has_host_launches; /* there is host code that launches kernels */
} hd_rewritten;

/* Rewrites every kernel of a file, and of what it includes, that reaches one of the
 * records through its parameters. What cannot be rewritten safely is a located
 * HD_EUNSUPPORTED error, one for every such place, and *result stays NULL.
 * Comments and formatting of untouched code stay. */
hd_status hd_rewrite(hd_arena *arena, const hd_diag *diag, const hd_rewrite_request *request,
                     hd_rewritten **result);

/* store.c: the rewritten files as they go into `folder`, in outputs[file_count]; it and folders
 * below it are made as needed, and added to *made. */
hd_status hd_rewritten_outputs(hd_arena *arena, const hd_diag *diag, const hd_rewritten *rewritten,
                               const char *folder, hd_output *outputs, hd_folders *made);
/* Writes the rewritten files, not the host's header, into `folder`, all or none of them.
 * *kernel_path is the kernel file's new path. */
hd_status hd_rewritten_store(hd_arena *arena, const hd_diag *diag, const hd_rewritten *rewritten,
                             const char *folder, const char **kernel_path);

/* What messages about files stored in `folder` say instead, for the folder may be gone when they
 * are read: the original's name as "k.cl (rewritten)", with the line of the rewritten text. */
typedef struct hd_rewritten_view {
    hd_arena *arena;
    const hd_diag *diag; /* where the messages go */
    const hd_rewritten *rewritten;
    const char *folder; /* NULL: not stored yet */
} hd_rewritten_view;
/* Where the original has what stands at a place of a stored file: the file, and the line and column
 * of the same text, or of the end of what was kept before it. Other places stay as they are. */
hd_place hd_rewritten_origin(const hd_rewritten_view *view, const hd_place *place);
/* The function of an hd_diag whose user is such a view. */
void hd_rewritten_tell(const hd_message *message, void *view);

/* The kernels of a resolved job in these layouts, of records of its buffers: those of its kernel file,
 * without host code. */
hd_status hd_rewrite_job(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                         const hd_record_layout *layouts, uint32_t layout_count,
                         hd_rewritten **result);
/* The same for who counts what compilers make of the kernels in hd_rewrite_program()'s files: there a
 * reference may begin at any element, here at the first one, but compilers cannot tell. */
hd_status hd_rewrite_kernels_of_program(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                                        const hd_record_layout *layouts, uint32_t layout_count,
                                        hd_rewritten **result);

/*
 * opencl_host.c: the program in C or C++ that gives kernels in OpenCL C their buffers, rewritten for
 * what hd_rewrite() made of them. In its text, and in that of its headers, calls of OpenCL change
 * their names: clCreateBuffer() of a buffer of `body` becomes heddle_create_body_buffer(), which the
 * header for the host declares; arguments stay. *result has the files of both, and that header.
 */
typedef struct hd_host_request {
    const char *path;    /* of the program */
    const char *options; /* of the kernels' compiler; may be NULL */
    const char *header;  /* the name of the header for the host, from the new folder */
    const hd_record_layout *layouts;
    uint32_t layout_count;
    const kir_module *module; /* the kernels */
    const hd_rewritten *kernels;
} hd_host_request;
hd_status hd_rewrite_opencl_host(hd_arena *arena, const hd_diag *diag,
                                 const hd_host_request *request, hd_rewritten **result);

/* The file as a whole program: where host code of the same file launches kernels, it is rewritten
 * with them, and a kernel's parameter becomes an R_ref as that of any other function. Without such
 * host code it is as hd_rewrite_job() makes it. */
hd_status hd_rewrite_program(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                             const hd_record_layout *layouts, uint32_t layout_count,
                             hd_rewritten **result);

/* header.c: the host's header alone. `stem` names the types (a C identifier). */
const char *hd_rewrite_host_header(hd_arena *arena, const hd_record *record,
                                   const hd_layout *layout, const char *stem);

#endif
