/*
 * Each thread adds up the apples of its tree: after "layout" of HeCBench, from AMD's APP SDK. -DSOA: the
 * first apples of all trees come first.
 */
#ifdef SOA
#define APPLE(tree, i) ((i) * TREES + (tree))
#else
#define APPLE(tree, i) ((tree) * APPLES + (i))
#endif
enum { TREES = 4096, APPLES = 1024 };

__kernel void count(__global const int *restrict apples, __global int *restrict sums) {
    int tree = get_global_id(0), sum = 0;
    for (int i = 0; i < APPLES; i++)
        sum += apples[APPLE(tree, i)];
    sums[tree] = sum;
}
