/*
 * The flow of values (pointer_flow.c), for those who look closer than rw_pointee_of(). Private to this folder.
 *
 *     node      a declaration that holds values, or a function's result
 *     class     all nodes that one value can reach
 *     move      an assignment, initialiser or argument, from node to node
 *
 * and where buffers and kernels are followed, in the host of OpenCL kernels,
 *
 *     node      also a call, for its result, and an element of an array
 *     passing   the node `outside`, in a call, gives a parameter its value or gets a result
 *     kind      what a buffer holds: a laid-out record, or anything else
 */
#ifndef HD_REWRITE_FLOW_H
#define HD_REWRITE_FLOW_H

#include "base/table.h"
#include "internal.h"

enum { NO_NODE = -1, WHOLE = -1 };

/* Kinds as bits: of all layouts, and PLAIN. */
typedef uint64_t kinds;
#define KIND_PLAIN ((kinds)1 << 63)

typedef struct origin {
    enum { NOTHING, LAID, OTHER } kind;
    pointee what;
    const char *why; /* of what is not laid out: what it is */
    CXCursor at;     /* where it came in */
    CXCursor first;  /* where it began */
} origin;

typedef struct node {
    CXCursor declaration; /* or call */
    long long element;    /* of an array that is used by constant indices; WHOLE */
    uint64_t same_hash;   /* the node before whose declaration has the same hash; or HD_NO_VALUE */
    int parent;           /* in its class; itself: stands for the class, of which it says */
    pointee what;
    kinds demanded;   /* by the kernels that it is given to, and what calls it so */
    kinds incoming;   /* of a parameter or result: by the calls */
    CXCursor home;    /* the function that it lives in */
    bool is_shared;   /* by several functions, or outside of all */
    bool is_opened;   /* declared as bytes, it is cast to a pointer to laid-out records */
    bool is_filled;   /* by a function that is not known */
    bool is_made;     /* a call that makes a buffer */
    origin here;      /* of this node */
    bool is_reported; /* that two kinds meet here */
} node;

typedef struct move {
    int to, from;
    CXCursor at;
} move;

typedef struct flow_call {
    CXCursor cursor;
    CXCursor callee;   /* its definition; null where that is not the user's */
    CXCursor function; /* that it stands in */
    const char *name;  /* of what is called */
} flow_call;

typedef struct passing {
    int outside, inside;
    CXCursor function; /* that calls */
    size_t call;       /* index into flow.calls */
} passing;

typedef struct flow {
    hd_arena *arena;
    hd_vec(node) nodes;
    hd_hash_table newest; /* node of each hash of a declaration */
    hd_vec(move) moves;
    hd_vec(passing) passings;
    hd_vec(flow_call) calls;
    CXCursor function; /* that is being read */
} flow;

/* Reads the whole file; rw_flow_run() goes on from there for pointers to records. */
void rw_flow_read(rewriter *rw);
/* The node of a declaration or call, or of an element of an array, which is made where it is new. */
int rw_node_at(rewriter *rw, CXCursor declaration, long long element);
/* The node that an expression leads to; NO_NODE: none. */
int rw_node_of_value(rewriter *rw, CXCursor expression);
/* The node that stands for the class of one. */
int rw_class_of(const flow *f, int node);
/* Makes one class of two; NO_NODE has none. */
void rw_join(flow *f, int a, int b);

/* Laid-out records come to this declaration. */
void rw_seed(rewriter *rw, CXCursor declaration, const pointee *what);
/* instance.c: the parameters of kernels that are templates. */
void rw_seed_instances(rewriter *rw);

/* opencl_flow.c: types that hold buffers or kernels, and what does not matter to them. */
#define OF_BUFFERS "_cl_mem *"
#define OF_KERNELS "_cl_kernel *"
bool rw_holds(CXType type, const char *what);
bool rw_is_handle(CXType type);
/* Whether the variable `one`, below `at`, is only given to functions that are right for buffers of every
 * kind. */
bool rw_is_neutral(const rewriter *rw, CXCursor at, CXCursor one);

/* opencl_bindings.c: OpenCL's bindings for C++. */
/* Whether a declaration is theirs. */
bool rw_is_of_bindings(const rewriter *rw, CXCursor declaration);
/* A function of OpenCL's, also in the bindings; none of those that hand on a buffer or kernel as it
 * is: copies, d(), kernel.get(). */
bool rw_is_opencl(const rewriter *rw, CXCursor call, CXCursor callee);
/* cl::Buffer(context, ...), cl::Kernel(program, "name"), also without arguments and as a copy; in a
 * template maybe no more than the list of arguments. */
bool rw_is_construction(const rewriter *rw, CXCursor expression);
/* cl::Buffer itself. */
bool rw_is_buffer_class(const rewriter *rw, CXType type);
/* An object is made of no arguments. */
bool rw_is_empty(CXCursor call);
/* The buffer or kernel that a construction copies; a null cursor: it makes a new one. */
CXCursor rw_copied_handle(const rewriter *rw, CXCursor construction);
/* std::make_shared<cl::Buffer>(context, ...), buffers.emplace_back(context, ...) */
bool rw_constructs_in_place(const rewriter *rw, CXCursor call);
/* Arguments; of a construction in a template, too. */
hd_cursors rw_arguments(const rewriter *rw, CXCursor call);
/* In a template, too, where it may be one of several functions. */
const char *rw_called_name(const rewriter *rw, CXCursor call);
/* The object that a method is called on. */
CXCursor rw_object_of(const rewriter *rw, CXCursor call);

#endif
