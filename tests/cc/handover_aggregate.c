/*
 * Members of a struct, elements of an array (constant and variable index), and
 * neighbours that are merged into one wide store.
 */
#include "handover.h"

_Atomic int flag; /* seen by other units, so that no operation on it can be left out */
static struct {
	int left, right;
	long wide;
} pair;
static int array[4];
static char text[8];

static void other(void)
{
	pair.right += 5;
	pair.wide = pair.left;
	array[2] = array[1] + 10;
	text[1] = 'x';
}

static NOINLINE void await(void)
{
	(void)atomic_load(&flag);
}

static NOINLINE void members(void)
{
	pair.left = 1;
	pair.right = 2;
	pair.wide = 3;
	await();
	CHECK(pair.left == 1);
	CHECK(pair.right == 7);
	CHECK(pair.wide == 1);
}

static NOINLINE void elements(int index)
{
	array[1] = 4;
	array[2] = 0;
	await();
	CHECK(array[2] == 14);
	array[index] = 6;
	await();
	CHECK(array[2] == 16);
}

static NOINLINE void merged(void)
{
	text[0] = 'a';
	text[1] = 'b';
	text[2] = 'c';
	text[3] = 'd';
	await();
	CHECK(text[0] == 'a' && text[1] == 'x' && text[2] == 'c' && text[3] == 'd');
}

int main(int argc, char **argv)
{
	(void)argv;
	stub_other_thread(other);
	members();
	elements(argc);
	merged();
	return failures != 0;
}
