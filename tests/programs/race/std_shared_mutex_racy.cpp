/*
 * Two threads write while they hold the shared lock.
 *
 * CC: c++17
 * RUN: run --seed 1..5
 * EXPECT: race 'price' @change
 */
#include <shared_mutex>
#include <thread>

static std::shared_mutex lock;
static int price;

static void change()
{
	std::shared_lock<std::shared_mutex> guard(lock);
	price++;
}

int main()
{
	std::thread a(change), b(change);

	a.join();
	b.join();
	return price > 2;
}
