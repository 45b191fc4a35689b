/*
 * C++ threads, and a balance that is torn apart. GOOD: not.
 *
 * EXPECT: extended-race balance
 */

#include <mutex>
#include <thread>

static volatile int balance = 100;
static std::mutex lock;

static void add(int n)
{
	int old;
	{
		std::lock_guard<std::mutex> guard(lock);
		old = balance;
#ifdef GOOD
		balance = old + n;
	}
#else
	}
	std::lock_guard<std::mutex> guard(lock);
	balance = old + n;
#endif
}

int main()
{
	std::thread a(add, 1), b(add, 2);

	a.join();
	b.join();
	return 0;
}
