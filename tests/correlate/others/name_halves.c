/*
 * A name is copied in two sections, first and last part, and printed.
 * What is printed is known by the format.
 *
 * EXPECT: extended-race person.first person.last
 * PART
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
struct {
	char first[24], last[24];
} person = { "Ada", "Lovelace" };
static void *greet(void *x)
{
	for (int i = 0; i < 3; i++) {
		char f[24], l[24];
		pthread_mutex_lock(&m);
		strcpy(f, person.first);

#ifndef GOOD
		pthread_mutex_unlock(&m);
		pthread_mutex_lock(&m);
#endif
		strcpy(l, person.last);
		pthread_mutex_unlock(&m);
		printf("%s %s\n", f, l);
	}
	return x;
}
static void *rename_(void *x)
{
	static const char *ff[] = { "Alan", "Grace" }, *ll[] = { "Turing", "Hopper" };
	for (int i = 0; i < 4; i++) {
		pthread_mutex_lock(&m);
		strcpy(person.first, ff[i % 2]);
		strcpy(person.last, ll[i % 2]);
		pthread_mutex_unlock(&m);
	}
	return x;
}

int main(void)
{
	pthread_t t[2];
	pthread_create(&t[0], 0, greet, (void *)1);
	pthread_create(&t[1], 0, rename_, (void *)2);
	pthread_join(t[0], 0);
	pthread_join(t[1], 0);
	return 0;
}
