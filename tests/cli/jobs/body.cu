#ifndef FACTOR
#define FACTOR 1.0f
#endif
struct body {
    float x, y;
    int tag;
};

extern "C" __global__ void push(body *bodies, float dt) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bodies[i].x += bodies[i].y * dt * FACTOR;
}
