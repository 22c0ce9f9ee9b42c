// Methods that only read, const or not, and unions without names.
struct vec {
    float x, y, z;
    __device__ float squared() { return x * x + y * y + z * z; }
};

struct ball {
    union {
        float color[4];
        struct { float r, g, b, a; };
    };
    float radius;
    vec centre;
    int hits[2];
    __device__ float far() { return centre.squared() + this->radius; }
    __device__ float hit(float x, float y, float *depth) {
        float dx = x - centre.x, dy = y - centre.y;
        if (dx * dx + dy * dy >= radius * radius)
            return -1;
        *depth = far() + color[0];
        return hits[dx > dy] > 0 ? r : g;
    }
    __device__ int both() const { return hits[0] + hits[1]; }
};

__global__ void start(ball *balls) {
    int i = threadIdx.x;
    for (int k = 0; k < 4; k++)
        balls[i].color[k] = i * k - 1;
}

__global__ void trace(ball *balls, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float depth = 0, seen = 0;
    for (int k = 0; k < n; k++)
        seen += balls[k].hit(i, i / 2, &depth) * balls[k].b;
    out[i] = seen + depth + (balls + i)->far() + balls[i].both();
    balls[i].hits[i % 2]++;
    balls[i].a = balls[n - 1 - i].centre.squared();
    if (i == 2)
        balls[i] = balls[n - 1];
}
