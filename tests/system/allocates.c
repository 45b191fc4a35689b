/*
 * Threads that allocate by way of the program and of libc, with an allocator that is not libc's
 * (own_allocator.c). "race": with a race of its own; "fork": with a child that allocates, too.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <malloc.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int own_trim(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int rounds, raced;

static void lines(void)
{
	char text[] = "one\ntwo\n", *line = NULL;
	size_t room = 0;
	FILE *in = fmemopen(text, sizeof(text) - 1, "r");

	while (getline(&line, &room, in) > 0)
		assert(line[3] == '\n');
	fclose(in);
	free(line);
}

static void *work(void *arg)
{
	if (arg)
		raced++;
	for (int i = 0; i < 5; i++) {
		char *a = malloc((size_t)(100 + i)), *b = strdup("a word"), *c = NULL;

		assert(malloc_usable_size(a) == 128 && !strcmp(b, "a word"));
		a = realloc(a, 1000);
		assert(malloc_usable_size(a) == 1024);
		assert(asprintf(&c, "%d", i) > 0);
		lines();
		free(a);
		free(b);
		free(c);
		assert(!own_trim());
		pthread_mutex_lock(&lock);
		rounds++;
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

static void allocate_in_child(void)
{
	pid_t child = fork();
	int status;

	if (!child)
		_exit(malloc_usable_size(malloc(5)) == 16 ? 7 : 8);
	assert(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 7);
}

int main(int argc, char **argv)
{
	bool race = argc > 1 && !strcmp(argv[1], "race");
	pthread_t t[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, work, race ? &raced : NULL);
	if (argc > 1 && !race)
		allocate_in_child();
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	assert(rounds == 15);
	return 0;
}
