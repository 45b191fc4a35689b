/*
 * A thread joins main, which left by pthread_exit, and gets its value.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * EXIT: 5
 */
#include "../program.h"

static void *join_it(void *main_thread)
{
	void *ret = finish(*(pthread_t *)main_thread);

	exit(ret == main_thread ? 5 : 6);
}

int main(void)
{
	static pthread_t self;

	self = pthread_self();
	start(join_it, &self);
	pthread_exit(&self);
}
