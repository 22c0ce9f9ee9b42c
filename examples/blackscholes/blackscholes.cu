/* blackscholes.cl in CUDA C: the same options, and the same formula. */
struct option {
    float price;      /* of the share today */
    float strike;     /* agreed for the day of expiry */
    float years;      /* to expiry */
    float rate;       /* riskless, continuously compounded */
    float volatility; /* standard deviation of a year's return */
    float call, put;  /* the answer */
};

/* The cumulative normal distribution as a polynomial of fifth degree, good to
 * 7.5e-8 (Abramowitz and Stegun, 26.2.17). */
__device__ float cumulative_normal(float x) {
    float k = 1.0f / (1.0f + 0.2316419f * fabsf(x));
    float polynomial =
        k * (0.319381530f +
             k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    float tail = 0.3989422804f * expf(-0.5f * x * x) * polynomial;
    return x > 0.0f ? 1.0f - tail : tail;
}

extern "C" __global__ void black_scholes(option *options, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;

    float price = options[i].price;
    float strike = options[i].strike;
    float years = options[i].years;
    float rate = options[i].rate;
    float spread = options[i].volatility * sqrtf(years);

    float d1 = (logf(price / strike) + rate * years) / spread + 0.5f * spread;
    float d2 = d1 - spread;
    float discounted = strike * expf(-rate * years);
    float n1 = cumulative_normal(d1);
    float n2 = cumulative_normal(d2);

    options[i].call = price * n1 - discounted * n2;
    options[i].put = discounted * (1.0f - n2) - price * (1.0f - n1);
}
