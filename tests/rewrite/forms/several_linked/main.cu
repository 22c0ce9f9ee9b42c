// A solver in a class of its own file, device functions in another: linked by nvcc -rdc=true.
// in: Cell=soa
// refused: solver.cu:14: function grid::flux has no body in this file; define or include it
// nvcc: -rdc=true
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
