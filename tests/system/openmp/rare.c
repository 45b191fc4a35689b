/*
 * Errors that a random schedule does not come to, by name: between the two halves of each lie hundreds
 * of scheduling points. The names that end in _well have the same halves without the error.
 */
#include <assert.h>
#include <omp.h>
#include <string.h>

#define FAR 300

static int balance = 100, sum;
static omp_lock_t a, b;
static omp_nest_lock_t na, nb;

static int get(void)
{
	int v;

#pragma omp critical(account)
	v = balance;
	return v;
}

static void set(int v)
{
#pragma omp critical(account)
	balance = v;
}

static void add(int v)
{
#pragma omp critical(account)
	balance += v;
}

static void work(void)
{
	for (volatile int i = 0; i < FAR; i++) {
#pragma omp critical(elsewhere)
		;
	}
}

static void torn_sections(void)
{
#pragma omp parallel sections num_threads(2)
	{
#pragma omp section
		{
			set(get() + 5);
			work();
		}
#pragma omp section
		{
			work();
			set(get() + 7);
		}
	}
	assert(balance == 112);
}

static void torn_loop(void)
{
#pragma omp parallel for num_threads(2) schedule(dynamic)
	for (int i = 0; i < 2; i++) {
		if (i)
			work();
		set(get() + 5 + 2 * i);
		if (!i)
			work();
	}
	assert(balance == 112);
}

static void torn_tasks(void)
{
#pragma omp parallel num_threads(3)
#pragma omp single
	{
#pragma omp task
		{
			set(get() + 5);
			work();
		}
#pragma omp task
		{
			work();
			set(get() + 7);
		}
	}
	assert(balance == 112);
}

static void torn_well(void)
{
#pragma omp parallel num_threads(3)
#pragma omp single
	{
#pragma omp task
		{
			add(5);
			work();
		}
#pragma omp task
		{
			work();
			add(7);
		}
	}
	assert(balance == 112);
}

static void both(omp_lock_t *p, omp_lock_t *q)
{
	omp_set_lock(p);
	omp_set_lock(q);
	sum++;
	omp_unset_lock(q);
	omp_unset_lock(p);
}

static void locks(omp_lock_t *p, omp_lock_t *q)
{
	omp_init_lock(&a);
	omp_init_lock(&b);
#pragma omp parallel sections num_threads(2)
	{
#pragma omp section
		{
			both(&a, &b);
			work();
		}
#pragma omp section
		{
			work();
			both(p, q);
		}
	}
	omp_destroy_lock(&a);
	omp_destroy_lock(&b);
	assert(sum == 2);
}

static void both_nest(omp_nest_lock_t *p, omp_nest_lock_t *q)
{
	omp_set_nest_lock(p);
	omp_set_nest_lock(q);
	omp_set_nest_lock(p);
	sum++;
	omp_unset_nest_lock(p);
	omp_unset_nest_lock(q);
	omp_unset_nest_lock(p);
}

static void nest_locks(void)
{
	omp_init_nest_lock(&na);
	omp_init_nest_lock(&nb);
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num()) {
			both_nest(&na, &nb);
			work();
		} else {
			work();
			both_nest(&nb, &na);
		}
	}
	assert(sum == 2);
}

static void criticals(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp task
		{
#pragma omp critical(A)
			{
#pragma omp critical(B)
				sum++;
			}
			work();
		}
#pragma omp task
		{
			work();
#pragma omp critical(B)
			{
#pragma omp critical(A)
				sum++;
			}
		}
	}
	assert(sum == 2);
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";

	if (!strcmp(name, "torn_sections"))
		torn_sections();
	else if (!strcmp(name, "torn_loop"))
		torn_loop();
	else if (!strcmp(name, "torn_tasks"))
		torn_tasks();
	else if (!strcmp(name, "torn_well"))
		torn_well();
	else if (!strcmp(name, "locks"))
		locks(&b, &a);
	else if (!strcmp(name, "locks_well"))
		locks(&a, &b);
	else if (!strcmp(name, "nest_locks"))
		nest_locks();
	else if (!strcmp(name, "criticals"))
		criticals();
	else
		return 2;
	return 0;
}
