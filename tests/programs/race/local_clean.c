/*
 * local_racy.c, with a variable for each thread.
 *
 * CC: -O0
 * RUN: run --seed 1..3
 * EXPECT: clean
 */
#include "../program.h"

struct job {
	long id, done[4];
};

static void *work(void *arg)
{
	++*(long *)arg;
	return NULL;
}

static void *add(void *arg)
{
	++*(int *)arg;
	return NULL;
}

static int both(void)
{
	pthread_t a, b;
	int sum;

	{
		struct job here = { 0 };

		a = start(work, &here.done[0]);
		b = start(work, &here.done[1]);
		pthread_join(a, NULL);
		pthread_join(b, NULL);
		sum = (int)here.done[1];
	}
	{
		int later[2] = { 0 };

		a = start(add, &later[0]);
		b = start(add, &later[1]);
		pthread_join(a, NULL);
		pthread_join(b, NULL);
		sum += later[0] + later[1];
	}
	return sum;
}

int main(void)
{
	return both() > 4;
}
