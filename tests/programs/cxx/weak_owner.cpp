/*
 * A thread looks for what its maker may have given up meanwhile. The owners are counted before there are threads, too,
 * where libstdc++ does so without atomic operations.
 *
 * CC: c++17
 * RUN: run --seed 1..20
 * EXPECT: clean
 */
#include <cassert>
#include <memory>
#include <thread>

struct thing {
	int value = 3;

	~thing()
	{
		value = 0;
	}
};

int main()
{
	std::shared_ptr<thing> owner = std::make_shared<thing>();
	std::weak_ptr<thing> weak = owner;
	std::thread t([weak] {
		if (std::shared_ptr<thing> found = weak.lock())
			assert(found->value == 3);
	});

	owner.reset();
	t.join();
	return 0;
}
