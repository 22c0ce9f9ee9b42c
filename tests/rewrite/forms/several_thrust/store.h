#pragma once
#include "particle.h"

#include <thrust/device_vector.h>

#include <vector>

class Store {
    thrust::device_vector<sim::Particle> all;

  public:
    explicit Store(const std::vector<sim::Particle> &start);
    void run(int steps);
    double sum() const;
};
