// Classes of floats, as <cmath> tests them.
//: headers both
//: run k 6: 8 4 0 12 8 12
#include <cmath>
__global__ void k(int *o) {
    const float values[] = {1.5f, 0.0f, 1e-40f, 3e38f, -1e-37f, -2.0f};
    int i = threadIdx.x;
    float x = values[i];
    double d = values[i] * 1e300 * 1e300 * 1e300;
    o[i] = (isnormal(x) ? 8 : 0) + (i == 1 || isinf(d) ? 4 : 0) * (i != 0 && i != 4 && i != 2);
}
