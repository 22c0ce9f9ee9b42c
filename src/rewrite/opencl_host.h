/*
 * What the files about hosts of OpenCL kernels share. Private to them.
 *
 *     holder    a variable, parameter, member or result that holds buffers or kernels; all that
 *               one value can be assigned to, through pointers and containers, is one holder
 *     kind      what a buffer holds: a laid-out record, or anything else
 *     generic   a function whose buffer is of one kind here and of another there, by its
 *               parameter or result: it gets a version for each record
 */
#ifndef HD_REWRITE_OPENCL_HOST_H
#define HD_REWRITE_OPENCL_HOST_H

#include "internal.h"

/* Kinds as bits: of all layouts, and PLAIN. */
typedef uint64_t kinds;
#define KIND_PLAIN ((kinds)1 << 63)
enum { NO_HOLDER = -1, WHOLE = -1 };

typedef struct holder {
    CXCursor declaration;       /* or the call whose result it is */
    long long element;          /* of an array that is used by constant indices; WHOLE */
    int up;                     /* the holder that it is one with, or itself */
    kinds demanded;             /* by the kernels that it is given to, and what calls it so */
    kinds incoming;             /* of a parameter or result: by the calls */
    CXCursor home;              /* the function that it lives in */
    bool is_shared;             /* by several functions, or outside of all */
    bool is_filled;             /* by a function that is not known */
    hd_vec(const char *) names; /* of a kernel's holder */
} holder;

/* The holder `outside`, in a call, gives a parameter its value or gets a result. */
typedef struct passing {
    int outside, inside;
    CXCursor function; /* that calls */
    size_t call;       /* index into host_flow.calls */
} passing;

typedef struct host_call {
    CXCursor cursor, callee, function; /* the callee's definition; the function that it stands in */
} host_call;

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
    int holders[2];
    uint32_t count;
} buffer_use;

typedef struct host_flow {
    rewriter *rw;
    const hd_host_request *request;
    CXCursor function; /* that is being read */
    hd_vec(holder) holders;
    hd_vec(passing) passings;
    hd_vec(host_call) calls; /* of functions that are defined here */
    hd_vec(buffer_use) uses;
    hd_vec(CXCursor) set_args;      /* calls of clSetKernelArg() */
    hd_vec(CXCursor) set_functions; /* and where each stands */
} host_flow;

/* opencl_flow.c: follows all buffers and kernels of the text. Refuses what it cannot follow. */
void rw_follow_buffers(host_flow *flow);
/* The holder itself, of those that are one. */
int rw_holder(const host_flow *flow, int holder);
kinds rw_kinds_of(const host_flow *flow, int holder);
bool rw_is_generic(const host_flow *flow, int holder);
/* opencl_argument.c: what the arguments that kernels are given demand of their holders. */
void rw_demand_by_kernels(host_flow *flow);
/* The holder that an expression leads to; NO_HOLDER: none. */
int rw_holder_in(host_flow *flow, CXCursor expression);
bool rw_holds(CXType type, const char *what);
#define OF_BUFFERS "_cl_mem *"
#define OF_KERNELS "_cl_kernel *"

/* opencl_text.c: the header for the host, with what takes the place of OpenCL's functions. */
const char *rw_opencl_header(hd_arena *arena, const hd_host_request *request,
                             const char *const *stems);

#endif
