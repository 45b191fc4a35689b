/*
 * The last owner of a shared pointer destroys the object, whoever that is.
 *
 * CC: c++17
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --pct-length 100 --seed 1..20
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..20
 * EXPECT: clean
 */
#include <memory>
#include <thread>

struct object {
	int values[2] = {0, 0};
	~object()
	{
		values[0] += values[1];
	}
};

static void use(std::shared_ptr<object> mine, int i)
{
	mine->values[i]++;
}

int main()
{
	auto shared = std::make_shared<object>();
	std::thread a(use, shared, 0), b(use, shared, 1);

	shared.reset();
	a.join();
	b.join();
	return 0;
}
