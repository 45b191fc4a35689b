/*
 * Names of threads: inherited, set, read back, too long; and shown in reports.
 *
 * RUN: run --seed 1..5
 * EXPECT: deadlock "patient" @patient
 */
#include "../program.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void check_name(pthread_t t, const char *wanted)
{
	char name[16];

	assert(pthread_getname_np(t, name, sizeof(name)) == 0);
	assert(strcmp(name, wanted) == 0);
}

static void *patient(void *arg)
{
	char name[16];

	check_name(pthread_self(), "boss");
	assert(pthread_setname_np(pthread_self(), "patient") == 0);
	check_name(pthread_self(), "patient");
	assert(pthread_getname_np(pthread_self(), name, 3) == ERANGE);
	pthread_mutex_lock(&m);
	return NULL;
}

int main(void)
{
	assert(pthread_setname_np(pthread_self(), "sixteen letters!") == ERANGE);
	assert(pthread_setname_np(pthread_self(), "boss") == 0);
	check_name(pthread_self(), "boss");
	pthread_mutex_lock(&m);
	finish(start(patient, NULL));
	return 0;
}
