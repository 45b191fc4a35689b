// Names with scopes, for the tests of symbolisation; compiled, never run.
#define MARK(name) __asm__ volatile("nop\n\t.globl " #name "\n" #name ":")
#define KEEP       __attribute__((used))

namespace bank
{
KEEP int open_accounts = 1;

class Account
{
public:
	static int total;
	KEEP void deposit(int n);
	KEEP int audit() const;

private:
	int balance = 0;
};

int Account::total = 2;

__attribute__((noinline)) void Account::deposit(int n)
{
	static int deposits = 3;

	balance += n;
	deposits++;
	MARK(mark_deposit);
}

template <typename T> __attribute__((noinline)) T twice(T x)
{
	MARK(mark_twice);
	return x + x;
}

namespace
{
KEEP int hidden_count = 4;

KEEP __attribute__((noinline)) void hidden()
{
	hidden_count++;
	MARK(mark_hidden);
}
} // namespace
} // namespace bank

struct Base {
	int in_base;
};

struct Derived : Base {
	int in_derived;
};

KEEP Derived derived;

int main()
{
	bank::Account a;

	a.deposit(1);
	bank::hidden();
	return bank::twice<int>(1) + bank::Account::total + derived.in_base;
}
