/*
 * Small programs whose outcome depends on the schedule, by name. With the second argument `tell` the
 * outcome is the status; else it is the outcome that fails an assertion. What many random
 * runs come to, exploring must come to, too, and nothing else.
 */
#include <assert.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

static int order; /* what came, in its order: a number in base 4 */

static void came(int digit)
{
#pragma omp critical(came)
	order = 4 * order + digit;
}

/* Which thread got which part: one digit each. */
static int sections(void)
{
	int who[3];

#pragma omp parallel sections num_threads(2)
	{
#pragma omp section
		who[0] = omp_get_thread_num();
#pragma omp section
		who[1] = omp_get_thread_num();
#pragma omp section
		who[2] = omp_get_thread_num();
	}
	return who[0] + 2 * who[1] + 4 * who[2];
}

static int dynamic(void)
{
	int who[3];

#pragma omp parallel for num_threads(2) schedule(dynamic)
	for (int i = 0; i < 3; i++)
		who[i] = omp_get_thread_num();
	return who[0] + 2 * who[1] + 4 * who[2];
}

static int guided(void)
{
	int who[4];

#pragma omp parallel for num_threads(2) schedule(guided)
	for (int i = 0; i < 4; i++)
		who[i] = omp_get_thread_num();
	return who[0] + 2 * who[1] + 4 * who[2] + 8 * who[3];
}

static int critical(void)
{
#pragma omp parallel num_threads(3)
	came(1 + omp_get_thread_num());
	return order;
}

static int capture(void)
{
	int n = 0, got[3];

#pragma omp parallel num_threads(3)
	{
		int mine;
#pragma omp atomic capture
		mine = n++;
		got[omp_get_thread_num()] = mine;
	}
	return got[0] + 4 * got[1] + 16 * got[2];
}

static int test_lock(void)
{
	omp_lock_t lock;
	int first = 0, got = 0;

	omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 0) {
			omp_set_lock(&lock);
			first = 1;
			omp_unset_lock(&lock);
		} else if (omp_test_lock(&lock)) {
			got = 1 + first;
			omp_unset_lock(&lock);
		}
	}
	omp_destroy_lock(&lock);
	return got;
}

/* One thread: tasks run one after the other, in any order. */
static int tasks_one_thread(void)
{
#pragma omp parallel num_threads(1)
	{
#pragma omp task
		came(1);
#pragma omp task
		came(2);
#pragma omp task
		came(3);
	}
	return order;
}

static int tasks_two_threads(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp task
		came(1);
#pragma omp task
		came(2);
#pragma omp task
		came(3);
	}
	return order;
}

/* A task that is begun is not left for another: 1, 1 or 2, 2 in a row on one thread. */
static int tasks_whole(void)
{
#pragma omp parallel num_threads(1)
	{
#pragma omp task
		{
			came(1);
			came(1);
		}
#pragma omp task
		{
			came(2);
			came(2);
		}
	}
	return order;
}

/* Two threads: the third task goes on the one that is free first. */
static int tasks_mixed(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp task
		{
			came(1);
			came(1);
		}
#pragma omp task
		came(2);
#pragma omp task
		came(3);
	}
	return order;
}

static int task_thread(void)
{
	int who[2];

#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp task shared(who)
		who[0] = omp_get_thread_num();
#pragma omp task shared(who)
		who[1] = omp_get_thread_num();
	}
	return who[0] + 2 * who[1];
}

static int thread_of_maker(void)
{
	int who = 0, maker = 0;

#pragma omp parallel num_threads(2)
#pragma omp single
	{
		maker = omp_get_thread_num();
#pragma omp task shared(who)
		who = omp_get_thread_num();
#pragma omp taskwait
		;
	}
	return who == maker;
}

static int mutexinoutset(void)
{
	int x = 1;

#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp task depend(mutexinoutset : x) shared(x)
		x = 2 * x;
#pragma omp task depend(mutexinoutset : x) shared(x)
		x = x + 3;
#pragma omp task depend(in : x) shared(x)
		order = x;
	}
	return order;
}

static int taskloop(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp taskloop grainsize(1)
	for (int i = 1; i <= 3; i++)
		came(i);
	return order;
}

static int taskyield(void)
{
#pragma omp parallel num_threads(1)
	{
#pragma omp task
		{
			came(1);
#pragma omp task
			came(2);
#pragma omp taskyield
			came(3);
		}
	}
	return order;
}

static int nested(void)
{
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(1 + omp_get_thread_num())
	came(1 + omp_get_ancestor_thread_num(1));
	return order;
}

static int detach(void)
{
	omp_event_handle_t event;

#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp task detach(event)
		came(1);
#pragma omp task
		{
			came(2);
			omp_fulfill_event(event);
		}
#pragma omp taskwait
		came(3);
	}
	return order;
}

static int cancel_loop(void)
{
	int done = 0;

#pragma omp parallel num_threads(2)
#pragma omp for schedule(dynamic)
	for (int i = 0; i < 3; i++) {
#pragma omp atomic
		done++;
		if (i == 1) {
#pragma omp cancel for
		}
	}
	return done;
}

static int cancel_point(void)
{
	int seen = 0;

#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 0) {
#pragma omp cancel parallel
		}
#pragma omp cancellation point parallel
		seen = 1;
	}
	return seen;
}

static int cancel_group(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp taskgroup
	{
#pragma omp task
		came(1);
#pragma omp task
		{
#pragma omp cancel taskgroup
		}
#pragma omp task
		came(2);
	}
	return order;
}

static const struct {
	const char *name;
	int (*run)(void);
} programs[] = {
	{ "sections", sections }, { "dynamic", dynamic }, { "guided", guided },
	{ "critical", critical }, { "capture", capture }, { "test_lock", test_lock },
	{ "tasks_one_thread", tasks_one_thread }, { "tasks_two_threads", tasks_two_threads },
	{ "tasks_whole", tasks_whole }, { "tasks_mixed", tasks_mixed }, { "task_thread", task_thread },
	{ "thread_of_maker", thread_of_maker }, { "mutexinoutset", mutexinoutset },
	{ "taskloop", taskloop }, { "taskyield", taskyield }, { "nested", nested },
	{ "detach", detach }, { "cancel_loop", cancel_loop }, { "cancel_point", cancel_point },
	{ "cancel_group", cancel_group },
};

int main(int argc, char **argv)
{
	assert(argc == 3);
	for (unsigned i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		if (!strcmp(argv[1], programs[i].name)) {
			int outcome = programs[i].run();

			if (!strcmp(argv[2], "tell"))
				return outcome;
			assert(outcome != atoi(argv[2]));
			return 0;
		}
	}
	return 255;
}
