/*
 * Two threads that a helper of main's has started exchange the element of a std::vector, without a lock: the
 * accesses are in a header of the library's.
 */
#include <pthread.h>
#include <utility>
#include <vector>

static std::vector<long> sums(4);

__attribute__((noinline)) static void add_up(long by)
{
	std::swap(sums[1], by);
}

static void *work(void *arg)
{
	add_up(5);
	return arg;
}

__attribute__((noinline)) static void start(pthread_t *t)
{
	pthread_create(&t[0], nullptr, work, nullptr);
	pthread_create(&t[1], nullptr, work, nullptr);
}

int main()
{
	pthread_t t[2];

	start(t);
	pthread_join(t[0], nullptr);
	pthread_join(t[1], nullptr);
	return 0;
}
