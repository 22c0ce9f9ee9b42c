// flags: -g 64 --local 64 -n 64
// accesses: 2
// rewrites: {a}:16{b}/da
typedef struct {	float a;	int b;	} R;
__kernel void k(__global R *p)	{
	int	i	=	get_global_id(0);
	p[i].a	=	p[i].b	+	1;	/* tab */
}
