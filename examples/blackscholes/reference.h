/* Black-Scholes in plain C; see blackscholes.cl. */
#ifndef BLACKSCHOLES_REFERENCE_H
#define BLACKSCHOLES_REFERENCE_H

typedef struct blackscholes_option {
    float price, strike, years, rate, volatility;
    float call, put;
} blackscholes_option;

void blackscholes_price(blackscholes_option *options, int count);

#endif
