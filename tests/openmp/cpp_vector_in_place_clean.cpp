/*
 * Items of a vector by reference: each on its own, and with its neighbour.
 * clean
 */
#include <vector>

static void halve(std::vector<double> &v)
{
#pragma omp parallel for
	for (std::size_t i = 1; i < v.size(); i++)
		v[i] = (v[i] + v[i]) / 2;
}

int main()
{
	std::vector<double> v(50, 2.0);

	halve(v);
	return v[49] != 2.0;
}
