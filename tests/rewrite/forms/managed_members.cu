// Managed memory that a class holds, filled by its methods, helpers and lambdas, read by others.
// in: Site={spin}{field,next}
#include <cuda_runtime.h>

#include <cassert>
#include <cstdio>

#define cudaCheck(ans) gpuAssert((ans), __FILE__, __LINE__)
inline void gpuAssert(cudaError_t code, const char *file, int line) {
    if (code != cudaSuccess)
        fprintf(stderr, "%s %s %d\n", cudaGetErrorString(code), file, line);
    assert(code == cudaSuccess);
}

struct Site {
    int spin;
    double field;
    unsigned next;
};

static unsigned lcg(unsigned &s) { return s = s * 1103515245u + 12345u, s >> 16; }

class Lattice {
public:
    Lattice(int width, int height) : w(width), h(height), sites(nullptr) {
        cudaCheck(cudaMallocManaged(&sites, size() * sizeof(Site)));
        unsigned seed = 7;
        for (size_t i = 0; i < size(); ++i) {
            sites[i].spin = lcg(seed) & 1 ? 1 : -1;
            sites[i].field = 0.25 * (lcg(seed) % 8);
            sites[i].next = (i + 1) % size();
        }
    }
    ~Lattice() { cudaFree(sites); }
    Lattice(const Lattice &) = delete;
    size_t size() const { return (size_t)w * h; }
    Site *data() { return sites; }
    const Site *data() const { return sites; }
    Site &at(int x, int y) { return sites[y * w + x]; }
    int width() const { return w; }

private:
    int w, h;
    Site *sites;
};

__global__ void sweep(Site *s, int n, int parity) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && i % 2 == parity) {
        Site *nb = s + s[i].next;
        if (nb->spin * s[i].spin < 0)
            s[i].spin = -s[i].spin;
        s[i].field += nb->field;
    }
}

static double magnetisation(const Lattice &lattice) {
    double m = 0;
    const Site *p = lattice.data();
    for (size_t i = 0; i < lattice.size(); i++, p++)
        m += p->spin * (i % 10 + 1.0) + p->field;
    return m;
}

static void show(const Site *s, const char *name) { printf("%s %d %.2f\n", name, s->spin, s->field); }

int main() {
    Lattice lattice(16, 8);
    lattice.at(3, 2).spin = 1;
    lattice.at(4, 2).field += 2;
    auto launch = [&](int parity) {
        sweep<<<4, 32>>>(lattice.data(), (int)lattice.size(), parity);
        cudaCheck(cudaDeviceSynchronize());
    };
    for (int k = 0; k < 4; k++)
        launch(k & 1);
    show(&lattice.at(3, 2), "site");
    show(lattice.data() + 20, "other");
    printf("%.4f\n", magnetisation(lattice));
    return 0;
}
