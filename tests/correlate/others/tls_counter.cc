/*
 * A thread_local copy of a shared count is brought up to date, counted up, and written back in another
 * section. GOOD: in one.
 *
 * EXPECT: extended-race shared_count
 */
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

static std::mutex mutex;
static int shared_count;
static thread_local int mine;

static void fetch()
{
	mine = shared_count;
}

static void store()
{
	shared_count = mine;
}

static void step()
{
#ifdef GOOD
	std::unique_lock<std::mutex> lock(mutex);
	fetch();
	mine++;
	store();
#else
	{
		std::unique_lock<std::mutex> lock(mutex);
		fetch();
	}
	mine++;
	{
		std::unique_lock<std::mutex> lock(mutex);
		store();
	}
#endif
}

int main()
{
	std::vector<std::thread> threads;

	for (int i = 0; i < 3; i++)
		threads.emplace_back([] {
			for (int k = 0; k < 3; k++)
				step();
		});
	for (auto &t : threads)
		t.join();
	std::printf("%d\n", shared_count);
	return 0;
}
