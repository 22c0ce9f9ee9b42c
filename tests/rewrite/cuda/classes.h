// A record in a namespace, with constructors of its own, and names that only it knows.
#pragma once
namespace fluid {
struct drop {
    typedef double real;
    enum kind { water, oil };
    real x[2];
    kind what;
    float weight;
    __device__ drop(float w) : x{w, 1}, what(oil), weight(w) {}
    __device__ const real &at(int i) const { return x[i]; }
    __device__ float operator%(float by) const { return weight * by; }
    __device__ operator bool() const { return what == oil; }
};
} // namespace fluid
