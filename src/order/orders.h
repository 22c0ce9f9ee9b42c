/*
 * Which thread does what: orders of a launch's threads in which fewer transactions serve them and
 * caches serve more.
 *
 * An *order* is TIdx = f(threadIdx) of the paper (Memory-trace analysis of the data sharing degree in
 * SIMT architectures, section 8.1, equation 4): order[p] is the thread whose work is done at place
 * p, where place p is lane p mod block_threads of block p / block_threads. The stages, each of which
 * takes an order and may leave it:
 *
 *     thread clustering   which threads are a warp             fewest transactions
 *     warp clustering     which warps are a block              most sharing inside blocks
 *     block scheduling    which blocks follow each other       least sum of reuse distances
 *
 * (throttling, the fourth, is a number of blocks and no order: advise/mapping.h.)
 *
 * The method is that of Kuo, Chen, Lai and Jou, "Thread affinity mapping for irregular data access
 * on shared Cache GPGPU", ASP-DAC 2012. Results depend on nothing but the input.
 */
#ifndef HD_MAPPING_H
#define HD_MAPPING_H

#include "order/sharing.h"

/* Who makes parts of threads, and of warps. */
typedef enum hd_partitioner {
    HD_PART_GREEDY, /* cluster.c: one part after the other, always the thread that adds least */
    HD_PART_ZOLTAN, /* partition.c: Zoltan's hypergraph partitioner, in heddle-mpi */
    HD_PART_METIS,  /* partition.c: METIS's graph partitioner, in heddle-mpi */
    HD_PARTITIONERS
} hd_partitioner;
extern const char *const hd_partitioner_names[HD_PARTITIONERS];

typedef hd_status hd_partition_work(const hd_diag *diag, hd_partitioner partitioner,
                                    uint32_t vertices, const hd_nets *nets, uint32_t parts,
                                    const uint32_t *sizes, uint32_t *part);

typedef struct hd_stages {
    bool threads, warps, blocks; /* which are done */
    hd_partitioner partitioner;
    hd_partition_work *partition; /* hd_partition, where the partitioner is not greedy: who only
                                   * has that one starts no processes */
    bool refine;                  /* of threads and warps: our own, after the partitioner */
    bool whole_blocks; /* threads stay in their blocks and places (barriers, local memory): only the
                        * last stage is left */
    uint32_t workers;  /* 0: one for each core */
    void (*progress)(void *user, const char *doing, double done); /* may be NULL */
    void *user;
} hd_stages;

/* order[sharing->threads], which holds the order to begin with and then the new one. An error only
 * of a partitioner that is not there or fails. */
hd_status hd_order_threads(const hd_diag *diag, const hd_sharing *sharing, const hd_stages *stages,
                           uint32_t *order);

/* ---- the stages, one by one -------------------------------------------------------------- */

/* cluster.c: threads into warps. Warps stand in the order in which they were made. */
void hd_cluster_threads(const hd_sharing *sharing, uint32_t *order);
/* refine.c: swaps threads of different warps as long as transactions get fewer, and the issues do
 * not get more than the transactions get fewer. Exact: hd_sharing_count() falls by what it says. */
void hd_refine_threads(const hd_sharing *sharing, uint32_t workers, uint32_t *order);
/* blocks.c: warps, as `order` has them, into blocks, by the partitioner and then, with `refine`, by
 * changes of two warps; a last warp that is not full stays one of each block. hd_block_bytes() is
 * never more than before. An error only of a partitioner that is not there or fails. */
hd_status hd_cluster_warps(const hd_diag *diag, const hd_sharing *sharing, const hd_stages *stages,
                           uint32_t *order);
/* Bytes of `lines` that blocks touch, each line once for each block; NULL: threads as they are. */
uint64_t hd_block_bytes(const hd_sharing *sharing, const uint32_t *order);
/* block_schedule.c: the order of blocks, which stay as they are. hd_reuse_distances() is never more than
 * before. */
void hd_schedule_blocks(const hd_sharing *sharing, uint32_t *order);
/* The sum of reuse distances: for each line and each two successive blocks that touch it, the line's
 * bytes times the places from one to the other; NULL: threads as they are. */
uint64_t hd_reuse_distances(const hd_sharing *sharing, const uint32_t *order);

/* partition.c: parts of vertices such that nets are cut little. `sizes[parts]` are exact: what the
 * partitioner leaves uneven is mended. part[vertices] is the result. Runs heddle-mpi, which lies
 * beside the program; HD_EUNSUPPORTED with one line where it is not there. */
hd_partition_work hd_partition;

/* ---- orders of data ------------------------------------------------------------------------ */

/* order.c: new numbers for the elements that threads index, as orders: order[new] = old. */
/* Reverse Cuthill-McKee (George and Liu, "Computer Solution of Large Sparse Positive Definite
 * Systems", 1981, chapter 4) of the graph in which two elements are joined when they share a net;
 * nets of more than HD_RCM_MOST elements are left out. Nets of two are the edges of a graph. Connected
 * parts follow each other, last the one with element 0. */
enum { HD_RCM_MOST = 64 };
void hd_order_rcm(const hd_nets *nets, uint32_t count, uint32_t *order);
/* Recursive bisection (H. Simon, "Partitioning of unstructured problems for parallel processing",
 * Computing Systems in Engineering 2, 1991, recursive graph bisection): the first and the second half of
 * the order of hd_order_rcm(), each of which is ordered so again by itself, down to parts of `least`
 * elements. Those of a part are near each other on all sides, where in the order of Cuthill and McKee
 * they are a strip through the graph. All parts but the last have `least`, from 1 on. */
void hd_order_bisection(const hd_nets *nets, uint32_t count, uint32_t least, uint32_t *order);
/* Along a Hilbert curve through points[count * dims], dims 1 to 3: 31 bits of each coordinate in two
 * dimensions, 21 in three, of the largest extent. Points of one cell by number; those that are not
 * finite come last. */
void hd_order_curve(const float *points, uint32_t dims, uint32_t count, uint32_t *order);
/* Any: inputs that nobody has sorted (Fisher and Yates, from hd_next_random()). */
void hd_order_random(uint64_t seed, uint32_t count, uint32_t *order);

/* ---- the map file: map_file.c, docs/rewrite.md --------------------------------------------- */

/* The order of one launch of a job (launches with the same kernel, sizes and arguments share it). */
typedef struct hd_launch_order {
    const char *kernel;
    uint32_t launch; /* the first one in the job that it is for */
    uint32_t threads, block_threads;
    bool whole_blocks;     /* threads stay in their blocks, and at their places there */
    const uint32_t *order; /* [threads] */
    hd_place place;        /* of its line in a map file, else empty */
} hd_launch_order;

typedef struct hd_order_file {
    hd_launch_order *orders;
    uint32_t order_count;
} hd_order_file;

/* The text form:
 *
 *     heddle map 1
 *     launch 0 threads 8 block 4 kernel force
 *     4-7 3 2 1 0
 *     launch 2 threads 8 block 4 whole-blocks kernel add
 *     4-7 0-3
 *
 * Numbers are order[0], order[1] ..., a-b those from a to b. HD_EINPUT at line and column of what
 * is wrong: an order that is no permutation, or moves threads between blocks although it says that
 * it does not. */
hd_status hd_order_file_read(hd_arena *arena, const hd_diag *diag, const char *path,
                             hd_order_file **file);
void hd_order_file_print(hd_str *out, const hd_order_file *file);
/* Whether an order moves nothing but whole blocks. */
bool hd_order_keeps_blocks(const uint32_t *order, uint32_t threads, uint32_t block_threads);

#endif
