/*
 * One task reads the first elements of a vector that another lets grow, with or without room for it.
 * race: 17 19
 */
#include <vector>

int main()
{
	std::vector<int> v(4, 1);
	int sum = 0;

#pragma omp parallel num_threads(3)
#pragma omp single
	{
#pragma omp task shared(v, sum)
		for (int i = 0; i < 4; i++)
			sum += v[i];
#pragma omp task shared(v)
		v.push_back(5);
	}
	return sum + (int)v.size() < 0;
}
