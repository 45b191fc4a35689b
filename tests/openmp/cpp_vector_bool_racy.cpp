/*
 * Bits of a vector of bool lie in one word; items of a vector of char do not.
 * race: 13 13
 */
#include <vector>

int main()
{
	std::vector<bool> v(64);

#pragma omp parallel for
	for (int i = 0; i < 64; i++)
		v[i] = true;
	return !v[0];
}
