// Copies of other pieces than one element.
// in: Item=soa
#include <cuda_runtime.h>

struct Item {
    int key;
    float value[3];
};

__global__ void k(Item *items, int n) {
    Item two[2];
    memcpy(two, items, 2 * sizeof(Item)); //! memcpy moves the bytes of whole 'Item' records
    memcpy(&items[1], &items[2], n * sizeof(Item)); //! memcpy moves the bytes
    memcpy(&items[4], &two[1], sizeof(int)); //! memcpy moves the bytes
    memset(&items[n], 0, sizeof(Item)); //! memset moves the bytes
}

int main() {
    Item *items;
    cudaMalloc(&items, 64 * sizeof(Item));
    k<<<1, 1>>>(items, 4);
    return cudaFree(items);
}
