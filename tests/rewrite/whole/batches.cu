// Orders arrive in batches: each is copied behind those that are there, and single ones are read back.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <cuda_runtime.h>

#define GPU(expr)                                                                                  \
    if (cudaError_t err_ = (expr)) {                                                               \
        std::fprintf(stderr, "%s: %s\n", #expr, cudaGetErrorString(err_));                         \
        std::exit(2);                                                                              \
    }

struct Order {
    int64_t id;
    int32_t customer;
    int16_t side; // 1: buy, -1: sell
    int16_t status;
    double price;
    int32_t quantity;
    int32_t filled;
};

__global__ void match(Order *orders, int first, int count, double market) {
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= count)
        return;
    Order *order = &orders[first + k];
    bool crosses = order->side > 0 ? order->price >= market : order->price <= market;
    if (order->status == 0 && crosses) {
        int most = order->quantity - order->filled;
        int now = min(most, 1 + order->customer % 7);
        order->filled += now;
        if (order->filled == order->quantity)
            order->status = 1;
    }
}

__global__ void volume(const Order *orders, int count, unsigned long long *total) {
    for (int k = threadIdx.x; k < count; k += blockDim.x)
        if (orders[k].filled)
            atomicAdd(total, (unsigned long long)orders[k].filled);
}

static std::vector<Order> makeBatch(int64_t firstId, int count) {
    std::vector<Order> batch(count);
    for (int i = 0; i < count; i++) {
        Order &o = batch[i];
        std::memset(&o, 0, sizeof o);
        o.id = firstId + i;
        o.customer = int((o.id * 37) % 101);
        o.side = o.id % 3 ? 1 : -1;
        o.price = 95.0 + (o.id * 13 % 100) * 0.1;
        o.quantity = 5 + int(o.id % 11);
    }
    return batch;
}

int main(int argc, char **argv) {
    const int batches = argc > 1 ? std::atoi(argv[1]) : 5;
    const int capacity = batches * 200;
    Order *d_orders = nullptr;
    unsigned long long *d_total = nullptr, total = 0;
    GPU(cudaMalloc(&d_orders, capacity * sizeof(Order)));
    GPU(cudaMalloc(&d_total, sizeof(*d_total)));

    int used = 0;
    double market = 100.0;
    for (int b = 0; b < batches; b++) {
        std::vector<Order> batch = makeBatch(1000 * b + 1, 100 + 23 * b % 101);
        const int count = (int)batch.size();
        GPU(cudaMemcpy(d_orders + used, batch.data(), count * sizeof(Order),
                       cudaMemcpyHostToDevice));
        match<<<(count + 63) / 64, 64>>>(d_orders, used, count, market);
        used += count;
        match<<<(used + 63) / 64, 64>>>(d_orders, 0, used, market);
        GPU(cudaGetLastError());
        GPU(cudaMemset(d_total, 0, sizeof(*d_total)));
        volume<<<1, 128>>>(d_orders, used, d_total);
        GPU(cudaMemcpy(&total, d_total, sizeof(total), cudaMemcpyDeviceToHost));

        Order last;
        GPU(cudaMemcpy(&last, d_orders + used - 1, sizeof(Order), cudaMemcpyDeviceToHost));
        std::printf("batch %d: %d orders, volume %llu, last %lld filled %d of %d\n", b, used, total,
                    (long long)last.id, last.filled, last.quantity);
        market += b % 2 ? -1.5 : 1.0;
    }

    // One order is cancelled in place.
    const int victim = used / 2;
    Order order;
    GPU(cudaMemcpy(&order, &d_orders[victim], sizeof(order), cudaMemcpyDeviceToHost));
    order.status = 2;
    GPU(cudaMemcpy(&d_orders[victim], &order, sizeof(order), cudaMemcpyHostToDevice));
    match<<<(used + 63) / 64, 64>>>(d_orders, 0, used, 99.0);
    GPU(cudaGetLastError());

    // The second half comes back in pieces.
    std::vector<Order> half(used - victim);
    for (int from = victim; from < used; from += 64) {
        int n = std::min(64, used - from);
        GPU(cudaMemcpy(half.data() + (from - victim), d_orders + from, n * sizeof(Order),
                       cudaMemcpyDeviceToHost));
    }
    int64_t ids = 0;
    int filled = 0, statuses[3] = {};
    double value = 0;
    for (const Order &o : half) {
        ids += o.id;
        filled += o.filled;
        statuses[o.status]++;
        value += o.side * o.price * o.filled;
    }
    std::printf("second half: ids %lld, filled %d, value %.3f\n", (long long)ids, filled, value);
    std::printf("open %d, done %d, cancelled %d\n", statuses[0], statuses[1], statuses[2]);

    GPU(cudaFree(d_orders));
    GPU(cudaFree(d_total));
    return 0;
}
