/*
 * What the files of the machine share. Nobody else includes this.
 *
 * A *frame* is the memory of one running block: a cell for every value that is
 * alive. A *varying* cell has one element for each lane, a *uniform* cell (a value
 * that is the same for all lanes that are active together) has VM_CHUNK equal
 * ones, so that every handler reads both alike, 16 lanes at a time: it masks the
 * lane index with 0 for a uniform operand. Vectors of OpenCL are one cell for
 * each component; vector instructions become scalar ones here.
 */
#ifndef HD_VM_INTERNAL_H
#define HD_VM_INTERNAL_H

#include <setjmp.h>

#include "machine/vm.h"

enum { VM_CHUNK = 16, VM_MAX_COMPONENTS = 16, VM_CELL_ALIGN = 64 /* of a cell in the frame */ };

/* ---- the compiled kernel ------------------------------------------------------- */

/* How an element of a cell is stored. An i1 is a VM_I8 of 0 or 1; a pointer is an
 * VM_I64; integers have no sign of their own. */
typedef enum vm_elem { VM_I8, VM_I16, VM_I32, VM_I64, VM_F16, VM_F32, VM_F64 } vm_elem;
static inline uint32_t vm_elem_bytes(vm_elem e) {
    return (uint32_t)(e <= VM_I64 ? 1u << e : 2u << (e - VM_F16));
}

/* A scalar operand or result: a cell. */
typedef struct vm_operand {
    uint32_t at; /* byte offset in the frame */
    vm_elem elem;
    bool varying;
} vm_operand;

static const vm_operand vm_none = {0};

/* The bits of a float as an integer. */
static inline vm_operand vm_as_integer(vm_operand operand) {
    if (operand.elem >= VM_F16)
        operand.elem = (vm_elem)(operand.elem - VM_F16 + VM_I16);
    return operand;
}

typedef struct vm_op vm_op;
typedef struct vm_run vm_run;
typedef void vm_op_fn(vm_run *run, const vm_op *op);

/* What is known of an operation that is none of lanes.h: which cells it reads and writes. */
typedef enum vm_code {
    VM_CODE_ANY = 0x8000, /* nothing */
    VM_CODE_OPERANDS,     /* d, a, b, c */
    VM_CODE_CALL,         /* those of a vm_call */
    VM_CODE_LOAD,         /* those of a vm_memory, as the next two */
    VM_CODE_STORE,
    VM_CODE_ATOMIC
} vm_code;

/* One instruction of the machine. */
struct vm_op {
    vm_op_fn *fn;
    uint32_t d, a, b, c; /* cells: result and operands */
    uint32_t sa, sb, sc; /* UINT32_MAX for a varying operand, 0 for a uniform one */
    bool uniform;        /* the result is uniform: computed once, whatever lanes are active */
    uint16_t code;       /* what it is: of vm_fn (lanes.h), or one of vm_code */
    uint32_t inst;       /* of the kernel, for messages */
    int64_t imm, imm2;   /* constants of the operation */
    const void *more;    /* what the handler needs besides */
};

/* An operand's element for lane `at` + j: VM_ARG(r, op, float, a, at)[j]. */
#define VM_CELL(r, offset, T) ((T *)(void *)((r)->frame + (offset)))
#define VM_ARG(r, op, T, x, at) (VM_CELL(r, (op)->x, T) + ((at) & (op)->s##x))

/* A run of active chunks: lanes [from, to), multiples of VM_CHUNK. */
typedef struct vm_span {
    uint32_t from, to;
} vm_span;

/* ---- memory ------------------------------------------------------------------------ */

/* Where the spaces begin in the machine's address space. Global and constant memory:
 * each buffer stands at a page of its own, with an unmapped page behind it. Private memory
 * begins at the same address in every thread. */
#define VM_PRIVATE_BASE ((uint64_t)0x1000000000)
#define VM_LOCAL_BASE ((uint64_t)0x2000000000)
#define VM_GLOBAL_BASE ((uint64_t)0x10000000000)
/* Block b's local memory begins at VM_LOCAL_BASE + b mod VM_LOCAL_BLOCKS * VM_LOCAL_STEP, so
 * that a pointer that outlives its block is found. Of clusters the memories of one follow each other, by
 * rank. */
#define VM_LOCAL_STEP ((uint64_t)1 << 24)
#define VM_LOCAL_BLOCKS ((uint64_t)1 << 12)

/* A piece of memory of which every byte may be accessed. */
typedef struct vm_region {
    const char *name;
    const char *type; /* of an element of a job's buffer, or NULL */
    kir_space space;
    uint64_t base, bytes;
    uint8_t *host; /* where it really is; private memory: of lane 0 */
    bool read_only;
    uint32_t element_bytes; /* 0: not known */
    const hd_record *record;
    uint8_t *written; /* a bit for each byte of a buffer without initial contents that was
                        * written, with check_uninitialised; else NULL */
    bool is_argument; /* local memory that a launch gives the bytes of */
    bool preset;      /* private memory that is filled before a block starts */
    bool is_live;     /* came by hd_vm_add_memory() or hd_vm_allocate(): name and written are its */
    bool is_mapped;   /* by hd_vm_allocate(): its pages are nobody else's */
    const void *owner;
} vm_region;

static inline bool vm_holds(const vm_region *g, uint64_t address, uint64_t width) {
    return address >= g->base && width <= g->bytes && address - g->base <= g->bytes - width;
}

/* One access row that an instruction announces. */
typedef struct vm_announced {
    uint32_t access; /* row of the table of accesses */
    uint32_t part;   /* bytes from the instruction's address */
} vm_announced;

/* vm_op.more of memory instructions. */
typedef struct vm_memory {
    uint32_t slot;         /* number among the kernel's memory instructions */
    kir_space space;       /* KIR_GENERIC: found out lane by lane */
    uint32_t width, align; /* bytes of a lane's access, and of what it must be a multiple */
    uint32_t components;   /* of a vector; width is all of them */
    vm_elem elem;
    vm_operand address, value[VM_MAX_COMPONENTS]; /* value: result of a load, input of a store */
    vm_operand second;                            /* atomic: operand; COPY: from; FILL: byte */
    vm_operand third;                             /* cmpxchg: compare; COPY, FILL: bytes */
    kir_space from_space;                         /* COPY: of the source */
    kir_rmw rmw;
    bool has_result;
    vm_announced *announced; /* loads, stores, atomics: the accesses; COPY: its loads */
    uint32_t announced_count;
    vm_announced *announced_to; /* COPY: its stores */
    uint32_t announced_to_count;
} vm_memory;

/* ---- control flow ----------------------------------------------------------------- */

enum { VM_NO_NODE = UINT32_MAX };

/* An edge: copies for the phis of the target, run for the lanes that take it. */
typedef struct vm_edge {
    uint32_t to;           /* node */
    uint32_t first, count; /* of program->ops */
    uint32_t range;        /* its number among ranges of operations: those of nodes come first */
} vm_edge;

typedef enum vm_end {
    VM_END_GO,
    VM_END_IF,
    VM_END_SWITCH,
    VM_END_RETURN,
    VM_END_BARRIER,
    VM_END_NAMED_BARRIER,
    VM_END_CLUSTER, /* the barrier of a cluster, where lanes wait whose arrival has not been the last */
    VM_END_YIELD,
    VM_END_TRAP
} vm_end;

/* A straight piece of code. Nodes stand in the order of their keys: of all lanes that
 * wait, those at the lowest node run first (see lane_flow.c). */
typedef struct vm_node {
    uint32_t first, count;              /* of program->ops */
    uint32_t insts;                     /* kir instructions in it, for the counts, */
    uint32_t operations[HD_OPERATIONS]; /* and what a lane does in them */
    vm_end end;
    vm_operand condition; /* IF: an i1; SWITCH: an integer */
    vm_edge *edges;       /* GO, barriers: 1; IF: true, false; SWITCH: default, cases */
    uint32_t edge_count;
    const uint64_t *cases;       /* SWITCH: [edge_count - 1] */
    vm_operand barrier, threads; /* NAMED_BARRIER */
    vm_operand vote;             /* of one that counts */
    bool counts;
    uint32_t inst;   /* the terminator, for messages */
    uint32_t asks;   /* an atomic or a volatile load, KIR_NONE: it has none */
    uint32_t header; /* of a back edge: where its loop begins; else VM_NO_NODE */
    bool is_around; /* a loop goes round it in which something asks, so that lanes may wait there */
    bool writes;    /* memory that others see, or it reads a clock: it does not wait in vain */
    bool meets;     /* begins with a function of warps, where kernels may wait (vm_program) */
} vm_node;

/* A uniform cell that holds a constant from the start. */
typedef struct vm_filled {
    vm_operand cell;
    uint64_t bits;
} vm_filled;

/* A private variable that lives in memory. A gap of bytes that nobody may access stands behind
 * each, and behind each local variable. */
enum { VM_GAP = 64, VM_PRIVATE_GAP = 16 };
typedef struct vm_piece {
    uint64_t offset, bytes;
    bool is_param; /* a struct parameter */
} vm_piece;

/* Bytes that the private memory of a block may take, and its values: 1024 threads with the 512 KiB
 * that CUDA gives each have just that much. */
#define VM_MOST_PRIVATE ((uint64_t)512 << 20)

/* A work-item query that the kernel makes, and the cell that is filled with its answer before
 * a block starts. Those that differ between lanes are varying. */
typedef struct vm_query {
    uint32_t query, dimension;
    vm_operand cell; /* i64 or i32 */
} vm_query;

/* A cell of one program and that of the same value in another. */
typedef struct vm_moved {
    vm_operand from, to;
} vm_moved;

/* A kernel compiled for blocks of one size. */
typedef struct vm_program {
    const kir_module *module;
    const kir_kernel *kernel;
    uint32_t lanes;  /* of a block */
    uint32_t padded; /* the same, a multiple of VM_CHUNK */
    vm_op *ops;
    uint32_t op_count;
    vm_node *nodes;
    uint32_t node_count;
    uint32_t range_count; /* of nodes and edges */
    uint32_t frame_bytes;
    hd_vec(vm_piece) pieces; /* of a lane's private memory, ascending */
    uint64_t private_bytes;  /* of a lane, all pieces and the gaps between them */
    bool prints;             /* calls printf */
    bool allocates;          /* from the heap */
    bool asks_workspace;     /* for the barrier of its grid */
    bool may_wait;           /* it goes round loops in which it asks what other threads have done */
    bool may_pass;           /* lanes may go on past others that are set aside */
    bool is_apart;           /* no value is kept once for all lanes that another lane may change, so
                              * that lanes run in any order, */
    hd_vec(vm_moved) moved;  /* with where each was in the program that it is made of */
    struct vm_compiler *compiler; /* that made it */
    uint32_t memory_count;        /* memory instructions */
    vm_operand **param;           /* [param_count][components]; pointers and scalars */
    uint64_t *by_value;           /* [param_count] offset in private memory of a struct parameter */
    vm_operand *statics;          /* [static_count] addresses */
    hd_vec(vm_query) queries;
    hd_vec(vm_filled) constants;
    hd_kernel_info *info;     /* its accesses are the rows of the events */
    struct vm_native *native; /* native.c */
} vm_program;

/* ---- a running block ---------------------------------------------------------------- */

/* A set of lanes, one byte (0 or 1) each, and how many they are. */
typedef struct vm_mask {
    uint8_t *lane; /* [padded] */
    uint32_t count;
} vm_mask;

/* An argument, or a static variable: an address, or for local ones bytes from the block's. */
typedef struct vm_bound_place {
    uint64_t address;
    bool is_local;
    const uint8_t *bytes; /* of a scalar, vector or struct argument */
} vm_bound_place;

/* A cluster: blocks that are at work together and reach each other's local memory, by their ranks. Their
 * local memories follow each other. */
typedef struct vm_cluster {
    vm_run **blocks;
    uint32_t count;
} vm_cluster;

struct vm_run {
    uint8_t *frame;
    const vm_program *program;
    /* Lanes that are active now. */
    vm_mask active;
    uint64_t *bits; /* [words] the same as bits */
    bool unpacked;  /* active.lane is as bits are */
    uint32_t words; /* of a mask */
    bool whole;     /* every live lane is active: results may be written to any lane */
    vm_span *spans; /* the chunks that have active lanes */
    uint32_t span_count;
    uint32_t live; /* lanes that have not returned */
    struct vm_flow_state *flow;
    uint32_t lanes, padded;
    /* Memory. */
    vm_region *regions; /* the block's own, sorted by base: private pieces, local variables */
    uint32_t region_count;
    struct vm_space *space;   /* global and constant memory, which all workers share */
    struct vm_maps *maps;     /* of the process, as this worker last saw them; NULL: not yet */
    const vm_region **cached; /* [memory_count]: the region each instruction last met, or NULL */
    uint8_t *private_memory;  /* of lane 0 */
    uint64_t private_stride;  /* host bytes between two lanes' private memory */
    /* Native code (native/): that of this block so far, or NULL; what it calls, what it knows of memory, and
     * rows of 8 bytes for each lane that it keeps addresses in. */
    const struct vm_native_code *native;
    void *const *calls;
    struct vm_reach *reach; /* [memory_count] */
    uint8_t *saved;
    uint32_t saved_rows;
    uint64_t noted; /* counts.thread_instructions of which native.c knows */
    double noted_at;
    bool mixes;     /* native code and the interpreter take turns */
    uint32_t turns; /* nodes, where they do */
    struct vm_bad {
        uint32_t op, lane; /* of program->ops; UINT32_MAX: none is bad */
        uint64_t address;
    } bad; /* the first access of the group at work that is not allowed */
    /* Where it is. */
    uint64_t block;
    uint64_t local_base;       /* of its local memory */
    const vm_cluster *cluster; /* NULL: it is alone */
    uint32_t rank;
    uint64_t group[3];
    const hd_event_launch *launch;
    hd_grid grid;
    const vm_bound_place *statics; /* [static_count] */
    uint64_t shared_bytes;         /* local memory of a block */
    uint64_t dynamic_bytes;        /* of which the launch has asked for these */
    /* What it announces. */
    const hd_sink *sink;
    void *stream;
    uint64_t position;
    hd_vm_counts counts;        /* of this worker, in the launch so far */
    uint64_t block_start;       /* instructions when this block began */
    const hd_vm_extent *extent; /* how far it is run, or NULL: to its end */
    hd_arena *worker_arena;
    bool checked;             /* an optional check is on: vm_check_access() hears every MI */
    struct vm_shadow *shadow; /* of the optional checks, or NULL */
    struct vm_block_shadow *block_shadow;
    struct vm_heap *heap; /* of a kernel that allocates */
    /* Of a cooperative launch: where cooperative groups count blocks that wait for the grid, and
     * the instruction that has asked there since the block's turn began, or KIR_NONE. */
    const vm_region *workspace;
    uint32_t asked;
    bool takes_turns; /* it lets other blocks go on where it may wait for them */
    /* Times that lanes went round a loop and asked, since something was done that no such loop is:
     * memory has changed, or a lane has come out. */
    uint32_t vain;
    bool has_moved; /* that was so since this was last set to false */
    bool
        may_wake; /* of a block that takes turns: its lanes that let others run first go on, once a turn */
    bool gives_way; /* it stops until its next turn */
    const hd_vm_options *options;
    hd_str *printed; /* of this block, what options->print has not been given yet */
    /* How it leaves early. */
    jmp_buf escape;
    char *fault; /* message, from malloc; NULL: stopped */
    uint32_t fault_inst;
    hd_vm_fault fault_access; /* what hd_vm_last_fault() tells of it */
};

/* The loop of every handler: `at` is the first lane of each active chunk, or 0 once for a
 * uniform result. */
#define VM_EACH_CHUNK(r, op, at)                                                           \
    for (uint32_t span_ = 0, spans_ = (op)->uniform ? 1 : (r)->span_count; span_ < spans_; \
         span_++)                                                                          \
        for (uint32_t at = (op)->uniform ? 0 : (r)->spans[span_].from,                     \
                      end_ = (op)->uniform ? VM_CHUNK : (r)->spans[span_].to;              \
             at < end_; at += VM_CHUNK)

/* The bits of an element in memory. */
static inline uint64_t vm_read_bits(const uint8_t *at, uint32_t bytes) {
#define GET(T)                          \
    {                                   \
        T bits;                         \
        memcpy(&bits, at, sizeof bits); \
        return bits;                    \
    }
    switch (bytes) { /* each a move, where a copy of any size is a call */
    case 1: GET(uint8_t)
    case 2: GET(uint16_t)
    case 4: GET(uint32_t)
    default: GET(uint64_t)
    }
#undef GET
}

/* The bits of a cell's element for one lane. */
static inline uint64_t vm_element(const vm_run *r, vm_operand o, uint32_t lane) {
    uint32_t bytes = vm_elem_bytes(o.elem);
    return vm_read_bits(r->frame + o.at + (o.varying ? (size_t)lane * bytes : 0), bytes);
}

/* The same of a signed integer. */
static inline int64_t vm_signed(const vm_run *r, vm_operand o, uint32_t lane) {
    return kir_sign_extend(vm_element(r, o, lane), 8 * vm_elem_bytes(o.elem));
}
/* Writes the low bits: to the lane, or to all of a uniform cell. */
static inline void vm_put_bits(const vm_run *r, vm_operand o, uint32_t lane, uint64_t bits) {
#define PUT(T)                                                    \
    {                                                             \
        T *to = VM_CELL(r, o.at, T) + (o.varying ? lane : 0);     \
        for (uint32_t j = 0; j < (o.varying ? 1 : VM_CHUNK); j++) \
            to[j] = (T)bits;                                      \
        return;                                                   \
    }
    switch (vm_elem_bytes(o.elem)) {
    case 1: PUT(uint8_t)
    case 2: PUT(uint16_t)
    case 4: PUT(uint32_t)
    default: PUT(uint64_t)
    }
#undef PUT
}

/* A float of any width from its bits, and its bits. */
static inline double vm_real_of(vm_elem elem, uint64_t bits) {
    _Float16 half;
    float single;
    double real;
    switch (elem) {
    case VM_F16: memcpy(&half, &bits, sizeof half); return (double)half;
    case VM_F32: memcpy(&single, &bits, sizeof single); return single;
    default: memcpy(&real, &bits, sizeof real); return real;
    }
}
static inline uint64_t vm_bits_of(vm_elem elem, double real) {
    uint64_t bits = 0;
    if (elem == VM_F16) {
        _Float16 half = (_Float16)real;
        memcpy(&bits, &half, sizeof half);
    } else if (elem == VM_F32) {
        float single = (float)real;
        memcpy(&bits, &single, sizeof single);
    } else {
        memcpy(&bits, &real, sizeof real);
    }
    return bits;
}

/* Where block `block` has its local memory. */
static inline uint64_t vm_local_base(uint64_t block) {
    return VM_LOCAL_BASE + block % VM_LOCAL_BLOCKS * VM_LOCAL_STEP;
}

/* ---- fault.c: how a run ends at once ------------------------------------------------- */

/* Leaves the block: the message says what is wrong with the instruction; the thread, the
 * block and the place are added. `lane` is UINT32_MAX when it is no single thread's. */
_Noreturn void vm_fault(vm_run *r, uint32_t inst, uint32_t lane, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* "thread 5 of block 3", with as many numbers as the launch has dimensions. */
int vm_print_thread(const vm_run *r, uint32_t lane, char *text, size_t size);
/* An access of `width` bytes at `address` by `lane` that is not allowed: says why. */
_Noreturn void vm_fault_access(vm_run *r, const vm_op *op, uint32_t lane, uint64_t address,
                               uint64_t width, uint32_t align, bool writes);

/* ---- compile.c, cells.c: from kir ------------------------------------------------------ */

typedef struct vm_compiler {
    hd_arena *arena;
    const hd_diag *diag;
    const kir_module *module;
    const kir_kernel *kernel;
    const hd_flow *flow;
    const hd_divergence *divergence;
    const hd_lane_work *work;
    bool *asks_in; /* [loop] something in it asks what other threads have done */
    vm_program *program;
    hd_vec(vm_op) ops;
    struct vm_cells *cells; /* cells.c */
    uint64_t *allocas;      /* [inst_count] offset in private memory of each ALLOCA */
    struct vm_plan *plan;   /* nodes.c */
    const vm_node *node;    /* at work; its instructions are counted so far */
    const kir_inst *inst;
    kir_value value;  /* its number */
    hd_status status; /* the first failure */
} vm_compiler;

hd_status vm_compile(hd_arena *arena, const hd_diag *diag, const kir_module *module,
                     const kir_kernel *kernel, const hd_binding *binding, uint32_t lanes,
                     vm_program **program);
/* The same kernel again, so that is_apart holds. */
hd_status vm_compile_apart(const vm_program *program, vm_program **apart);

vm_elem vm_elem_of(kir_type type);
/* The cell of component `k` of a value (of a scalar: for any k). */
vm_operand vm_cell_of(vm_compiler *c, kir_value value, uint32_t k);
/* The cell of component `k` of the instruction at work. */
vm_operand vm_result(vm_compiler *c, uint32_t k);
/* A cell for something in between; it is free again after the instruction at work. Varying
 * exactly when the instruction's value is, unless said otherwise. */
vm_operand vm_scratch(vm_compiler *c, vm_elem elem, bool varying);
/* A uniform cell that holds this constant from the start. */
vm_operand vm_constant(vm_compiler *c, vm_elem elem, uint64_t bits);
/* Appends an instruction; operands that it does not have are passed as {0}. */
vm_op *vm_emit_op(vm_compiler *c, vm_op_fn *fn, vm_operand d, vm_operand a, vm_operand b,
                  vm_operand third);
/* What a memory instruction (or a built-in that accesses memory) needs at run time: its slot,
 * space and address are set, the rest is the caller's. */
vm_memory *vm_memory_new(vm_compiler *c, kir_value address);
/* The rows of the table of accesses that one side of the instruction at work announces. */
vm_announced *vm_announced_rows(vm_compiler *c, hd_access_kind kind, uint32_t *count);
/* Reports HD_EUNSUPPORTED at the instruction at work. */
void vm_cannot_run(vm_compiler *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Scalar arithmetic with the operands' types, appended; `d` may be an operand. The op is one
 * of kir's: ADD ... FREM, FNEG, conversions (from a.elem to d.elem); SELECT (condition first) and
 * FMULADD have three operands. */
void vm_emit3(vm_compiler *c, kir_op op, vm_operand d, vm_operand a, vm_operand b,
              vm_operand third);
static inline void vm_emit(vm_compiler *c, kir_op op, vm_operand d, vm_operand a, vm_operand b) {
    vm_emit3(c, op, d, a, b, vm_none);
}
void vm_emit_compare(vm_compiler *c, kir_pred pred, vm_operand d, vm_operand a, vm_operand b);

/* ---- builtin.c: CALL ----------------------------------------------------------------------- */

/* Compiles the call at work; false when no such built-in is known (the caller says so). */
bool vm_compile_call(vm_compiler *c);

/* ---- memory.c, atomic.c, copy.c -------------------------------------------------------------- */

vm_op_fn vm_op_load, vm_op_store, vm_op_atomic, vm_op_copy, vm_op_fill;

/* The addresses of an MI, checked: strided, or one for each lane. */
typedef struct vm_target {
    const vm_region *region; /* NULL: lanes differ in region; then look at every lane */
    bool strided;
    uint64_t base; /* of lane 0, strided or not */
    int64_t stride;
    const uint64_t *address; /* when not strided */
} vm_target;
static inline uint64_t vm_lane_address(const vm_target *t, uint32_t lane) {
    return t->address ? t->address[lane] : t->base + lane * (uint64_t)t->stride;
}
/* Checks every active lane's access, or faults. The region is remembered in `slot`: m->slot, or
 * that of the instruction's second address. */
vm_target vm_resolve(vm_run *r, const vm_op *op, const vm_memory *m, uint32_t slot,
                     vm_operand address, uint64_t width, uint32_t align, bool writes);
/* Whether the active lanes' addresses are evenly apart; the stride is that of the first two. */
bool vm_are_strided(const vm_run *r, const uint64_t *address, int64_t *stride);
/* Where the bytes at `address` of `lane` really are; the access has been checked. */
uint8_t *vm_host(vm_run *r, const vm_target *t, uint32_t lane, uint64_t address);
/* So many MIs of the active lanes. */
static inline void vm_count_mis(vm_run *r, uint64_t count) {
    r->counts.mis += count;
    r->counts.lane_accesses += count * r->active.count;
}
/* Announces an MI to the sink and counts it. */
void vm_announce(vm_run *r, const vm_target *t, kir_space space, const vm_announced *announced,
                 uint32_t count);
/* The region that holds [address, address + width), or NULL. */
const vm_region *vm_find_region(vm_run *r, uint64_t address, uint64_t width);

/* ---- heap.c: memory that kernels allocate ---------------------------------------------------- */

/* An address; 0: there is no such piece left. */
uint64_t vm_heap_take(struct vm_heap *heap, uint64_t bytes);
/* False: nothing begins at this address. */
bool vm_heap_give(struct vm_heap *heap, uint64_t address);

/* ---- check.c: the optional checks ------------------------------------------------------------ */

/* The lanes of a mask wait for each other. */
void vm_check_together(vm_run *r, const uint64_t *mask);
/* NULL: nobody asks for races. */
struct vm_threads *vm_ordered_threads(const vm_run *r);
vm_op_fn vm_op_fence;
/* What an access does to its bytes; the last three are atomic, the last one does both. */
typedef enum vm_way { VM_READS, VM_WRITES, VM_ATOMIC_READS, VM_ATOMIC_WRITES, VM_UPDATES } vm_way;
/* Called for every MI when a check is on, before it happens; faults. */
void vm_check_access(vm_run *r, const vm_op *op, const vm_target *t, uint64_t width, vm_way way);
/* An atomic access of one active lane, which writes or, as an exchange that did not match, does not;
 * what it releases and acquires. */
void vm_check_atomic(vm_run *r, const vm_op *op, const vm_target *t, uint32_t lane, uint64_t width,
                     vm_way way, bool writes);
/* As vm_check_access() for one active lane, of no or more bytes. */
void vm_check_lane(vm_run *r, const vm_op *op, const vm_target *t, uint32_t lane, uint64_t width,
                   vm_way way);
/* These bytes were just allocated: whoever had them before has nothing to do with them. */
void vm_check_allocated(vm_run *r, uint64_t address, uint64_t bytes);
/* The same for a copy. What was not written stays so in the copy; reading it there faults. */
void vm_check_copy(vm_run *r, const vm_op *op, const vm_target *to, const vm_target *from,
                   uint32_t lane, uint64_t width);

#endif
