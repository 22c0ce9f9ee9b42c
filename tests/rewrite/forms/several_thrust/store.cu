#include "store.h"

#include <thrust/host_vector.h>

Store::Store(const std::vector<sim::Particle> &start) : all(start) {
    all[3] = sim::Particle{7, 7, 7};
}

void Store::run(int steps) {
    for (int s = 0; s < steps; s++)
        sim::step(thrust::raw_pointer_cast(all.data()), all.size());
}

double Store::sum() const {
    thrust::host_vector<sim::Particle> host = all;
    double sum = 0;
    for (size_t i = 0; i < host.size(); i++)
        sum += (host[i].x + host[i].id) * (i + 1);
    return sum;
}
