// Two device_vectors of records that change places, passed by reference, filled, resized, and reached
// from the host one by one.
// in: Cell={u}{v,kind}:8
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/fill.h>
#include <thrust/host_vector.h>

#include <cstdio>
#include <utility>
#include <vector>

namespace sim {
struct Cell {
    float u, v;
    int kind;
};
} // namespace sim

using Cells = thrust::device_vector<sim::Cell>;
typedef thrust::host_vector<sim::Cell> HostCells;

__global__ void diffuse(const sim::Cell *from, sim::Cell *to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    sim::Cell c = from[i];
    if (i > 0 && i < n - 1 && c.kind == 0)
        c.u = 0.25f * from[i - 1].u + 0.5f * c.u + 0.25f * from[i + 1].u;
    c.v += c.u;
    to[i] = c;
}

__global__ void mark(sim::Cell *cells, int n, int kind) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        cells[i].kind = kind;
}

static void step(const Cells &from, thrust::device_vector<sim::Cell> &to) {
    int n = static_cast<int>(from.size());
    diffuse<<<(n + 63) / 64, 64>>>(thrust::raw_pointer_cast(from.data()), to.data().get(), n);
}

/* What a kernel is given, beside its owner. */
struct View {
    Cells *owner;
    sim::Cell *first;
    int count;
    explicit View(Cells &cells)
        : owner(&cells), first(thrust::raw_pointer_cast(&cells.front())), count((int)cells.size()) {}
};

static thrust::device_vector<sim::Cell> make(size_t n, float u) {
    thrust::device_vector<sim::Cell> made(n, sim::Cell{u, 0, 0});
    made[0] = sim::Cell{8, 1, 1};
    return made;
}

static double sum_of(const std::vector<sim::Cell> &all) {
    double sum = 0;
    for (size_t i = 0; i < all.size(); i++)
        sum += (all[i].u + 2 * all[i].v + all[i].kind) * (i + 1);
    return sum;
}

static void print(const char *what, const Cells &cells) {
    std::vector<sim::Cell> all(cells.size());
    thrust::copy(cells.cbegin(), cells.cend(), all.begin());
    printf("%s %zu %.4f\n", what, cells.size(), sum_of(all));
}

int main() {
    Cells now = make(100, 1), next(now.size());
    for (int t = 0; t < 4; t++) {
        step(now, next);
        std::swap(now, next);
    }
    print("steps", now);

    View view(now);
    mark<<<1, 32>>>(view.first + 10, 20, 7);
    mark<<<1, 32>>>(thrust::raw_pointer_cast(now.data() + 50), 5, 9);
    mark<<<1, 32>>>(thrust::raw_pointer_cast(&*(now.begin() + 60)), 3, 2);
    print("marked", *view.owner);

    sim::Cell last = now[now.size() - 1], second = now[1];
    now[2] = last;
    now[3] = now[1];
    last.u += second.u;
    now.back() = last;
    for (int i = 0; i < 130; i++)
        now.push_back(sim::Cell{0.5f * i, 0, i});
    print("pushed", now);
    printf("capacity %zu\n", now.capacity());
    now.resize(260);
    now.resize(300, sim::Cell{1, 2, 3});
    print("grown", now);
    step(now, now);
    now.resize(90);
    print("shrunk", now);

    HostCells host = now;
    host[5].u = 77;
    next = host;
    thrust::fill(next.begin() + 20, next.begin() + 30, sim::Cell{3, 3, 3});
    thrust::copy_n(now.begin() + 40, 25, next.begin() + 1);
    print("mixed", next);
    thrust::copy(host.begin() + 2, host.begin() + 9, next.begin() + 33);
    Cells third(next), fourth;
    fourth = third;
    fourth.swap(now);
    now.assign(host.begin(), host.begin() + 50);
    step(third, fourth);
    host = fourth;
    print("third", third);
    print("now", now);
    print("copied", Cells(host.begin(), host.end()));
    next = {sim::Cell{1, 2, 3}, sim::Cell{4, 5, 6}};
    print("listed", next);
    fourth.clear();
    printf("%d %zu\n", fourth.empty(), fourth.size());
    return 0;
}
