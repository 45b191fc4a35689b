/*
 * Data written before a promise was kept, and the value itself.
 *
 * CC: c++17
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --pct-length 100 --seed 1..20
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..20
 * EXPECT: clean
 */
#include <cassert>
#include <future>
#include <string>
#include <thread>

static int data;

static void produce(std::promise<std::string> promise)
{
	data = 42;
	promise.set_value(std::string(50, 'x'));
}

int main()
{
	std::promise<std::string> promise;
	std::future<std::string> future = promise.get_future();
	std::thread t(produce, std::move(promise));

	assert(future.get().size() == 50);
	assert(data == 42);
	t.join();
	return 0;
}
