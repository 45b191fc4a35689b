/*
 * With --flag-loops, loops that only wait for a plain flag order threads, in whatever form they are
 * written: by a pointer, an index, several flags, with a call in between. Order goes through a
 * thread that only passes it on. Compare flag_loop_off.c and the flag_loop_*.c that are no
 * such loops.
 *
 * EXPECT: none
 * RUN: --flag-loops
 */
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>

struct box {
	int data;
	volatile int ready;
};

static int x, y, z, w;
static volatile int flag, passed, many[4];
static volatile bool left, right;
static struct box *box;

static void *first(void *arg)
{
	x = 1;
	flag = 1;
	y = 1;
	many[2] = 7;
	box->data = 1;
	box->ready = 1;
	z = 1;
	left = true;
	return arg;
}

static void *second(void *arg)
{
	while (!flag)
		;
	passed = 1;
	w = 1;
	right = true;
	return arg;
}

static void wait_for(volatile int *many_flags, int i)
{
	while (many_flags[i] < 7)
		sched_yield();
}

static void *third(void *arg)
{
	while (passed == 0)
		;
	x++;
	wait_for(many, 2);
	y++;
	while (!box->ready)
		;
	box->data++;
	while (!left || !right)
		;
	z++;
	w++;
	return arg;
}

int main(void)
{
	void *(*run[3])(void *) = { first, second, third };
	pthread_t t[3];

	box = calloc(1, sizeof(*box));
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, run[i], NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	free(box);
	return 0;
}
