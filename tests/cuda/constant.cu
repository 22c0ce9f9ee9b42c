// A buffer that stands for constant memory cannot be written, by one lane or by all.
// fails: 6 to constant memory: byte 4 of 'table' can only be read; thread 1
__constant__ int table[16];
__global__ void write(int *out) {
    int i = threadIdx.x;
    if (i) ((int *)table)[i] = i;
    out[i] = table[i];
}
