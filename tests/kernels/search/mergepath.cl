// flags: -g 128 --local 32 -n 1024 -a na=512 -a nb=512
// accesses: 12
// access: 17 store out.key 4 8 if 256*group(0) + 8*local(0) + k1
// access: 17 store out.val 4 8 if 256*group(0) + 8*local(0) + k1
// layouts: aosoa:32
typedef struct { int key; float val; } kv;
__kernel void merge_path(__global const kv *a, __global const kv *b, __global kv *out, int na, int nb) {
    int items = (na + nb) / get_global_size(0), diag = get_global_id(0) * items;
    int lo = max(0, diag - nb), hi = min(diag, na);
    while (lo < hi) {
        int mid = (lo + hi) >> 1;
        if (a[mid].key <= b[diag - 1 - mid].key) lo = mid + 1; else hi = mid;
    }
    int i = lo, j = diag - lo;
    for (int k = 0; k < items; k++) {
        bool take = i < na && (j >= nb || a[i].key <= b[j].key);
        out[diag + k] = take ? a[i++] : b[j++];
    }
}
