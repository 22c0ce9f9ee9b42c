/*
 * A B+ tree: bulk loading from sorted keys, searches for single keys, and sums over ranges of
 * keys.
 *
 * The tree is complete, and its nodes are numbered level by level from the root: the children of
 * node g are g * ORDER + 1 to g * ORDER + ORDER. Leaves hold 12 to 16 keys, which are even, and
 * know the leaf to their right. In an inner node keys[k] is the least key below child[k].
 */
#define ORDER 16
#define ABSENT (-1)

typedef struct bnode {
    int keys[ORDER];
    int child[ORDER]; /* nodes; in a leaf where the values of the keys are */
    short count;
    char is_leaf;
    int right; /* the next leaf; ABSENT: none */
} bnode;

/* One work-item per node of a level of `nodes` nodes that begins at number `first`; `span` is how
 * far the keys of two children are apart. */
__kernel void bulk_load(__global bnode *tree, const int first, const int nodes, const int span,
                        const int leaves) {
    int j = get_global_id(0);
    if (j >= nodes)
        return;
    __global bnode *node = &tree[first + j];
    int count = leaves ? ORDER - (j * 7 + 3) % 5 : ORDER;
    for (int k = 0; k < count; k++) {
        node->keys[k] = (j * ORDER + k) * span;
        node->child[k] = leaves ? j * ORDER + k : (first + j) * ORDER + 1 + k;
    }
    node->count = count;
    node->is_leaf = leaves;
    node->right = leaves && j + 1 < nodes ? first + j + 1 : ABSENT;
}

/* How many keys of the node are at most `key`. */
static int rank_in(__global const bnode *node, int key) {
    int k = 0;
    while (k < node->count && node->keys[k] <= key)
        k++;
    return k;
}

static __global const bnode *find_leaf(__global const bnode *tree, int key) {
    __global const bnode *node = tree;
    while (!node->is_leaf) {
        int k = rank_in(node, key);
        node = &tree[node->child[k > 0 ? k - 1 : 0]];
    }
    return node;
}

__kernel void search(__global const bnode *restrict tree, __global const int *restrict values,
                     __global const int *restrict wanted, __global int *restrict found,
                     const int count) {
    int i = get_global_id(0);
    if (i >= count)
        return;
    int key = wanted[i];
    __global const bnode *leaf = find_leaf(tree, key);
    int k = rank_in(leaf, key) - 1;
    found[i] = k >= 0 && leaf->keys[k] == key ? values[leaf->child[k]] : ABSENT;
}

/* Sums the values of the keys from wanted[i] up to but not with wanted[i] + width. */
__kernel void sum_range(__global const bnode *restrict tree, __global const int *restrict values,
                        __global const int *restrict wanted, __global int *restrict sums,
                        const int width, const int count) {
    int i = get_global_id(0);
    if (i >= count)
        return;
    int low = wanted[i], sum = 0;
    __global const bnode *leaf = find_leaf(tree, low);
    for (;;) {
        for (int k = 0; k < leaf->count; k++) {
            int key = leaf->keys[k];
            if (key >= low + width) {
                sums[i] = sum;
                return;
            }
            if (key >= low)
                sum += values[leaf->child[k]];
        }
        if (leaf->right == ABSENT)
            break;
        leaf = &tree[leaf->right];
    }
    sums[i] = sum;
}
