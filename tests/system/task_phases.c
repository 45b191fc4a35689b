/*
 * Tasks that only wait for each other: task_phases NAME. Whatever the order, the same comes of it: a phase in two
 * steps, a phaser that is freed, loops of phases, a single statement that is the same for all. Unlike "single", where
 * the last task to come runs its own statement, "register", where a task that comes late joins a later phase,
 * and "worker", where numbers go to who asks first.
 *
 * EXPECT of heddle explore, by every strategy: the assertion of these three; nothing else.
 */
#include <assert.h>
#include <string.h>

#include <hclib.h>
#include <heddle/hj.h>

#define TASKS 3

static const char *what;
static int cell[TASKS], other[TASKS], singles;
static hj_phaser_t *phaser;

static int sum(void)
{
	int s = 0;

	for (int i = 0; i < TASKS; i++)
		s += cell[i];
	return s;
}

static void split(void *arg)
{
	cell[(long)arg] = 1;
	hj_phaser_signal(phaser);
	other[(long)arg] = 1;
	hj_phaser_wait(phaser);
	assert(sum() == TASKS);
}

static void loop(void *arg)
{
	for (int i = 1; i <= 2; i++) {
		cell[(long)arg]++;
		hj_next();
		assert(sum() == i * TASKS);
		hj_next();
	}
}

static void step(long i, void *arg)
{
	(void)arg;
	cell[i]++;
	hj_next();
	other[i] = cell[(i + 1) % TASKS];
}

static void run_single(void *arg)
{
	assert((long)arg != 1);
	singles++;
}

static void single(void *arg)
{
	hj_next_single(run_single, arg);
}

static void same_single(void *arg)
{
	(void)arg;
	hj_next_single(run_single, NULL);
}

static void join_late(void *arg)
{
	if ((long)arg == 0) {
		hj_phaser_register(phaser, HJ_SIG);
		assert(hj_phaser_phase(phaser) == 0);
		hj_phaser_drop(phaser);
	}
}

static void ask(void *arg)
{
	int number = hclib_get_current_worker();

	assert((long)arg != 0 || number == 0);
}

static void in_phases(hj_fn *fn)
{
	phaser = hj_phaser_new(HJ_SIG_WAIT_SINGLE);
	for (long i = 0; i < TASKS; i++)
		hj_async_phased(fn, (void *)i, HJ_PHASED({ phaser, HJ_SIG_WAIT_SINGLE }));
}

static void without_phases(hj_fn *fn)
{
	phaser = hj_phaser_new(HJ_SIG_WAIT);
	hj_async(fn, (void *)0L);
	hj_async(fn, (void *)1L);
	hj_next();
}

static void root(void *arg)
{
	(void)arg;
	HJ_FINISH
	{
		if (!strcmp(what, "split") || !strcmp(what, "freed"))
			in_phases(split);
		else if (!strcmp(what, "loop"))
			in_phases(loop);
		else if (!strcmp(what, "single"))
			in_phases(single);
		else if (!strcmp(what, "same"))
			in_phases(same_single);
		else if (!strcmp(what, "register"))
			without_phases(join_late);
		else if (!strcmp(what, "worker"))
			without_phases(ask);
		else
			hj_forall1_phased(&(struct hj_range){ .high = TASKS }, step, NULL);
	}
	if (!strcmp(what, "freed"))
		hj_phaser_free(phaser);
}

int main(int argc, char **argv)
{
	what = argc > 1 ? argv[1] : "forall";
	hj_launch(root, NULL);
	return 0;
}
