/*
 * A slot that an atomic counter gives out is of one thread only.
 * race: 16 16
 */
#include <atomic>
#include <vector>

int main()
{
	std::atomic<int> next(0);
	std::vector<int> slots(64);

#pragma omp parallel for num_threads(4)
	for (int i = 0; i < 32; i++) {
		next.fetch_add(1);
		slots[next.load() / 2] = i;
	}
	return slots[0] > 32;
}
