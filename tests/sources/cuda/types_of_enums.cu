// An enum is its integer, a truth a byte.
//: fields cell: kind unsigned int 0 4, mode unsigned char 4 1, alive bool 5 1, sign int 8 4
//: header cell: int32_t sign;
//: header cell: unsigned char mode;
//: laid out k 64: soa {kind,mode,alive}{sign}
enum kind { SOLID, FLUID, GAS };
enum class mode : unsigned char { off, on };
enum sign { MINUS = -1, PLUS = 1 };
struct cell {
    enum kind kind;
    enum mode mode;
    bool alive;
    enum sign sign;
};
__global__ void k(cell *c, const enum kind *kinds) {
    int i = threadIdx.x;
    if (c[i].alive && c[i].mode == mode::on)
        c[i].kind = kinds[i];
    c[i].sign = c[i].kind == FLUID ? MINUS : PLUS;
    c[i].mode = mode::off;
}
