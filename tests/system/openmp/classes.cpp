/*
 * C++ in OpenMP regions: members, locks in objects, copies and their destructors, exceptions that stay
 * within a region, containers, templates, lambdas, reductions of a class. All of it is right.
 */
#include <cassert>
#include <stdexcept>
#include <string>
#include <vector>

#include <omp.h>

struct Account {
	Account() { omp_init_lock(&lock); }
	~Account() { omp_destroy_lock(&lock); }

	void add(int v)
	{
		omp_set_lock(&lock);
		total += v;
		omp_unset_lock(&lock);
	}

	int total = 0;
	omp_lock_t lock;
};

static int live;

struct Counted {
	Counted(int v) : v(v) { count(1); }
	Counted(const Counted &other) : v(other.v) { count(1); }
	~Counted() { count(-1); }

	static void count(int n)
	{
#pragma omp atomic
		live += n;
	}

	int v;
};

template <typename T> static T sum(const std::vector<T> &v)
{
	T s = 0;

#pragma omp parallel for reduction(+ : s) schedule(static)
	for (size_t i = 0; i < v.size(); i++)
		s += v[i];
	return s;
}

#pragma omp declare reduction(append : std::vector<int> :                                          \
	omp_out.insert(omp_out.end(), omp_in.begin(), omp_in.end()))

static void containers()
{
	std::vector<int> v(100, 2), all;
	std::vector<std::string> names(8);

	assert(sum(v) == 200);
#pragma omp parallel for
	for (auto it = v.begin(); it < v.end(); ++it)
		*it += 1;
#pragma omp parallel for
	for (auto &x : v)
		x *= 2;
	assert(sum(v) == 600);
#pragma omp parallel for
	for (int i = 0; i < 8; i++)
		names[i] = "a string that is too long for its own place " + std::to_string(i);
	assert(names[7].back() == '7');
#pragma omp parallel for reduction(append : all)
	for (int i = 0; i < 20; i++)
		all.push_back(i);
	assert(all.size() == 20);
	auto fill = [&](int k) {
#pragma omp parallel for
		for (int i = 0; i < 10; i++)
			v[i] = k;
	};
	fill(3);
	assert(v[9] == 3 && v[10] == 6);
}

static void copies()
{
	Counted c(7);

#pragma omp parallel firstprivate(c) num_threads(3)
	{
		assert(c.v == 7);
		c.v = omp_get_thread_num();
	}
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp task firstprivate(c)
	assert(c.v == 7);
}

static void exceptions()
{
	Account a;
	int caught = 0;

#pragma omp parallel num_threads(4)
	{
		try {
			a.add(1);
			if (omp_get_thread_num() % 2)
				throw std::runtime_error("odd");
		} catch (const std::runtime_error &) {
#pragma omp atomic
			caught++;
		}
	}
	assert(a.total == 4 && caught == 2);
#pragma omp parallel num_threads(2)
#pragma omp single
	{
		try {
#pragma omp taskgroup
			{
#pragma omp task
				try {
					throw 5;
				} catch (int n) {
					a.add(n);
				}
			}
			throw std::string("after the group");
		} catch (const std::string &) {
			a.add(1);
		}
	}
	assert(a.total == 10);
}

int main()
{
	containers();
	copies();
	exceptions();
	assert(live == 0);
	return 0;
}
