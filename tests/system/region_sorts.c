/*
 * Two tasks with a permission region to write, around something that the compiler does not see into:
 * a sort of libc's, or (-DPLAIN) a function of plain_sort.c. With -DORDERED the second task begins after the first.
 */
#include <heddle/hj.h>
#include <stdlib.h>

void plain_sort(int *numbers, int n); /* plain_sort.c */

static int numbers[4] = { 4, 3, 2, 1 };
static const int table[4] = { 3, 1, 2, 0 };

/* Without accesses that could race, and so without hooks. */
int look_up(int i)
{
	return table[i & 3];
}

static int by_size(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static void sort(void *arg)
{
	hj_acquire_w(&numbers); /* OPENED */
#ifdef PLAIN
	plain_sort(numbers, 4);
	(void)by_size;
#else
	qsort(numbers, 4, sizeof(numbers[0]), by_size);
#endif
	hj_release_w(&numbers);
}

static void root(void *arg)
{
#ifdef ORDERED
	HJ_FINISH
#endif
		hj_async(sort, NULL);
	hj_async(sort, NULL);
}

int main(int argc, char **argv)
{
	hj_launch(root, NULL);
	return look_up(argc) > 100;
}
