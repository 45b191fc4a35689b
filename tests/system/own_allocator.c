/*
 * An allocator with a lock, such as a program may be linked with in place of libc's. It ends the
 * process if it is given a block that is not its own.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define CLASSES 48
#define MAGIC   0x5ca1ab1e0ddba11ull
#define CHUNK   (64ul << 20)

struct head {
	size_t class, magic;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct head *unused[CLASSES];
static char *chunk, *chunk_end;

/* Its last act is a call, so that whoever is called is called by our caller. */
static int unlock(void)
{
	return pthread_mutex_unlock(&lock);
}

static struct head *get(size_t class)
{
	struct head *h = unused[class];
	size_t bytes = sizeof(*h) + ((size_t)1 << class);

	if (h) {
		memcpy(&unused[class], h + 1, sizeof(h));
		return h;
	}
	if ((size_t)(chunk_end - chunk) < bytes) {
		chunk = mmap(NULL, CHUNK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		chunk_end = chunk + CHUNK;
	}
	h = (struct head *)chunk;
	chunk += (bytes + 15) & ~15ul;
	h->class = class;
	h->magic = MAGIC;
	return h;
}

static struct head *head_of(void *p)
{
	struct head *h = (struct head *)p - 1;

	if (h->magic != MAGIC)
		_exit(99);
	return h;
}

void *malloc(size_t size)
{
	size_t class = 4;
	struct head *h;

	while (((size_t)1 << class) < size)
		class++;
	pthread_mutex_lock(&lock);
	h = get(class);
	unlock();
	return h + 1;
}

void free(void *p)
{
	struct head *h;

	if (!p)
		return;
	h = head_of(p);
	pthread_mutex_lock(&lock);
	memcpy(p, &unused[h->class], sizeof(h));
	unused[h->class] = h;
	unlock();
}

/* What only this allocator has: it comes and goes without malloc. */
int own_trim(void)
{
	pthread_mutex_lock(&lock);
	return unlock();
}

size_t malloc_usable_size(void *p)
{
	return (size_t)1 << head_of(p)->class;
}

void *calloc(size_t n, size_t size)
{
	void *p = malloc(n * size);

	return memset(p, 0, n * size);
}

void *realloc(void *old, size_t size)
{
	size_t kept = old ? malloc_usable_size(old) : 0;
	void *p = malloc(size);

	if (old)
		memcpy(p, old, kept < size ? kept : size);
	free(old);
	return p;
}

void *memalign(size_t align, size_t size)
{
	char *p = malloc(size + align + sizeof(struct head));
	char *at = (char *)(((uintptr_t)p + align - 1) & ~(align - 1));

	if (at != p) {
		((struct head *)at)[-1] = ((struct head *)p)[-1];
		((struct head *)at)[-1].class = 4; /* what is left of it is lost */
	}
	return at;
}

void *aligned_alloc(size_t align, size_t size)
{
	return memalign(align, size);
}

int posix_memalign(void **out, size_t align, size_t size)
{
	*out = memalign(align, size);
	return 0;
}

static void before_fork(void)
{
	pthread_mutex_lock(&lock);
}

static void after_fork(void)
{
	unlock();
}

__attribute__((constructor)) static void start(void)
{
	pthread_atfork(before_fork, after_fork, after_fork);
}
