/*
 * std::condition_variable, also with a deadline, and condition_variable_any.
 *
 * CC: c++17
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --spurious --seed 1..10
 * EXPECT: clean
 */
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

using namespace std::chrono_literals;

static std::mutex m;
static std::condition_variable cv;
static std::condition_variable_any any;
static std::deque<int> queue;
static bool stop;

static void consume(int *sum)
{
	std::unique_lock<std::mutex> lock(m);

	for (;;) {
		cv.wait(lock, [] { return stop || !queue.empty(); });
		if (queue.empty())
			return;
		*sum += queue.front();
		queue.pop_front();
	}
}

int main()
{
	int sums[2] = {0, 0};
	std::thread a(consume, &sums[0]), b(consume, &sums[1]);

	for (int i = 1; i <= 10; i++) {
		std::lock_guard<std::mutex> lock(m);

		queue.push_back(i);
		cv.notify_one();
	}
	{
		std::lock_guard<std::mutex> lock(m);

		stop = true;
		cv.notify_all();
	}
	a.join();
	b.join();
	assert(sums[0] + sums[1] == 55);

	std::unique_lock<std::mutex> lock(m);
	auto before = std::chrono::steady_clock::now();

	assert(!cv.wait_for(lock, 1h, [] { return false; }));
	assert(std::chrono::steady_clock::now() - before >= 1h);
	assert(!any.wait_until(lock, std::chrono::system_clock::now() + 1h, [] { return false; }));
	return 0;
}
