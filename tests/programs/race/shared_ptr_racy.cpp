/*
 * One shared pointer object is copied by one thread and replaced by another.
 *
 * CC: c++17
 * RUN: run --seed 1..5
 * EXPECT: race 'current @look @main
 */
#include <memory>
#include <thread>

static std::shared_ptr<int> current = std::make_shared<int>(1);

static void look(int *seen)
{
	*seen = current != nullptr;
}

int main()
{
	int seen;
	std::thread t(look, &seen);

	current = std::make_shared<int>(2);
	t.join();
	return seen > 1;
}
