/*
 * An exception that two threads own: each reads it and lets go of it, and the last one ends it.
 *
 * CC: c++17
 * RUN: run --seed 1..40
 * EXPECT: clean
 * RUN: run --policy pct --pct-length 50 --seed 1..20
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..20
 * EXPECT: clean
 */
#include <cassert>
#include <exception>
#include <thread>

static int ended;

struct failure {
	int code = 7;

	~failure()
	{
		code = 0;
		ended++;
	}
};

static void look(std::exception_ptr &mine)
{
	try {
		std::rethrow_exception(mine);
	} catch (const failure &f) {
		assert(f.code == 7);
		mine = nullptr;
		assert(f.code == 7);
	}
}

int main()
{
	std::exception_ptr mine = std::make_exception_ptr(failure()), other = mine;
	int before = ended; /* copies that were made on the way */
	std::thread t([&] { look(other); });

	look(mine);
	t.join();
	assert(ended == before + 1);
	return 0;
}
