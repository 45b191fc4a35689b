/*
 * C++20: atomic wait and notify, latch, barrier, counting_semaphore, jthread.
 *
 * CC: c++20
 * RUN: run --seed 1..20
 * EXPECT: clean
 */
#include <atomic>
#include <barrier>
#include <cassert>
#include <latch>
#include <semaphore>
#include <thread>
#include <vector>

static std::atomic<int> number{0}, completions{0};
static std::atomic<bool> done{false};

static void complete() noexcept
{
	completions++;
}

int main()
{
	std::latch ready(3);
	std::barrier meet(3, complete);
	std::counting_semaphore<2> places(2);
	std::atomic<int> inside{0};
	std::vector<std::jthread> threads;

	for (int i = 0; i < 3; i++) {
		threads.emplace_back([&] {
			ready.count_down();
			number.wait(0);
			assert(number.load() == 1);
			places.acquire();
			assert(++inside <= 2);
			std::this_thread::yield();
			--inside;
			places.release();
			meet.arrive_and_wait();
			meet.arrive_and_wait();
		});
	}
	ready.wait();
	number = 1;
	number.notify_all();
	threads.clear();
	assert(completions == 2);

	std::jthread looper([](std::stop_token token) {
		while (!token.stop_requested())
			std::this_thread::yield();
		done = true;
		done.notify_one();
	});

	looper.request_stop();
	done.wait(false);
	return 0;
}
