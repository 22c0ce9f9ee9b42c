// Tracers in a field: one long program with the default context and queue, as it grew.
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#define CL_HPP_TARGET_OPENCL_VERSION 120
#include <CL/opencl.hpp>
#include <algorithm>
#include <deque>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <vector>
using namespace std;

struct tracer { double mass; float pos[3]; float vel[3]; int cell; };

#define CHECK(x) do { cl_int e_ = (x); if (e_ != CL_SUCCESS) { cerr << #x << ": " << e_ << endl; exit(1); } } while (0)
#define ARG(k, n, v) CHECK((k).setArg(n, v))

static cl::Buffer d_field, d_grid;	// plain
static cl::Buffer d_tracers;
static std::map<string, cl::Kernel> kernels;
const int CELLS = 24;

static cl::Program load(const char *path)
{
	ifstream in(path);
	string text((istreambuf_iterator<char>(in)), istreambuf_iterator<char>());
	cl::Program p(text);
	CHECK(p.build("-cl-std=CL1.2"));
	return p;
}

/* all counts of the grid */
static vector<int> grid_of(cl::Kernel &deposit, cl_uint n)
{
	cl_int zero = 0;
	cl::CommandQueue queue = cl::CommandQueue::getDefault();
	queue.enqueueFillBuffer(d_grid, zero, 0, CELLS * sizeof(int));
	cl_uint a = 0;
	deposit.setArg(a++, d_tracers);
	deposit.setArg(a++, d_grid);
	deposit.setArg(a++, n);
	CHECK(queue.enqueueNDRangeKernel(deposit, cl::NullRange, cl::NDRange(n), cl::NullRange));
	vector<int> grid(CELLS);
	cl::copy(queue, d_grid, grid.begin(), grid.end());
	return grid;
}

static double mass_of(const vector<tracer> &t)
{
	return accumulate(t.begin(), t.end(), 0.0, [](double s, const tracer &x) { return s + x.mass; });
}

static void replace(cl::Buffer &what, const cl::Buffer &by) { what = by; }

int main(int argc, char *argv[])
{
	cl_uint n = argc > 1 ? atoi(argv[1]) : 150;
	vector<tracer> h(n);
	deque<tracer> more;
	for (cl_uint i = 0; i < n; i++) {
		tracer t = {1.0 + i % 7, {0.1f * (i % 13), 0, 0.5f}, {0.3f * (i % 3), 1, -1}, int(i % CELLS)};
		h[i] = t;
		if (i < 40) { t.mass = 0.5; t.cell = (i * 5) % CELLS; more.push_back(t); }
	}
	vector<float> field(CELLS);
	for (int c = 0; c < CELLS; c++) field[c] = 0.01f * (c * 7 % 11);

	cl::Program program = load("tracers.cl");
	kernels["advect"] = cl::Kernel(program, "advect");
	kernels["deposit"] = cl::Kernel(program, "deposit");
	cl::Kernel deposit = cl::Kernel(program, "deposit", nullptr);
	d_tracers = cl::Buffer(h.begin(), h.end(), false);
	d_field = cl::Buffer(begin(field), end(field), true);
	d_grid = cl::Buffer(CL_MEM_READ_WRITE, CELLS * sizeof(int));

	ARG(kernels["advect"], 0, d_tracers);
	ARG(kernels["advect"], 1, d_field);
	ARG(kernels["advect"], 2, n);
	ARG(kernels["advect"], 3, 0.1f);
	ARG(kernels["advect"], 4, CELLS);
	for (int s = 0; s < 4; s++)
		CHECK(cl::CommandQueue::getDefault().enqueueNDRangeKernel(
			kernels["advect"], cl::NullRange, cl::NDRange(n), cl::NullRange));

	for (int v : grid_of(deposit, n)) cout << v << ' ';
	cout << endl;

	// the first of them get more
	auto queue = make_shared<cl::CommandQueue>(cl::CommandQueue::getDefault());
	cl::Buffer d_more(*queue, more.begin(), more.end(), true);
	auto merge = cl::KernelFunctor<cl::Buffer &, cl::Buffer &, cl_uint>(program, "merge");
	cl_uint m = more.size();
	merge(cl::EnqueueArgs(*queue, cl::NDRange(m)), d_tracers, d_more, m).wait();
	for (int v : grid_of(deposit, n)) cout << v << ' ';
	cout << endl;

	unique_ptr<cl::Buffer> copy_of(new cl::Buffer(CL_MEM_READ_WRITE, sizeof(tracer) * n));
	CHECK(queue->enqueueCopyBuffer(d_tracers, *copy_of, 0, 0, sizeof(tracer) * n));
	vector<tracer> back(n);
	CHECK(cl::copy(*copy_of, back.begin(), back.end()));
	cout << "mass " << mass_of(back) << ", cells "
	     << accumulate(back.begin(), back.end(), 0, [](int s, const tracer &x) { return s + x.cell; }) << endl;

	for (auto &t : back) t.mass = 2;
	CHECK(cl::copy(back.begin(), back.end(), d_tracers));
	CHECK(cl::enqueueWriteBuffer(d_tracers, CL_TRUE, 3 * sizeof(tracer), 2 * sizeof(tracer), &h[3]));
	vector<cl::Buffer> history;
	history.push_back(d_tracers);
	history.emplace_back(CL_MEM_READ_WRITE, n * sizeof(tracer));
	CHECK(cl::enqueueCopyBuffer(history[0], history[1], 10 * sizeof(tracer), 0, 20 * sizeof(tracer)));
	replace(d_tracers, history.back());
	h.resize(20);
	CHECK(cl::enqueueReadBuffer(d_tracers, CL_TRUE, 0, h.size() * sizeof h[0], &h[0]));
	cout << "mass " << mass_of(h) << ", y " << h[7].pos[1] << ' ' << h[19].vel[2] << endl;

	// and in C
	cl_mem raw = d_tracers();
	tracer one;
	CHECK(clEnqueueReadBuffer((*queue)(), raw, CL_TRUE, 5 * sizeof one, sizeof one, &one, 0, NULL, NULL));
	cout << one.mass << ' ' << one.cell << endl;
	cl_int count = 1;
	CHECK(clSetKernelArg(deposit(), 0, sizeof(cl_mem), &d_tracers()));
	CHECK(clSetKernelArg(deposit(), 2, sizeof count, &count));
	CHECK(queue->enqueueNDRangeKernel(deposit, cl::NullRange, cl::NDRange(1)));
	queue->finish();
	return 0;
}
