/*
 * A name under one lock, and beside it, in the same sixteen bytes, a count under another. Reading the name is not
 * reading the count, whatever libc does to be fast. One of the threads takes the wrong lock for the name. GOOD: none
 * does.
 *
 * EXPECT: race tag.name
 * ALWAYS: gcc-O2
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static struct {
	char name[12];
	int count;
} tag = { "abc", 0 };
static pthread_mutex_t name_lock = PTHREAD_MUTEX_INITIALIZER, count_lock = PTHREAD_MUTEX_INITIALIZER;
static size_t lengths[2];

static void *read_name(void *arg)
{
	pthread_mutex_t *lock = &name_lock;

#ifndef GOOD
	if (arg == &lengths[1])
		lock = &count_lock;
#endif
	for (int i = 0; i < 5; i++) {
		pthread_mutex_lock(lock);
		strcpy(tag.name, i & 1 ? "abcd" : "xyz");
		*(size_t *)arg += strlen(tag.name) + (strchr(tag.name, 'q') != NULL) +
				  (strcmp(tag.name, "xyz") == 0);
		pthread_mutex_unlock(lock);
	}
	return NULL;
}

static void *count(void *arg)
{
	for (int i = 0; i < 5; i++) {
		pthread_mutex_lock(&count_lock);
		tag.count++;
		pthread_mutex_unlock(&count_lock);
	}
	return arg;
}

int main(void)
{
	pthread_t t[4];

	for (int i = 0; i < 2; i++) {
		pthread_create(&t[2 * i], NULL, read_name, &lengths[i]);
		pthread_create(&t[2 * i + 1], NULL, count, NULL);
	}
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	printf("%zu %zu %d\n", lengths[0], lengths[1], tag.count);
	return 0;
}
