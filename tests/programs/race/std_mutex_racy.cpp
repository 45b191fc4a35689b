/*
 * One thread takes the std::mutex, the other does not.
 *
 * CC: c++17
 * RUN: run --seed 1..5
 * EXPECT: race 'total' @locked @main
 */
#include <mutex>
#include <thread>

static std::mutex lock;
static int total;

static void locked()
{
	std::lock_guard<std::mutex> guard(lock);
	total++;
}

int main()
{
	std::thread t(locked);

	total++;
	t.join();
	return total > 2;
}
