/*
 * An object that is made when it is first wanted: looked for under the lock, made without, and put in place under the
 * lock only if nobody else was faster.
 *
 * EXPECT: none
 */
#include <cstdio>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

struct Table {
	std::vector<int> squares;
	Table()
	{
		for (int i = 0; i < 20; i++)
			squares.push_back(i * i);
	}
};

static std::mutex mutex;
static std::shared_ptr<Table> table;

static std::shared_ptr<Table> get()
{
	{
		std::lock_guard<std::mutex> guard(mutex);
		if (table)
			return table;
	}
	auto mine = std::make_shared<Table>();
	std::lock_guard<std::mutex> guard(mutex);
	if (!table)
		table = mine;
	return table;
}

int main()
{
	std::vector<std::thread> threads;
	long sum[3];

	for (int i = 0; i < 3; i++)
		threads.emplace_back([i, &sum] {
			auto t = get();

			sum[i] = 0;
			for (int v : t->squares)
				sum[i] += v;
		});
	for (auto &t : threads)
		t.join();
	std::printf("%ld\n", sum[0] + sum[1] + sum[2]);
	return 0;
}
