// What only a template of the host gets wrong when it is instantiated.
//: kernels good
//: left out : no member named 'size' in
template <class T> int length(T t) { return t.size(); }
__global__ void good(int *p) { p[0] = 1; }
int main() {
    struct plain {} p;
    int n = length(p);
    good<<<1, 1>>>(0);
    return n;
}
