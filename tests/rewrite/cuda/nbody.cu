// References of C++, device functions, a tile in shared memory that stays as it is.
struct body {
    float x, y, z, mass;
    float vx, vy, vz;
};

__device__ float3 pull(const body &a, float x, float y, float z, float mass) {
    float dx = x - a.x, dy = y - a.y, dz = z - a.z;
    float r = dx * dx + dy * dy + dz * dz + 0.25f;
    return make_float3(dx * mass / r, dy * mass / r, dz * mass / r);
}

__device__ void push(body *__restrict__ b, float3 force, float dt) {
    b->vx += force.x * dt;
    b->vy += force.y * dt;
    (*b).vz += force.z * dt;
}

extern "C" __global__ void step(body *__restrict__ bodies, const body *before, int n, float dt) {
    __shared__ body tile[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const body &me = before[i];
    float3 sum = make_float3(0, 0, 0);
    for (int start = 0; start < n; start += 32) {
        tile[threadIdx.x] = before[start + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < 32; j++) {
            float3 f = pull(me, tile[j].x, tile[j].y, tile[j].z, tile[j].mass);
            sum.x += f.x, sum.y += f.y, sum.z += f.z;
        }
        __syncthreads();
    }
    push(&bodies[i], sum, dt);
    body &own = bodies[i];
    own.x = me.x + own.vx * dt;
    own.y = me.y + own.vy * dt;
    own.z = me.z + own.vz * dt;
    own.mass = me.mass;
}
