// device_vectors of records in classes, containers and pointers, under other names of thrust, and their raw
// pointers in functors of thrust's algorithms and in calls of CUDA's.
// in: Body={pos}{mass,hits}
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/for_each.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/transform_reduce.h>

#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace th = thrust;

#define RAW(v) thrust::raw_pointer_cast((v).data())

namespace model {
struct Body {
    float pos;
    int hits;
    double mass;
    __host__ __device__ float both() const { return pos + hits; }
};

struct Push {
    Body *bodies;
    __device__ void operator()(int i) const { bodies[i].pos += i; }
};

struct Weight {
    const Body *bodies;
    __host__ __device__ double operator()(int i) const { return bodies[i].mass + bodies[i].pos; }
};

__global__ void hit(Body *bodies, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        bodies[i].pos += 1;
        bodies[i].mass *= 2;
        bodies[i].hits += (int)bodies[i].both();
    }
}

class World {
    using bodies = th::device_vector<Body>;
    bodies now, old;
    std::unique_ptr<bodies> extra;
    std::vector<thrust::device_vector<Body>> levels;
    std::map<std::string, bodies> named;

    static void run(bodies &all) { hit<<<4, 32>>>(all.data().get(), (int)all.size()); }

public:
    explicit World(size_t n) : now(n, Body{1, 2, 3}), old{}, extra(new bodies(n)), levels(3) {
        old = now;
        for (size_t i = 0; i < levels.size(); i++)
            levels[i].resize(n >> i, Body{(float)i, (int)i, 1});
        levels.emplace_back(7);
        levels.push_back(bodies(5, Body{5, 5, 5}));
        named["one"] = bodies(9, Body{9, 9, 9});
    }
    const bodies &current() const { return now; }
    bodies &level(size_t i) { return levels.at(i); }
    bodies take_extra() { return std::move(*extra); }
    Body *raw() { return thrust::raw_pointer_cast(now.data()); }
    void step() {
        hit<<<4, 32>>>(raw(), (int)now.size());
        run(*extra);
        for (auto &level : levels)
            run(level);
        hit<<<1, 32>>>(RAW(named["one"]), 9);
        thrust::counting_iterator<int> first(0);
        thrust::for_each(first, first + (int)old.size(), Push{RAW(old)});
        now.swap(old);
    }
    double weight() const {
        thrust::counting_iterator<int> first(0);
        return thrust::transform_reduce(thrust::device, first, first + (int)now.size(),
                                        Weight{thrust::raw_pointer_cast(now.data())}, 0.0,
                                        thrust::plus<double>());
    }
};
} // namespace model

template <class V> double sum_of(const V &all) {
    double sum = 0;
    for (size_t i = 0; i < all.size(); i++) {
        model::Body b = all[i];
        sum += (b.pos + b.hits + b.mass) * (i + 1);
    }
    return sum;
}

int main() {
    using namespace thrust;
    using model::Body;
    model::World world(90);
    world.step();
    printf("%.3f %.3f %.3f\n", world.weight(), sum_of(world.current()), sum_of(world.level(1)));
    auto extra = world.take_extra();
    printf("%.3f %zu\n", sum_of(extra), extra.size());

    device_vector<Body> bodies(20);
    host_vector<Body> host(20);
    for (int i = 0; i < 20; i++)
        host[i] = Body{(float)i, i, 1};
    thrust::copy(host.begin(), host.end(), bodies.begin());
    cudaMemcpy(raw_pointer_cast(bodies.data()) + 5, &host[0], 5 * sizeof(Body), cudaMemcpyHostToDevice);
    cudaMemcpy(host.data(), raw_pointer_cast(&bodies[3]), 10 * sizeof(Body), cudaMemcpyDeviceToHost);
    cudaMemset(RAW(bodies), 0, 2 * sizeof(Body));
    auto *first = RAW(bodies);
    Body *end = first + bodies.size();
    model::hit<<<1, 32>>>(first, (int)(end - first));

    Body buffer[4] = {{1, 1, 1}, {2, 2, 2}};
    device_vector<Body> few(buffer, buffer + 4);
    thrust::copy(buffer, buffer + 2, few.begin() + 1);
    thrust::copy(few.begin(), few.end(), buffer);
    const device_vector<Body> kept(few);
    Body one = kept[1];
    one.pos += static_cast<Body>(few[0]).pos + ((Body)few[1]).mass;
    device_vector<Body>::iterator at = few.begin();
    ++at;
    *at = one;
    thrust::device_ptr<Body> there = few.data();
    there[3] = few[1];
    const Body &copied = few[1];
    printf("%.3f %.3f %.3f %.1f %d\n", sum_of(bodies), sum_of(few), sum_of(kept), copied.pos, buffer[2].hits);
    for (Body b : few)
        printf("%.1f ", b.pos);

    std::swap(bodies, few);
    device_vector<Body> moved = std::move(few);
    host_vector<Body> of_moved(moved), again = moved;
    printf("%td %zu %.2f\n", bodies.end() - bodies.begin(), of_moved.size(), again[4].pos);
    return 0;
}
