// Memory of the device's heap: malloc and free, new and delete, of one and of many.
//: headers both
//: run lists 4: 0 1 3 6
//: run arrays 4: 6 6 6 6
//: accesses arrays: store (unknown) 4, load (unknown) 4, load (unknown) 4, load (unknown) 4, store (unknown) 4, store o 4
#include <new>
struct node {
    int value;
    node *next;
    __device__ node(int v, node *n) : value(v), next(n) {}
};
__global__ void lists(int *o) {
    node *list = nullptr;
    for (int n = 0; n <= (int)threadIdx.x; n++)
        list = new node(n, list);
    int sum = 0;
    while (list) {
        node *gone = list;
        sum += gone->value;
        list = gone->next;
        delete gone;
    }
    o[threadIdx.x] = sum;
}
__global__ void arrays(int *o) {
    int *a = (int *)malloc(4 * sizeof(int)), *b = new int[2];
    for (int i = 0; i < 4; i++)
        a[i] = i;
    b[1] = a[1] + a[2] + a[3];
    o[threadIdx.x] = b[1];
    free(a);
    delete[] b;
    free(nullptr);
}
