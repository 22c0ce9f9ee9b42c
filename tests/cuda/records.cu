// expect: bodies float 256 = (i % 8 < 3 ? i + 0.5 * (i + 4) : i % 8 == 7 ? -1 : i)
// expect: heaviest float = 251 31
//
// An array of structs with vectors in them: read whole, changed by methods, written whole.
struct body {
    float4 pos; // w: mass
    float4 vel; // w: not used

    __device__ void move(float dt) {
        pos.x += dt * vel.x;
        pos.y += dt * vel.y;
        pos.z += dt * vel.z;
        vel.w = -1;
    }
};
struct best {
    float mass;
    int index;
    __device__ best better(const best &other) const { return other.mass > mass ? other : *this; }
};

__global__ void move(body *bodies, float dt) {
    body b = bodies[threadIdx.x];
    b.move(dt);
    bodies[threadIdx.x] = b;
}

__global__ void heaviest(const body *bodies, float *out) {
    best mine = {bodies[threadIdx.x].pos.w, (int)threadIdx.x};
    for (int d = 16; d > 0; d /= 2) {
        best other = {__shfl_down_sync(0xffffffff, mine.mass, d),
                      __shfl_down_sync(0xffffffff, mine.index, d)};
        mine = mine.better(other);
    }
    if (threadIdx.x == 0) {
        out[0] = mine.mass;
        out[1] = mine.index;
    }
}
