/*
 * For every line of words (tests/unit/runtime/weak/litmus.h): how many executions the axioms of RC11 allow, or with
 * the argument `tso` a machine with store buffers, and their outcomes.
 */
#include "litmus.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	bool tso = argc > 1 && !strcmp(argv[1], "tso");
	char line[400];

	while (fgets(line, sizeof(line), stdin)) {
		struct litmus_set executions = { 0 }, outcomes = { 0 };
		struct litmus t;

		line[strcspn(line, "\n")] = 0;
		litmus_parse(&t, line);
		(tso ? litmus_by_buffers : litmus_by_axioms)(&t, &executions);
		for (size_t i = 0; i < executions.n; i++)
			litmus_add(&outcomes, strchr(executions.texts[i], '=') + 1);
		printf("%zu", executions.n);
		for (size_t i = 0; i < outcomes.n; i++)
			printf(" %s", outcomes.texts[i]);
		putchar('\n');
		litmus_free(&executions);
		litmus_free(&outcomes);
	}
	return 0;
}
