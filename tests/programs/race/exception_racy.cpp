/*
 * An exception that two threads own, and one changes while the other reads it: that both let go of it later
 * orders nothing of that.
 *
 * CC: c++17
 * RUN: run --seed 1..5
 * EXPECT: race @change @look
 */
#include <exception>
#include <thread>

struct failure {
	int code = 7;
};

static int seen;

static void change(const std::exception_ptr &e)
{
	try {
		std::rethrow_exception(e);
	} catch (failure &f) {
		f.code = 8;
	}
}

static void look(const std::exception_ptr &e)
{
	try {
		std::rethrow_exception(e);
	} catch (const failure &f) {
		seen = f.code;
	}
}

int main()
{
	std::exception_ptr mine = std::make_exception_ptr(failure()), other = mine;
	std::thread t([&] { change(other); });

	look(mine);
	t.join();
	return seen < 7;
}
