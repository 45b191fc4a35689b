/*
 * Tasks sort two halves, which are merged before both are done.
 * clean
 */
#include <algorithm>
#include <vector>

int main()
{
	std::vector<int> v(64);

	for (int i = 0; i < 64; i++)
		v[i] = i * 37 % 64;
#pragma omp parallel
#pragma omp single
	{
#pragma omp task shared(v)
		std::sort(v.begin(), v.begin() + 32);
#pragma omp task shared(v)
		std::sort(v.begin() + 32, v.end());
#pragma omp taskwait
		std::inplace_merge(v.begin(), v.begin() + 32, v.end());
	}
	return v[10] < 0;
}
