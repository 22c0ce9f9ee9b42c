// A solver in a class of its own file, with the functions of the device in a header and in it.
// in: grid::Cell=soa; Cell={h}{u,flag}
#include <cstdio>
#include <vector>

#include "grid.cuh"

int main() {
    std::vector<grid::Cell> cells(100);
    for (int i = 0; i < 100; i++)
        cells[i] = {1.0f * (i % 10), 0.5f * (i % 4), (short)i};
    grid::Solver solver((int)cells.size());
    solver.upload(cells.data());
    solver.run(3);
    solver.download(cells.data());
    double sum = 0;
    for (int i = 0; i < 100; i++)
        sum += (cells[i].h + cells[i].flag) * (i + 1);
    std::printf("%.4f\n", sum);
    return 0;
}
