/*
 * Money goes from one account to another, each with its own std::mutex that is let go before the second is
 * taken; an auditor holds both and adds up. GOOD: std::scoped_lock of both.
 *
 * EXPECT: extended-race a.balance b.balance
 * PART
 */
#include <cstdio>
#include <mutex>
#include <thread>

struct Account {
	std::mutex mutex;
	long balance = 100;
};

static Account a, b;
static long seen;

static void transfer(Account &from, Account &to, long amount)
{
#ifdef GOOD
	std::scoped_lock both(from.mutex, to.mutex);
	from.balance -= amount;
	to.balance += amount;
#else
	{
		std::lock_guard<std::mutex> guard(from.mutex);
		from.balance -= amount;
	}
	{
		std::lock_guard<std::mutex> guard(to.mutex);
		to.balance += amount;
	}
#endif
}

int main()
{
	std::thread clerk([] {
		for (int i = 1; i < 4; i++)
			transfer(a, b, i * 7);
	});
	std::thread auditor([] {
		std::scoped_lock both(a.mutex, b.mutex);
		seen = a.balance + b.balance;
	});
	clerk.join();
	auditor.join();
	std::printf("%ld\n", seen);
	return 0;
}
