/*
 * A function-local static is made once, its constructor ends before anybody uses it, and
 * a constructor that throws is tried again.
 *
 * CC: c++17
 * RUN: run --seed 1..20
 * EXPECT: clean
 */
#include <cassert>
#include <thread>

static int begun, ended, throws;

struct Slow {
	int value;

	Slow()
	{
		begun++;
		for (int i = 0; i < 5; i++)
			std::this_thread::yield();
		value = 7;
		ended++;
	}
};

struct Moody {
	Moody()
	{
		if (throws++ == 0)
			throw 1;
	}
};

static void use()
{
	static Slow slow;

	assert(begun == 1 && ended == 1 && slow.value == 7);
}

static int failures;

static void try_moody()
{
	try {
		static Moody moody;

		(void)moody;
	} catch (int) {
		failures++;
	}
}

int main()
{
	std::thread a(use), b(use), c(try_moody), d(try_moody);

	use();
	a.join();
	b.join();
	c.join();
	d.join();
	assert(failures == 1 && throws == 2);
	return 0;
}
