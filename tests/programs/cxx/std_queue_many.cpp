/*
 * A thread pool: futures of many small tasks, all answered.
 *
 * CC: c++17
 * RUN: run --seed 1..10
 * EXPECT: clean
 */
#include <cassert>
#include <condition_variable>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

class Pool {
	std::mutex m;
	std::condition_variable cv;
	std::queue<std::function<void()>> jobs;
	bool closed = false;
	std::vector<std::thread> threads;

	void work()
	{
		for (;;) {
			std::function<void()> job;
			{
				std::unique_lock<std::mutex> lock(m);

				cv.wait(lock, [this] { return closed || !jobs.empty(); });
				if (jobs.empty())
					return;
				job = std::move(jobs.front());
				jobs.pop();
			}
			job();
		}
	}

public:
	explicit Pool(int n)
	{
		for (int i = 0; i < n; i++)
			threads.emplace_back([this] { work(); });
	}

	std::future<int> add(std::function<int()> f)
	{
		auto task = std::make_shared<std::packaged_task<int()>>(std::move(f));
		std::lock_guard<std::mutex> lock(m);

		jobs.push([task] { (*task)(); });
		cv.notify_one();
		return task->get_future();
	}

	~Pool()
	{
		{
			std::lock_guard<std::mutex> lock(m);

			closed = true;
			cv.notify_all();
		}
		for (auto &t : threads)
			t.join();
	}
};

int main()
{
	Pool pool(3);
	std::vector<std::future<int>> answers;
	int sum = 0;

	for (int i = 0; i < 50; i++)
		answers.push_back(pool.add([i] { return i * i; }));
	for (auto &answer : answers)
		sum += answer.get();
	assert(sum == 40425); /* 49 * 50 * 99 / 6 */
	return 0;
}
