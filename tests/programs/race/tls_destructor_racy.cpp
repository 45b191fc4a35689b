/*
 * Destructors of thread-local objects count without order.
 *
 * CC: c++17
 * RUN: run --seed 1..5
 * EXPECT: race 'destroyed' @note_end
 */
#include <thread>

static int destroyed;

static void note_end()
{
	destroyed++;
}

struct counted {
	int value = 0;
	~counted()
	{
		note_end();
	}
};

static thread_local counted mine;

static void work()
{
	mine.value++;
}

int main()
{
	std::thread a(work), b(work);

	a.join();
	b.join();
	return destroyed > 2;
}
