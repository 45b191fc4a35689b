/*
 * Two tasks race on five things; with -DLOCKED each is under a lock. One is a heap of numbers that only the
 * pointer to it has a name for, and one is changed through a pointer.
 */
#include <heddle/hj.h>
#include <stdint.h>

typedef struct account {
	long balance;
	int other;
} account_t;
typedef double row;

static uint64_t total;
static int spare;
static account_t good;
static row *cells;
static float noise[64];

__attribute__((noipa)) static void add(uint64_t *to, uint64_t n)
{
	*to += n;
}

static void change(void)
{
	noise[3] += 1;
	good.balance++;
	cells[2] += 1;
	spare++;
	add(&total, 3);
}

static void body(void *arg)
{
#ifdef LOCKED
	HJ_ISOLATED
#endif
		change();
}

static void root(void *arg)
{
	static row room[64];

	cells = room;
	HJ_FINISH {
		hj_async(body, 0);
		hj_async(body, 0);
	}
}

int main(void)
{
	hj_launch(root, 0);
	return 0;
}
