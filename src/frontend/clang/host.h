/* The reading of host code by libclang: values of expressions (host_value.c),
 * and what statements do (host.c). */
#ifndef HD_FRONTEND_CLANG_HOST_H
#define HD_FRONTEND_CLANG_HOST_H

#include "frontend/clang/cursor.h"
#include "frontend/frontend.h"

/* A call that is being followed. */
typedef struct front_frame {
    struct front_frame *caller; /* NULL: nobody calls this function */
    CXCursor function;
    uint32_t depth;
    bool has_returned;
    hd_host_value returned;
} front_frame;

/* What a variable holds. Those of functions have one value for each call. */
typedef struct front_variable {
    CXCursor declaration;
    const front_frame *frame; /* NULL: global, or a member */
    int64_t element;          /* of an array, each of whose elements is a variable; else 0 */
    hd_host_value value;
    uint32_t stands_for; /* 1 + the number of the variable that it refers or points to; 0: none */
    CXCursor kernel;     /* of a parameter that a kernel is given to; else null */
} front_variable;

typedef struct front_read_back {
    int64_t variable;
    uint32_t memory;
    int32_t loop;
} front_read_back;

/* A cl_kernel, with the arguments that it has by now. */
typedef struct front_kernel {
    const char *name;
    hd_vec(hd_host_value) args;
} front_kernel;

typedef struct front_host {
    hd_arena *arena;
    CXTranslationUnit unit;
    hd_vec(front_variable) variables;
    hd_vec(hd_host_memory) memories;
    hd_vec(front_kernel) kernels;
    hd_vec(hd_host_loop) loops;
    hd_vec(hd_host_launch) launches;
    hd_vec(hd_host_write) writes;
    /* Variables of the host that were copied from memory, as the numbers of both. */
    hd_vec(front_read_back) read_backs;
    hd_vec(CXCursor) followed; /* functions, each once */
    front_frame *frame;
    int32_t loop;
    uint32_t conditions; /* around what is read */
    uint32_t steps;      /* that may still be taken */
    uint32_t returned;   /* 1 + memory that a call has just returned; 0: none */
    bool more;
} front_host;

/* ---- host_value.c ---------------------------------------------------------------------------- */

static inline hd_cursors front_host_children(const front_host *h, CXCursor cursor) {
    return hd_cursor_children(h->arena, cursor);
}
/* Without parentheses, casts and what the compiler adds. */
CXCursor front_host_bare(const front_host *h, CXCursor cursor);
const char *front_host_spelling(const front_host *h, CXCursor cursor);
/* The source of a range, in one line. */
const char *front_host_source(const front_host *h, CXCursor cursor);
hd_place front_host_place(const front_host *h, CXCursor cursor);

/* The number of the variable that an expression names, made when it is new; -1: it names none. */
int64_t front_host_variable(front_host *h, CXCursor expression);
/* The same of element `index` of the array of pointers or whole numbers that an expression names. */
int64_t front_host_element(front_host *h, CXCursor array, int64_t index);
/* The value of a struct: those of its members. */
hd_host_value front_host_members(front_host *h, CXType type);
/* Elements of the vector that this declares, std::vector or thrust::device_vector, and the bytes of
 * each; false: it is none, or its count is not known. */
bool front_host_vector(front_host *h, CXCursor declaration, int64_t *count, int64_t *each,
                       bool *on_device);
/* The same of a declaration; one of its own, also where it stands for another. */
size_t front_host_declared(front_host *h, CXCursor declaration);
hd_host_value front_host_value(front_host *h, CXCursor expression);
/* What a number becomes by `n /= by` or `n++`. */
hd_host_value front_host_changed(CXCursor expression, hd_host_value number, hd_host_value by);

static inline hd_host_value front_host_whole(int64_t value) {
    return (hd_host_value){.kind = HD_HOST_WHOLE, .parts = {value}};
}

/* ---- host.c ----------------------------------------------------------------------------------- */

/* What a call does: a launch, an allocation, or what is in a function of the user's; the value that
 * this returns. */
hd_host_value front_host_call(front_host *h, CXCursor call);

/* New memory of the device. Without a name it gets that of the variable that it is assigned to. */
hd_host_value front_host_memory(front_host *h, CXCursor at, const char *name, hd_host_value bytes,
                                const char *text);
/* What an argument of a kernel is: a pointer that nothing is known of stands for memory of its own. */
hd_host_value front_host_argument(front_host *h, CXCursor expression);
/* What `&x` or a reference names, without the &. */
CXCursor front_host_behind_address(front_host *h, CXCursor expression);
/* The number that a variable of the host holds, behind `&x`, and which variable; -1: none. */
hd_host_value front_host_number_behind(front_host *h, CXCursor expression, int64_t *variable);
void front_host_launch(front_host *h, hd_host_launch launch);
void front_host_write(front_host *h, CXCursor call, hd_host_write write);

/* ---- host_opencl.c ------------------------------------------------------------------------------ */

/* Whether it is a call of OpenCL's that is known, which is then done; *value is what it returns. */
bool front_host_opencl_call(front_host *h, CXCursor call, hd_host_value *value);

#endif
