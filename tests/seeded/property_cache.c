/*
 * A cache and the flag that says that it is empty, each with a lock of its own. What is put in while the cache is
 * emptied is there, and the flag says that it is not.
 *
 * FAILS: assertion
 * CAUSE: entry|empty
 * REMEDY: 'table_lock'|'flag_lock'|a new lock
 */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
#ifdef FIXED
static pthread_mutex_t both = PTHREAD_MUTEX_INITIALIZER;
#define BEGIN() pthread_mutex_lock(&both)
#define END()	pthread_mutex_unlock(&both)
#else
#define BEGIN() ((void)0)
#define END()	((void)0)
#endif
static pthread_mutex_t flag_lock = PTHREAD_MUTEX_INITIALIZER;
static int entry = 5, empty;

static void set_entry(int value)
{
	pthread_mutex_lock(&table_lock);
	entry = value;
	pthread_mutex_unlock(&table_lock);
}

static void set_empty(int is)
{
	pthread_mutex_lock(&flag_lock);
	empty = is;
	pthread_mutex_unlock(&flag_lock);
}

static void *fill(void *x)
{
	BEGIN();
	set_entry(7);
	set_empty(0);
	END();
	return x;
}

static void *flush(void *x)
{
	BEGIN();
	set_entry(0);
	set_empty(1);
	END();
	return x;
}

int main(void)
{
	pthread_t s, t;
	pthread_create(&s, 0, fill, 0);
	pthread_create(&t, 0, flush, 0);
	pthread_join(s, 0);
	pthread_join(t, 0);
	assert(empty == (entry == 0));
	return 0;
}
