/*
 * errno and __thread variables are each thread's own, across switches.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"

static __thread int mine = 7;
static __thread char buffer[1000];

static void *use(void *arg)
{
	int number = (int)(intptr_t)arg;

	assert(mine == 7 && buffer[999] == 0);
	for (int i = 0; i < 10; i++) {
		mine = number;
		memset(buffer, number, sizeof(buffer));
		errno = number;
		sched_yield();
		assert(errno == number && mine == number && buffer[999] == number);
		assert(close(-1) == -1 && errno == EBADF);
	}
	return &mine;
}

int main(void)
{
	pthread_t t[3];

	for (intptr_t i = 0; i < 3; i++)
		t[i] = start(use, (void *)(i + 1));
	use((void *)4);
	for (int i = 0; i < 3; i++)
		assert(finish(t[i]) != &mine);
	assert(mine == 4);
	return 0;
}
