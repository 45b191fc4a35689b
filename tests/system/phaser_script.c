/*
 * Runs a script of phaser operations, written by test_phasers.py, which says what they are.
 *
 *     P BOUND...                          one for each phaser; 0: none
 *     T PHASER:MODE,... OPERATION...      one line for each task, the root first
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <heddle/hj.h>

#define MAX 64

static unsigned bounds[MAX];
static hj_phaser_t *phasers[MAX];
static struct task {
	struct hj_phased on[MAX];
	int phaser[MAX], non, nops;
	char ops[256][8];
} tasks[MAX];
static int nphasers, ntasks;

static void statement(void *arg)
{
}

static void run_task(void *arg);

static void spawn(int number)
{
	struct task *t = &tasks[number];

	for (int i = 0; i < t->non; i++)
		t->on[i].phaser = phasers[t->phaser[i]];
	hj_async_phased(run_task, t, t->on, (size_t)t->non);
}

static void operate(const char *op)
{
	int n = atoi(op + 1);

	switch (op[0]) {
	case 'n':
		hj_next();
		break;
	case 'N':
		hj_phaser_next(phasers[n]);
		break;
	case 's':
		hj_phaser_signal(phasers[n]);
		break;
	case 'w':
		hj_phaser_wait(phasers[n]);
		break;
	case 'd':
		hj_phaser_drop(phasers[n]);
		break;
	case 'S':
		hj_phaser_next_single(phasers[n], statement, NULL);
		break;
	case 'a':
		spawn(n);
		break;
	default:
		abort();
	}
}

static void run_task(void *arg)
{
	struct task *t = arg;

	for (int i = 0; i < t->nops; i++)
		operate(t->ops[i]);
}

static void root(void *arg)
{
	HJ_FINISH {
		for (int i = 0; i < nphasers; i++)
			phasers[i] = hj_phaser_new_bounded(tasks[0].on[i].mode, bounds[i]);
		run_task(&tasks[0]);
	}
}

static void read_task(char *words)
{
	struct task *t = &tasks[ntasks++];
	char *rest, *regs = strtok_r(words, " \n", &rest), *more, *word;

	for (word = strtok_r(regs, ",", &more); word && *word != '-'; word = strtok_r(NULL, ",", &more)) {
		int phaser, mode;

		if (sscanf(word, "%d:%d", &phaser, &mode) != 2)
			abort();
		t->phaser[t->non] = phaser;
		t->on[t->non++].mode = (enum hj_mode)mode;
	}
	while ((word = strtok_r(NULL, " \n", &rest)))
		snprintf(t->ops[t->nops++], sizeof(t->ops[0]), "%s", word);
}

int main(int argc, char **argv)
{
	static char line[4096];
	FILE *f = fopen(argv[1], "r");
	char *rest, *word;

	assert(f);
	while (fgets(line, sizeof(line), f)) {
		if (line[0] == 'T') {
			read_task(line + 2);
			continue;
		}
		for (word = strtok_r(line + 2, " \n", &rest); word; word = strtok_r(NULL, " \n", &rest))
			bounds[nphasers++] = (unsigned)atoi(word);
	}
	fclose(f);
	hj_launch(root, NULL);
	return 0;
}
