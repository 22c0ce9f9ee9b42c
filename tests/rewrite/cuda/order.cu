// Local copies, sorting in shared memory, swaps through references, casts to const.
struct item {
    unsigned key;
    float value;
    long long stamp;
};

__device__ bool before(const item &a, const item &b) {
    return a.key < b.key || (a.key == b.key && a.stamp < b.stamp);
}

__device__ void exchange(item *a, item *b) {
    item t = *a;
    *a = *b;
    *b = t;
}

__global__ void sort(item *items, int n) {
    item *mine = items + blockIdx.x * n;
    for (int round = 0; round < n; round++) {
        int i = 2 * threadIdx.x + round % 2;
        if (i + 1 < n && before(mine[i + 1], mine[i]))
            exchange(mine + i, &mine[i + 1]);
        __syncthreads();
    }
}

__global__ void merge(const item *items, item *out, int n) {
    extern __shared__ item room[];
    room[threadIdx.x] = items[threadIdx.x];
    __syncthreads();
    if (threadIdx.x)
        return;
    const item *a = items, *b = (const item *)items + n, *const end = b;
    item *to = out;
    while (a < end && b < items + 2 * n)
        *to++ = before(*a, *b) ? *a++ : *b++;
    while (a < end)
        *to++ = *a++;
    while (b - items < 2 * n) {
        to->key = b->key, to->value = (*b).value;
        (to++)->stamp = room[b++ - items].stamp;
    }
}
