/*
 * Programs that one critical section, or one order of locks, would mend; and one that none does.
 * With -DMENDED they have it.
 */
#include <assert.h>
#include <pthread.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static int money, *name;

#ifdef MENDED
#define IF_MENDED(x) x
#define UNLESS_MENDED(x)
#else
#define IF_MENDED(x)
#define UNLESS_MENDED(x) x
#endif

/* Looked at in one section, changed in another. */
static void *pay(void *unused)
{
	int seen;

	pthread_mutex_lock(&lock);
	seen = money; /* LOOKED */
	UNLESS_MENDED(pthread_mutex_unlock(&lock));
	UNLESS_MENDED(pthread_mutex_lock(&lock));
	money = seen + 1; /* CHANGED */
	pthread_mutex_unlock(&lock);
	return unused;
}

/* Under no lock at all. */
static void *count(void *unused)
{
	IF_MENDED(pthread_mutex_lock(&lock));
	money++; /* COUNTED */
	IF_MENDED(pthread_mutex_unlock(&lock));
	return unused;
}

static void *one_way(void *unused)
{
	pthread_mutex_lock(&lock); /* FIRST */
	pthread_mutex_lock(&other);
	money++;
	pthread_mutex_unlock(&other);
	pthread_mutex_unlock(&lock);
	return unused;
}

static void *other_way(void *unused)
{
	IF_MENDED(pthread_mutex_lock(&lock));
	pthread_mutex_lock(&other);
	UNLESS_MENDED(pthread_mutex_lock(&lock));
	money++;
	pthread_mutex_unlock(&lock);
	pthread_mutex_unlock(&other);
	return unused;
}

/* No lock makes it come after what it needs. */
static void *use(void *unused)
{
	pthread_mutex_lock(&lock);
	assert(name);
	pthread_mutex_unlock(&lock);
	return unused;
}

static void *set(void *unused)
{
	pthread_mutex_lock(&lock);
	name = &money;
	pthread_mutex_unlock(&lock);
	return unused;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "sections";
	void *(*first)(void *) = pay, *(*second)(void *) = pay;
	pthread_t a, b;

	if (!strcmp(what, "race")) {
		first = second = count;
	} else if (!strcmp(what, "deadlock")) {
		first = one_way;
		second = other_way;
	} else if (!strcmp(what, "early")) {
		first = set;
		second = use;
	}
	pthread_create(&a, NULL, first, NULL);
	pthread_create(&b, NULL, second, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(!strcmp(what, "early") || money == 2);
	return 0;
}
