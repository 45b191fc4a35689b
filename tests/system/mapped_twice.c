/*
 * One object in memory, mapped at two addresses: what threads do by the one meets what they do by the other.
 * The argument says what they do; the clean cases are ordered, the others are not.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SIZE 4096

struct page {
	int data;
	atomic_int ready;
	pthread_mutex_t mutex;
	pthread_cond_t cond;
	char bytes[64];
};

static struct page *first, *second; /* the same, or one behind the other in the file */
static _Bool relaxed;

static struct page *map(int fd, off_t offset)
{
	void *p = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset);

	assert(p != MAP_FAILED);
	return p;
}

static void make(const char *how)
{
	int fd = memfd_create("pages", 0);

	assert(fd >= 0 && ftruncate(fd, 2 * SIZE) == 0);
	first = map(fd, 0);
	if (!strcmp(how,
		    "moved")) { /* a copy of the mapping, as old kernels' ring buffers made them */
		second = mremap(first, 0, SIZE, MREMAP_MAYMOVE);
		assert(second != MAP_FAILED);
	} else if (!strcmp(how, "once")) {
		second = first;
	} else if (!strcmp(how, "apart")) {
		second = map(fd, SIZE);
	} else {
		second = map(fd, 0);
	}
	close(fd);
}

/* ---- a flag ---------------------------------------------------------------- */

static void *publish(void *arg)
{
	first->data = 1;
	atomic_store_explicit(&first->ready, 1,
			      relaxed ? memory_order_relaxed : memory_order_release);
	return NULL;
}

static void take_if_ready(void)
{
	if (atomic_load_explicit(&second->ready, memory_order_acquire))
		printf("%d\n", second->data);
}

static void wait_until_ready(void)
{
	while (!atomic_load_explicit(&second->ready, memory_order_acquire))
		;
	assert(second->data == 1);
}

/* ---- a mutex and a condition variable --------------------------------------- */

static void *put(void *arg)
{
	pthread_mutex_lock(&first->mutex);
	first->data = 1;
	pthread_cond_signal(&first->cond);
	pthread_mutex_unlock(&first->mutex);
	return NULL;
}

static void get(void)
{
	pthread_mutex_lock(&second->mutex);
	while (!second->data)
		pthread_cond_wait(&second->cond, &second->mutex);
	pthread_mutex_unlock(&second->mutex);
}

/* ---- nothing ----------------------------------------------------------------- */

static void *write_plainly(void *arg)
{
	first->data = 1;
	memset(first->bytes, 1, sizeof(first->bytes));
	return NULL;
}

int main(int argc, char **argv)
{
	const char *how = argv[1], *what = argv[2];
	void *(*other)(void *) = !strcmp(what, "plain")	  ? write_plainly
				 : !strcmp(what, "mutex") ? put
							  : publish;
	pthread_t t;

	make(how);
	relaxed = !strcmp(what, "relaxed");
	pthread_mutex_init(&first->mutex, NULL);
	pthread_cond_init(&first->cond, NULL);
	pthread_create(&t, NULL, other, NULL);
	if (!strcmp(what, "plain"))
		printf("%d %d\n", second->data,
		       memchr(second->bytes, 1, sizeof(second->bytes)) != NULL);
	else if (!strcmp(what, "mutex"))
		get();
	else if (!strcmp(what, "waits"))
		wait_until_ready();
	else
		take_if_ready();
	pthread_join(t, NULL);
	munmap(first, SIZE);
	return 0;
}
