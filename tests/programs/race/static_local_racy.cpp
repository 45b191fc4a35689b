/*
 * A static local variable is made once, but changed by everyone.
 *
 * CC: c++17
 * RUN: run --seed 1..5
 * EXPECT: race instance.value' @change
 */
#include <thread>

struct config {
	int value;
	config() : value(1)
	{
	}
};

static config &get()
{
	static config instance;
	return instance;
}

static void change()
{
	get().value++;
}

int main()
{
	std::thread a(change), b(change);

	a.join();
	b.join();
	return 0;
}
