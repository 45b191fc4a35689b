/*
 * A thread touches a variable twice, without anything between, while another one writes it. What it finds
 * the second time:
 *   write: own, or the other's if that comes between the two: "3 1", "3 3", "1 1" (the variable, and what was read)
 *   read: both before, one before and one behind, both behind: "0 0", "0 3", "3 3"
 *   locked write, locked read: nothing comes between: "3 1", "1 1"; "0 0", "3 3"
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define APART static __attribute__((noinline, noclone))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int variable, first, second, reads, locked;

APART void put(int value)
{
	variable = value;
	__asm__ volatile("");
}

APART int get(void)
{
	__asm__ volatile("");
	return variable;
}

APART int get_again(void)
{
	__asm__ volatile("" ::: "memory");
	return variable;
}

static void *twice(void *arg)
{
	if (locked)
		pthread_mutex_lock(&lock);
	if (reads)
		first = get();
	else
		put(1);
	second = get_again();
	if (locked)
		pthread_mutex_unlock(&lock);
	return arg;
}

static void *once(void *arg)
{
	if (locked)
		pthread_mutex_lock(&lock);
	put(3);
	if (locked)
		pthread_mutex_unlock(&lock);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];

	(void)argc;
	locked = !strncmp(argv[1], "locked ", 7);
	reads = !strcmp(argv[1] + (locked ? 7 : 0), "read");
	pthread_create(&threads[0], NULL, twice, NULL);
	pthread_create(&threads[1], NULL, once, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	printf("%d %d\n", reads ? first : variable, second);
	return 0;
}
