/*
 * Random task programs as C, all in one source, and what is true of them in all interleavings:
 *
 *   make_task_sources SEED COUNT prog.c truth.txt
 *
 * Variable x of program n is vN_X; every access has a line of its own, with its number in the program.
 * A line of the truth is "N torn raced", sets of variables as bits, and "A-B" for every two accesses
 * that race. Programs that may come to a standstill are left out.
 */
#include <stdio.h>
#include <stdlib.h>

#include "task_programs.h"

static const struct task_shape shapes[] = {
	{ .tasks = 5, .vars = 2, .accesses = 3, .shape = LOCKS_NONE },
	{ .tasks = 5, .vars = 2, .locks = 2, .accesses = 3, .shape = LOCKS_FLAT },
	{ .tasks = 5, .vars = 2, .futures = 2, .accesses = 3, .shape = LOCKS_NONE },
};

static void put_op(FILE *out, unsigned n, const struct task_op *o)
{
	switch (o->kind) {
	case T_READ:
		fprintf(out, "\tseen = v%u_%u; /* %u */\n", n, o->what, o->number);
		break;
	case T_WRITE:
		fprintf(out, "\tv%u_%u = 1; /* %u */\n", n, o->what, o->number);
		break;
	case T_TAKE:
		fprintf(out, "\tpthread_mutex_lock(&l%u[%u]);\n", n, o->what);
		break;
	case T_GIVE:
		fprintf(out, "\tpthread_mutex_unlock(&l%u[%u]);\n", n, o->what);
		break;
	case T_SPAWN:
		fprintf(out, "\thj_async(p%u_%u, NULL);\n", n, o->what);
		break;
	case T_FINISH:
		fprintf(out, "\thj_finish_begin();\n");
		break;
	case T_END_FINISH:
		fprintf(out, "\thj_finish_end();\n");
		break;
	case T_PUT:
		fprintf(out, "\thj_promise_put(f%u[%u], NULL);\n", n, o->what);
		break;
	case T_GET:
		fprintf(out, "\thj_future_get(hj_promise_future(f%u[%u]));\n", n, o->what);
		break;
	}
}

static void put_program(FILE *out, unsigned n, const struct task_program *p)
{
	fprintf(out, "static long v%u_0, v%u_1;\n", n, n);
	fprintf(out,
		"static pthread_mutex_t l%u[2] = { PTHREAD_MUTEX_INITIALIZER, "
		"PTHREAD_MUTEX_INITIALIZER };\nstatic hj_promise_t *f%u[2];\n",
		n, n);
	for (int t = 0; t < p->ntasks; t++)
		fprintf(out, "static void p%u_%d(void *arg);\n", n, t);
	for (int t = 0; t < p->ntasks; t++) {
		fprintf(out, "static void p%u_%d(void *arg)\n{\n\tlong seen = 0;\n\n", n, t);
		for (int i = 0; i < p->tasks[t].nops; i++)
			put_op(out, n, &p->tasks[t].ops[i]);
		fprintf(out, "\t(void)seen, (void)arg;\n}\n");
	}
	fprintf(out,
		"static void run%u(void)\n{\n\tf%u[0] = hj_promise_new();\n"
		"\tf%u[1] = hj_promise_new();\n\t(void)l%u, (void)v%u_0, (void)v%u_1;\n"
		"\thj_launch(p%u_0, NULL);\n}\n\n",
		n, n, n, n, n, n, n);
}

static void put_truth(FILE *out, unsigned n, const struct task_program *p,
		      const struct truth *truth)
{
	fprintf(out, "%u %u %u", n, truth->torn, truth->raced);
	for (int a = 0; a < p->naccesses; a++) {
		for (int b = a; b < p->naccesses; b++) {
			if (truth->races[a] >> b & 1)
				fprintf(out, " %d-%d", a, b);
		}
	}
	fputc('\n', out);
}

int main(int argc, char **argv)
{
	static struct hd_event events[1000];
	static struct truth truth;
	struct task_program p;
	struct hd_rng r;
	FILE *source, *told;
	unsigned n = 0, count;

	if (argc != 5)
		return 2;
	hd_rng_seed(&r, strtoull(argv[1], NULL, 0));
	count = (unsigned)atoi(argv[2]);
	source = fopen(argv[3], "w");
	told = fopen(argv[4], "w");
	if (!source || !told)
		return 2;
	fprintf(source, "#include <heddle/hj.h>\n#include <pthread.h>\n#include <stddef.h>\n\n");
	while (n < count) {
		random_program(&p, &r, &shapes[n % 3]);
		/* Without locks inside each other it stands still in every order or in none. */
		if (!random_schedule(&p, &r, events, 1000) || !find_truth(&p, &truth))
			continue;
		put_program(source, n, &p);
		put_truth(told, n++, &p, &truth);
	}
	fprintf(source, "int main(void)\n{\n");
	for (unsigned i = 0; i < count; i++)
		fprintf(source, "\trun%u();\n", i);
	fprintf(source, "\treturn 0;\n}\n");
	return fclose(source) || fclose(told);
}
