/*
 * Programs that one critical section, or one order of locks, would mend; and one that none does.
 * With -DMENDED they have it.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t given = PTHREAD_COND_INITIALIZER;
static int money, one = 1, *name, times;
static atomic_int ready;

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

/* Woken, it takes what another one may have taken. */
static void *take(void *unused)
{
	pthread_mutex_lock(&lock);
	if (!money)
		pthread_cond_wait(&given, &lock); /* WAITED */
	IF_MENDED(while (!money) pthread_cond_wait(&given, &lock);)
	assert(money > 0);
	money--;
	pthread_mutex_unlock(&lock);
	return unused;
}

/* Looked at in one call, and in another one. */
static __attribute__((noinline)) int *look(void)
{
	UNLESS_MENDED(pthread_mutex_lock(&lock));
	int *seen = name; /* LOOKED IN */
	UNLESS_MENDED(pthread_mutex_unlock(&lock));
	return seen;
}

static inline __attribute__((always_inline)) int *look_inline(void)
{
	UNLESS_MENDED(pthread_mutex_lock(&lock));
	int *seen = name;
	UNLESS_MENDED(pthread_mutex_unlock(&lock));
	return seen;
}

static void *look_at_copies(void *unused)
{
	IF_MENDED(pthread_mutex_lock(&lock));
	int *seen = look_inline(); /* FIRST COPY */
	if (seen)
		money += *look_inline(); /* SECOND COPY */
	IF_MENDED(pthread_mutex_unlock(&lock));
	return unused;
}

static void *look_twice(void *unused)
{
	IF_MENDED(pthread_mutex_lock(&lock));
	if (look())
		money += *look();
	IF_MENDED(pthread_mutex_unlock(&lock));
	return unused;
}

/* Looked at without the lock, and changed under it. */
static void *set_up(void *unused)
{
	if (!atomic_load(&ready)) {
		pthread_mutex_lock(&lock);
		UNLESS_MENDED(times++;)
		IF_MENDED(times += !atomic_load(&ready);)
		atomic_store(&ready, 1); /* READY */
		assert(times == 1);
		pthread_mutex_unlock(&lock);
	}
	return unused;
}

static void *reset(void *unused)
{
	pthread_mutex_lock(&lock);
	name = NULL;
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
	} else if (!strcmp(what, "double-check")) {
		first = second = set_up;
	} else if (!strcmp(what, "twice") || !strcmp(what, "copies")) {
		name = &one;
		first = what[0] == 't' ? look_twice : look_at_copies;
		second = reset;
	} else if (!strcmp(what, "wait")) {
		first = second = take;
	} else if (!strcmp(what, "early")) {
		first = set;
		second = use;
	}
	pthread_create(&a, NULL, first, NULL);
	pthread_create(&b, NULL, second, NULL);
	for (int i = 0; i < 2 && !strcmp(what, "wait"); i++) {
		pthread_mutex_lock(&lock);
		money++;
		pthread_cond_signal(&given);
		pthread_mutex_unlock(&lock);
	}
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert((first != pay && first != count && first != one_way) || money == 2);
	return 0;
}
