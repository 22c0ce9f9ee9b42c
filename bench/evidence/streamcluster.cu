/*
 * The step of online clustering that decides whether a point is worth opening as a centre: what
 * every other point would gain by moving to it. A point that would move notes so; one that would
 * not adds what it would lose if its own centre closed.
 *
 * One thread per point; the candidate's coordinates are in shared memory. Coordinates of points
 * lie dimension by dimension, as [DIM][points].
 */
#define DIM 24

typedef struct {
    float weight;
    long assign; /* the centre that it belongs to: a point */
    float cost;  /* weight times the squared distance to it */
    bool is_open;
} Point;

__device__ float squared_distance(const float *candidate, const float *__restrict__ coords, int i,
                                  int count) {
    float sum = 0.0f;
    for (int d = 0; d < DIM; d++) {
        float difference = coords[d * count + i] - candidate[d];
        sum += difference * difference;
    }
    return sum;
}

/* Every `apart`-th point opens as a centre, and takes the points behind it. */
extern "C" __global__ void open_centres(Point *points, const float *__restrict__ coords, int apart,
                                        int count) {
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i >= count)
        return;
    int centre = i - i % apart;
    float sum = 0.0f;
    for (int d = 0; d < DIM; d++) {
        float difference = coords[d * count + i] - coords[d * count + centre];
        sum += difference * difference;
    }
    points[i].assign = centre;
    points[i].cost = sum * points[i].weight;
    points[i].is_open = i == centre;
}

extern "C" __global__ void gain(const Point *__restrict__ points, const float *__restrict__ coords,
                                float *__restrict__ losses, float *__restrict__ gains,
                                unsigned char *__restrict__ moves, int candidate, int count) {
    __shared__ float at[DIM];
    if (threadIdx.x < DIM)
        at[threadIdx.x] = coords[threadIdx.x * count + candidate];
    __syncthreads();

    int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i >= count)
        return;
    float cost = squared_distance(at, coords, i, count) * points[i].weight;
    bool better = cost < points[i].cost;
    moves[i] = better;
    if (better)
        gains[i] = points[i].cost - cost;
    else if (!points[i].is_open)
        atomicAdd(&losses[points[i].assign], cost - points[i].cost);
}

/* Moves those that gain, if the host says so. */
extern "C" __global__ void reassign(Point *points, const float *__restrict__ gains,
                                    unsigned char *__restrict__ moves, int candidate, int count) {
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i < count && moves[i]) {
        points[i].assign = candidate;
        points[i].cost -= gains[i];
        moves[i] = 0;
    }
}
