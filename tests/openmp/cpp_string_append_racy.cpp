/*
 * Tasks append to one string.
 * race: 15 15
 */
#include <string>

int main()
{
	std::string s;

#pragma omp parallel num_threads(2)
#pragma omp single
	for (int i = 0; i < 4; i++) {
#pragma omp task shared(s) firstprivate(i)
		s += (char)('a' + i);
	}
	return s.size() > 4;
}
