/*
 * A mutex of the standard library guards a map; its size is asked for with it and without.
 * clean
 */
#include <map>
#include <mutex>

int main()
{
	std::mutex lock;
	std::map<int, int> count;
	int seen = 0;

#pragma omp parallel for
	for (int i = 0; i < 30; i++) {
		std::lock_guard<std::mutex> held(lock);
		count[i % 5]++;
		seen += 1;
	}
#pragma omp parallel sections
	{
		{
			std::lock_guard<std::mutex> held(lock);
			seen = 0;
		}
#pragma omp section
		{
			std::lock_guard<std::mutex> held(lock);
			seen = count[1];
		}
	}
	return seen > 6;
}
