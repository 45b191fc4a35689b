/*
 * A loop over iterators: each item on its own, and with the one behind it.
 * race: 13 13
 */
#include <vector>

int main()
{
	std::vector<int> v(50, 1);

#pragma omp parallel for
	for (auto it = v.begin(); it < v.end() - 1; ++it)
		*it += *(it + 1);
	return v[0] < 0;
}
