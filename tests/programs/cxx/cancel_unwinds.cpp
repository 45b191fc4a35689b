/*
 * Cancellation and pthread_exit unwind C++ frames: destructors run, a catch (...)
 * that rethrows lets it pass, locks held by guards are given back.
 *
 * CC: c++17
 * RUN: run --seed 1..20
 * EXPECT: clean
 */
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <pthread.h>
#include <string>
#include <unistd.h>

static std::string text;
static std::mutex m;
static std::condition_variable cv;

struct Noted {
	const char *word;

	~Noted()
	{
		text += word;
	}
};

static void *worker(void *by_exit)
{
	Noted outer{"1"};
	std::unique_lock<std::mutex> lock(m);

	try {
		Noted inner{"2"};

		if (by_exit)
			pthread_exit(nullptr);
		cv.wait(lock, [] { return false; });
	} catch (...) {
		text += "c";
		throw;
	}
	return nullptr;
}

int main()
{
	pthread_t t;
	void *ret;

	pthread_create(&t, nullptr, worker, nullptr);
	sleep(1);
	pthread_cancel(t);
	pthread_join(t, &ret);
	assert(ret == PTHREAD_CANCELED && text == "2c1");
	assert(m.try_lock());
	m.unlock();
	text.clear();
	pthread_create(&t, nullptr, worker, &text);
	pthread_join(t, &ret);
	assert(ret == nullptr && text == "2c1");
	assert(m.try_lock());
	return 0;
}
