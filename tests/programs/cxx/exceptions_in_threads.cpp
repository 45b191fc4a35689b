/*
 * Exceptions thrown and caught in several threads, with switches while they fly and
 * while they are handled: each thread sees its own.
 *
 * CC: c++17
 * RUN: run --seed 1..20
 * EXPECT: clean
 */
#include <cassert>
#include <exception>
#include <thread>

struct Yields {
	~Yields()
	{
		std::this_thread::yield();
		assert(std::uncaught_exceptions() == 1);
	}
};

static void throw_deep(int depth, int value)
{
	Yields y;

	if (depth == 0)
		throw value;
	throw_deep(depth - 1, value);
}

static void work(int value)
{
	for (int i = 0; i < 5; i++) {
		try {
			throw_deep(5, value + i);
			assert(false);
		} catch (int got) {
			std::this_thread::yield();
			assert(got == value + i && std::uncaught_exceptions() == 0);
			try {
				throw;
			} catch (int again) {
				assert(again == value + i);
			}
		}
	}
}

int main()
{
	std::thread a(work, 100), b(work, 200), c(work, 300);

	work(400);
	a.join();
	b.join();
	c.join();
	return 0;
}
