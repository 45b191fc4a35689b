/*
 * A count in a map is read in one section and written back in the next.
 *
 * EXPECT: extended-race heap
 * PART
 * MISSED: -O0
 */
#include <map>
#include <mutex>
#include <string>
#include <thread>
static std::mutex m;
static std::map<int, int> visits;
static int get(int k)
{
	std::lock_guard<std::mutex> g(m);
	return visits[k];
}
static void set(int k, int v)
{
	std::lock_guard<std::mutex> g(m);
	visits[k] = v;
}
static void work()
{
	for (int i = 0; i < 4; i++) {
#ifdef GOOD
		std::lock_guard<std::mutex> g(m);
		visits[1] = visits[1] + 1;
#else
		set(1, get(1) + 1);
#endif
	}
}
int main()
{
	visits[1] = 0;
	visits[2] = 0;
	std::thread a(work), b(work);
	a.join();
	b.join();
}
