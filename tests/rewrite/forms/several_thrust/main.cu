// A class whose device_vector of records goes to kernels of a file that knows nothing of thrust.
// in: Particle=soa
#include "store.h"

#include <cstdio>

int main() {
    std::vector<sim::Particle> start(100, sim::Particle{1, 2, 3});
    Store store(start);
    store.run(3);
    printf("%.3f\n", store.sum());
    return 0;
}
