/*
 * Bits of a vector of bool lie in one word; items of a vector of char do not.
 * clean
 */
#include <vector>

int main()
{
	std::vector<char> v(64);

#pragma omp parallel for
	for (int i = 0; i < 64; i++)
		v[i] = 1;
	return !v[63];
}
