/*
 * A queue as a class: whether it is empty is only asked in order not to wait; what takes an item looks again
 * itself.
 *
 * EXPECT: none
 */
#include <cstdio>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

class Queue {
	mutable std::mutex mutex;
	std::deque<int> items;

public:
	void push(int v)
	{
		std::lock_guard<std::mutex> guard(mutex);
		items.push_back(v);
	}
	bool empty() const
	{
		std::lock_guard<std::mutex> guard(mutex);
		return items.empty();
	}
	bool try_pop(int &v)
	{
		std::lock_guard<std::mutex> guard(mutex);
		if (items.empty())
			return false;
		v = items.front();
		items.pop_front();
		return true;
	}
};

int main()
{
	Queue queue;
	std::vector<std::thread> threads;
	long sums[2] = { 0, 0 };

	for (int i = 0; i < 10; i++)
		queue.push(i);
	for (int t = 0; t < 2; t++)
		threads.emplace_back([&queue, &sums, t] {
			while (!queue.empty()) {
				int v;

				if (queue.try_pop(v))
					sums[t] += v;
			}
		});
	for (auto &t : threads)
		t.join();
	std::printf("%ld\n", sums[0] + sums[1]);
	return 0;
}
