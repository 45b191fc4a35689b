/*
 * A variable of a function that has not returned: its threads race on it, and it has a name.
 *
 * CC: -O2
 * RUN: run --seed 1..3
 * EXPECT: race 'both::here.done[1]' @work
 * EXPECT: race 'both::later' @add
 * EXIT: 0
 */
#include "../program.h"

struct job {
	long id, done[4];
};

static void *work(void *arg)
{
	((struct job *)arg)->done[1]++;
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

		a = start(work, &here);
		b = start(work, &here);
		pthread_join(a, NULL);
		pthread_join(b, NULL);
		sum = (int)here.done[1];
	}
	{
		int later = 0;

		a = start(add, &later);
		b = start(add, &later);
		pthread_join(a, NULL);
		pthread_join(b, NULL);
		sum += later;
	}
	return sum;
}

int main(void)
{
	return both() > 4;
}
