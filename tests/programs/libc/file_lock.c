/*
 * flockfile excludes other threads, and their printf calls, until funlockfile; it counts;
 * ftrylockfile does not wait.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#define ROUNDS 5

static FILE *file;

static void *pairs(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		flockfile(file);
		fputc('(', file);
		flockfile(file);
		sched_yield();
		funlockfile(file);
		sched_yield();
		fprintf(file, ")");
		funlockfile(file);
	}
	return NULL;
}

static void *dots(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		fprintf(file, ".");
		sched_yield();
	}
	return NULL;
}

static void *tries(void *arg)
{
	assert(ftrylockfile(file) != 0);
	return NULL;
}

int main(void)
{
	char text[100];
	pthread_t t[3];
	size_t n;

	file = tmpfile();
	assert(file);
	pthread_create(&t[0], NULL, pairs, NULL);
	pthread_create(&t[1], NULL, pairs, NULL);
	pthread_create(&t[2], NULL, dots, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);

	assert(ftrylockfile(file) == 0);
	pthread_create(&t[0], NULL, tries, NULL);
	pthread_join(t[0], NULL);
	funlockfile(file);

	rewind(file);
	n = fread(text, 1, sizeof(text) - 1, file);
	text[n] = 0;
	assert(n == 2 * 2 * ROUNDS + ROUNDS);
	for (char *p = text; (p = strchr(p, '(')); p++)
		assert(p[1] == ')');
	fclose(file);
	return 0;
}
