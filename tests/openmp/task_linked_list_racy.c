/*
 * A task for each element of a list; the cursor must be the task's own.
 * race: 21 24
 */
#include <omp.h>
#include <stddef.h>

struct node {
	int value;
	struct node *next;
};
static struct node *p;

int main(void)
{
	struct node n[4] = { { 1, &n[1] }, { 2, &n[2] }, { 3, &n[3] }, { 4, NULL } };

#pragma omp parallel num_threads(2)
#pragma omp single
	{
		for (p = &n[0]; p; p = p->next) {
#pragma omp task
			{
				struct node *mine = p;

				if (mine)
					mine->value *= 2;
			}
#pragma omp taskyield
		}
#pragma omp taskwait
	}
	return n[0].value < 0;
}
