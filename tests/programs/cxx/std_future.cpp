/*
 * std::async, future, promise, packaged_task, call_once and exceptions carried over.
 *
 * CC: c++17
 * RUN: run --seed 1..20
 * EXPECT: clean
 */
#include <cassert>
#include <chrono>
#include <future>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

using namespace std::chrono_literals;

static std::once_flag flag;
static int attempts;

static void initialise()
{
	if (++attempts == 1)
		throw std::runtime_error("first attempt");
}

static bool call()
{
	try {
		std::call_once(flag, initialise);
	} catch (const std::runtime_error &) {
		return false;
	}
	return true;
}

int main()
{
	auto square = std::async(std::launch::async, [](int x) { return x * x; }, 12);
	auto lazy = std::async(std::launch::deferred, [] { return 5; });
	auto fails = std::async(std::launch::async, []() -> int { throw std::string("no"); });
	std::promise<int> promise;
	std::shared_future<int> shared = promise.get_future().share();
	std::packaged_task<int()> task([] { return 8; });
	auto packaged = task.get_future();
	std::thread setter([&] { promise.set_value(3); }), runner(std::move(task));

	assert(square.get() == 144 && lazy.get() == 5);
	try {
		fails.get();
		assert(false);
	} catch (const std::string &text) {
		assert(text == "no");
	}
	assert(shared.get() == 3 && shared.get() == 3 && packaged.get() == 8);
	setter.join();
	runner.join();

	std::promise<void> never;

	assert(never.get_future().wait_for(1h) == std::future_status::timeout);

	auto first = std::async(std::launch::async, call), second = std::async(std::launch::async, call);
	int failed = !first.get() + !second.get();

	assert(failed == 1 && attempts == 2);
	return 0;
}
