/*
 * What the files about hosts of OpenCL kernels share. Private to them.
 *
 *     generic   a function whose buffer is of one kind here and of another there, by its
 *               parameter or result: it gets a version for each record
 */
#ifndef HD_REWRITE_OPENCL_HOST_H
#define HD_REWRITE_OPENCL_HOST_H

#include "pointer_flow.h"

/* What OpenCL's functions do with buffers. */
typedef struct buffer_function {
    const char *name, *in_layout; /* "heddle_read_%s"; NULL: refused, with `mend` */
    const char *mend;
    unsigned buffers[2]; /* arguments, from 1; 0: none */
    bool makes;          /* a buffer is the result */
} buffer_function;

typedef struct buffer_use {
    const buffer_function *what;
    const char *name; /* of what is called */
    CXCursor call, function;
    int nodes[2];
    uint32_t count;
} buffer_use;

/* A buffer that a kernel is given. */
typedef struct buffer_given {
    CXCursor value;
    int node;
} buffer_given;

/* A token that changes, such as a call's name. */
typedef struct renaming {
    unsigned at; /* in the flat text */
    const char *from;
    const char *to, *in_layout; /* in the text as it is; in a version for a record: "upload_%s" */
    bool is_generic;            /* by the buffers that it is given */
} renaming;

typedef struct host {
    rewriter *rw;
    flow *f;
    const hd_host_request *request;
    const char **stems; /* [layout] */
    hd_vec(buffer_use) uses;
    hd_vec(buffer_given) given;
    hd_vec(CXCursor) packed; /* arguments of a parameter `values...` that are followed */
    hd_vec(renaming) renamings;
    hd_vec(CXCursor) functions; /* generic, of which buffers of a record need a version */
    bool creates;               /* buffers of laid-out records */
    bool has_bindings;          /* calls of OpenCL's bindings for C++ change */
} host;

/* What the nodes hold together that a call is given. */
typedef struct holding {
    kinds all;
    bool differ, is_generic, any;
} holding;

/* opencl_flow.c: follows all buffers and kernels of the text. Refuses what it cannot follow. */
void rw_follow_buffers(host *h);
kinds rw_kinds_of(const host *h, int node);
bool rw_is_generic(const host *h, int node);

/* A token becomes what it is in the layout, with the record for %s. */
void rw_rename_token(host *h, size_t number, const char *in_layout, const holding *held);

/* opencl_bindings.c: */
/* A call of the bindings, or a construction of one of their classes. */
bool rw_calls_bindings(const rewriter *rw, CXCursor call);
/* A construction that makes a new buffer. */
bool rw_makes_buffer(const rewriter *rw, CXCursor call);
/* std::move(value), std::forward<T>(value) */
bool rw_passes_on(const rewriter *rw, CXCursor expression);
/* The call of a cl::KernelFunctor. */
bool rw_is_launch(const rewriter *rw, CXCursor callee);
/* kernel.setArg(i, pointer), and the same in C: memory that host and device share. */
bool rw_sets_shared_memory(const rewriter *rw, CXCursor call);
/* A call of this name becomes one of `in_layout`, "heddle::read_%s". */
void rw_rename_in_bindings(host *h, CXCursor call, const char *name, const char *in_layout,
                           const holding *held);
/* Whether a token stands in the bindings' own header, which may be one of the program's. */
bool rw_is_in_bindings(const host *h, size_t number);
/* All cl::KernelFunctor become those of heddle, which know which arguments are laid out. */
void rw_rename_functors(host *h);

/* Refuses those of <CL/cl.hpp>. */
void rw_refuse_old_bindings(host *h);

/* opencl_text.c: the header for the host, with what takes the place of OpenCL's functions. */
const char *rw_opencl_header(hd_arena *arena, const hd_host_request *request,
                             const char *const *stems, bool with_bindings);

#endif
