/*
 * Values of promises and tasks that come when their threads have ended: what the threads did before that, and the
 * destructors of their own variables, is known to who gets the value. Futures that nobody waits for end with
 * the last of their owners.
 *
 * CC: c++17
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --pct-length 100 --seed 1..20
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..20
 * EXPECT: clean
 * RUN: run --model c11 --seed 1..20
 * EXPECT: clean
 */
#include <cassert>
#include <future>
#include <string>
#include <thread>

static int data, ended;

struct own {
	~own()
	{
		ended++;
	}
};

static void produce(std::promise<std::string> promise)
{
	static thread_local own mine;

	(void)&mine;
	promise.set_value_at_thread_exit(std::string(50, 'x'));
	data = 42;
}

static void a_value()
{
	std::promise<std::string> promise;
	std::future<std::string> future = promise.get_future();
	std::thread t(produce, std::move(promise));

	assert(future.get().size() == 50);
	assert(data == 42 && ended == 1);
	t.join();
}

static void an_exception()
{
	std::promise<void> promise;
	std::future<void> future = promise.get_future();
	bool caught = false;

	std::thread([](std::promise<void> p) {
		data = 43;
		p.set_exception_at_thread_exit(std::make_exception_ptr(std::string(60, 'y')));
	}, std::move(promise)).detach();
	try {
		future.get();
	} catch (const std::string &s) {
		caught = s.size() == 60;
	}
	assert(caught && data == 43);
}

static void a_task()
{
	std::packaged_task<std::string(int)> task([](int n) { return std::string(n, 'z'); });
	std::future<std::string> future = task.get_future();
	std::thread t([](std::packaged_task<std::string(int)> task) {
		task.make_ready_at_thread_exit(70);
		data = 44;
	}, std::move(task));

	future.wait();
	assert(data == 44 && future.get().size() == 70);
	t.join();
}

/* Nobody owns the value any more when the thread ends, or main still does. */
static void not_waited_for()
{
	std::promise<std::string> promise;
	std::thread t;

	{
		std::future<std::string> future = promise.get_future();

		t = std::thread(produce, std::move(promise));
	}
	t.join();
}

int main()
{
	a_value();
	an_exception();
	a_task();
	not_waited_for();
	assert(ended == 2);
	return 0;
}
