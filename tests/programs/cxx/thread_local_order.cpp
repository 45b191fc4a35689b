/*
 * thread_local objects: made on first use in each thread, destroyed in reverse order
 * when it ends, by return, pthread_exit or cancellation; destructors of automatic
 * objects run before them.
 *
 * CC: c++17
 * RUN: run --seed 1..20
 * EXPECT: clean
 */
#include <cassert>
#include <pthread.h>
#include <string>
#include <unistd.h>

static std::string text;

struct Noted {
	char letter;

	explicit Noted(char l) : letter(l)
	{
		text += l;
	}

	~Noted()
	{
		text += letter - 'a' + 'A';
	}
};

static thread_local Noted a('a'), b('b');

static void *leave(void *how)
{
	Noted automatic('x');

	assert(a.letter == 'a' && b.letter == 'b');
	if (how == &a)
		pthread_exit(nullptr);
	while (how == &b)
		sleep(1000);
	return nullptr;
}

static std::string letters_of(void *how, bool cancel)
{
	pthread_t t;

	text.clear();
	assert(pthread_create(&t, nullptr, leave, how) == 0);
	sleep(1);
	if (cancel)
		pthread_cancel(t);
	pthread_join(t, nullptr);
	return text;
}

int main()
{
	/* One use makes all thread_local objects of the file, in order. */
	assert(letters_of(nullptr, false) == "xabXBA");
	assert(letters_of(&a, false) == "xabXBA");
	assert(letters_of(&b, true) == "xabXBA");
	return 0;
}
