#include "reference.h"

#include <math.h>

static double blackscholes_cumulative_normal(double x) { return 0.5 * erfc(-x / sqrt(2.0)); }

void blackscholes_price(blackscholes_option *options, int count) {
    for (int i = 0; i < count; i++) {
        double price = options[i].price, strike = options[i].strike, years = options[i].years;
        double rate = options[i].rate, volatility = options[i].volatility;

        double spread = volatility * sqrt(years);
        double d1 = (log(price / strike) + (rate + volatility * volatility / 2) * years) / spread;
        double call = price * blackscholes_cumulative_normal(d1) -
                      strike * exp(-rate * years) * blackscholes_cumulative_normal(d1 - spread);
        options[i].call = (float)call;
        options[i].put = (float)(call - price + strike * exp(-rate * years)); /* parity */
    }
}
