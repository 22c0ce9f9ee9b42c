/*
 * Special registers of PTX, which CUDA C reads through functions and inline assembly. The warps of a
 * block are its threads in order, 32 at a time. Time is the number of instructions that the block has
 * run so far.
 */
#include "frontend/build.h"

#define BY_DIMENSION(name, query)                       \
    {name ".x", "trunc:i32(" query ":i64(0:i32))"},     \
        {name ".y", "trunc:i32(" query ":i64(1:i32))"}, \
        {name ".z", "trunc:i32(" query ":i64(2:i32))"}
/* What a cluster says of one dimension: the block's id in it, its size, its id, how many there are. */
#define CLUSTER(d)                                                            \
    {"cluster.ctaid." #d, "urem(%ctaid." #d ", cluster_size_" #d ":i32())"},  \
        {"cluster.nctaid." #d, "cluster_size_" #d ":i32()"},                  \
        {"clusterid." #d, "udiv(%ctaid." #d ", cluster_size_" #d ":i32())"},  \
        {"nclusterid." #d, "udiv(%nctaid." #d ", cluster_size_" #d ":i32())"}
#define LINEAR_ID "trunc:i32(local_linear_id:i64())"
#define OWN "o = shl(1:i32, and(" LINEAR_ID ", 31)); "
#define BELOW OWN "u = sub(o, 1); "
const front_named_recipe front_special_registers[] = {
    BY_DIMENSION("tid", "local_id"),
    BY_DIMENSION("ntid", "local_size"),
    BY_DIMENSION("ctaid", "group_id"),
    BY_DIMENSION("nctaid", "num_groups"),
    CLUSTER(x),
    CLUSTER(y),
    CLUSTER(z),
    {"cluster.ctarank", "add(%cluster_ctaid.x, mul(cluster_size_x:i32(), add(%cluster_ctaid.y, "
                        "mul(cluster_size_y:i32(), %cluster_ctaid.z))))"},
    {"cluster.nctarank",
     "mul(mul(cluster_size_x:i32(), cluster_size_y:i32()), cluster_size_z:i32())"},
    {"is.explicit.cluster", "ne(has_clusters:i32(), 0)"},
    {"laneid", "and(" LINEAR_ID ", 31)"},
    {"warpid", "lshr(" LINEAR_ID ", 5)"},
    {"warpsize", "32:i32"},
    {"nwarpid", "lshr(add(mul(mul(%ntid.x, %ntid.y), %ntid.z), 31), 5)"},
    /* the lanes below, at, or above this one; gt is not le, ge is not lt */
    {"lanemask.eq", OWN "o"},
    {"lanemask.lt", BELOW "u"},
    {"lanemask.le", BELOW "or(o, u)"},
    {"lanemask.gt", BELOW "xor(or(o, u), -1)"},
    {"lanemask.ge", BELOW "xor(u, -1)"},
    /* 64 bits; the lower ones are %clock */
    {"clock", "clock:i64()"},
    {"clock64", "clock:i64()"},
    {"clock.hi", "lshr(clock:i64(), 32)"},
    {"globaltimer.hi", "lshr(clock:i64(), 32)"},
    {"globaltimer.lo", "clock:i64()"},
    {"globaltimer", "clock:i64()"},
    /* the address of what cooperative groups keep of the grid, its upper half first */
    {"envreg1", "trunc:i32(lshr(grid_workspace:i64(), 32))"},
    {"envreg2", "trunc:i32(grid_workspace:i64())"},
    {"envreg0", "0:i32"},
    {NULL, NULL}};

bool front_special_register(front_builder *b, const char *name, kir_value *result) {
    char *dotted = hd_strdup(b->arena, name); /* clang says lanemask.eq, PTX lanemask_eq */
    for (char *c = dotted; *c; c++)
        *c = *c == '_' ? '.' : *c;
    const char *recipe = front_find_recipe(
        front_special_registers,
        sizeof front_special_registers / sizeof *front_special_registers - 1, dotted);
    kir_value letters[26] = {0};
    if (recipe)
        *result = front_recipe(b, recipe, letters, false, front_int_type(32, 1));
    return recipe != NULL;
}
