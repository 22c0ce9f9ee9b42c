// A class that holds device_vectors of records, filled with thrust::copy and from iterators.
// in: Agent=soa
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>

#include <cstdio>
#include <vector>

struct Agent {
    double wealth;
    int age, city;
};

__global__ void year(Agent *a, size_t n) {
    size_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        a[i].age += 1;
        a[i].wealth += a[i].age;
    }
}

__global__ void move(const Agent *from, Agent *to, size_t n) {
    size_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        to[i] = from[n - 1 - i];
        to[i].city = i % 5;
    }
}

class Society {
    thrust::device_vector<Agent> now, next;

public:
    explicit Society(const std::vector<Agent> &start)
        : now(start.begin(), start.end()), next(start.size()) {}
    void step() {
        year<<<(now.size() + 31) / 32, 32>>>(now.data().get(), now.size());
        move<<<(now.size() + 31) / 32, 32>>>(thrust::raw_pointer_cast(now.data()),
                                             thrust::raw_pointer_cast(next.data()), now.size());
        now.swap(next);
    }
    void read(std::vector<Agent> &to) const {
        to.resize(now.size());
        thrust::copy(now.begin(), now.end(), to.begin());
    }
};

int main() {
    std::vector<Agent> h(70);
    for (int i = 0; i < 70; i++)
        h[i] = Agent{0.5 * i, i % 40, 0};
    Society society(h);
    society.step();
    society.step();
    society.read(h);
    double sum = 0;
    for (int i = 0; i < 70; i++)
        sum += (h[i].wealth + h[i].age + h[i].city) * (i + 1);
    printf("%.3f\n", sum);
    return 0;
}
