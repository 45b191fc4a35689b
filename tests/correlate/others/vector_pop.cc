/*
 * Whether a vector is empty is asked in one section, and its last element is taken in the next. That
 * taking the lock may throw does not matter.
 *
 * EXPECT: extended-race v._M_impl._M_finish
 * PART
 * MISSED: clang-O2
 */
#include <mutex>
#include <thread>
#include <vector>
static std::mutex m;
static std::vector<int> v;
static long sum[2];
static bool empty()
{
	std::lock_guard<std::mutex> g(m);
	return v.empty();
}
static int pop()
{
	std::lock_guard<std::mutex> g(m);
	int x = v.back();
	v.pop_back();
	return x;
}
static bool try_pop(int &x)
{
	std::lock_guard<std::mutex> g(m);
	if (v.empty())
		return false;
	x = v.back();
	v.pop_back();
	return true;
}
static void work(int id)
{
	for (;;) {
		int x;
#ifdef GOOD
		if (!try_pop(x))
			break;
#else
		if (empty())
			break;
		x = pop();
#endif
		sum[id] += x;
	}
}
int main()
{
	for (int i = 0; i < 8; i++)
		v.push_back(i);
	std::thread a(work, 0), b(work, 1);
	a.join();
	b.join();
}
