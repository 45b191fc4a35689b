/*
 * All threads walk a list, and each node is one thread's by a single construct, or everybody's.
 * clean
 */
#include <omp.h>
#include <stddef.h>

struct node {
	int value, twice;
	struct node *next;
};

int main(void)
{
	struct node nodes[12];

	for (int i = 0; i < 12; i++)
		nodes[i] = (struct node){ i, 0, i < 11 ? &nodes[i + 1] : NULL };
#pragma omp parallel num_threads(3)
	{
		for (struct node *p = nodes; p; p = p->next) {
#pragma omp single nowait
			p->twice = 2 * p->value;
		}
	}
	return nodes[11].twice != 22;
}
