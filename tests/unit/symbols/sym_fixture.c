/*
 * A program whose addresses the tests ask about; it is compiled in many ways
 * and never run. Each MARK is a label after an instruction, so that its address
 * is a return address on the line of the MARK; the tests find it by name.
 */
#include "sym_layout.h"

#define MARK(name) __asm__ volatile("nop\n\t.globl " #name "\n" #name ":")
#define KEEP	   __attribute__((used))

int32_t counter KEEP = 1;
static int32_t file_static KEEP = 2;
struct account account KEEP = { .id = 3 };
int32_t table[8] KEEP = { 1 };
int32_t grid[2][3] KEEP = { { 1 } };
struct slot pool[6] KEEP = { { .lock = 1 } };
union number number KEEP = { .real = 1 };
struct flags flags KEEP = { .before = 1 };
moving_point moving KEEP = { 1, 2 };
struct tail tail KEEP = { 2, { 7, 8 } };
struct single single KEEP = { 5 };
account_view view KEEP = &account;
_Atomic int32_t shared KEEP = 9;
int32_t bss_variable KEEP;
__thread int32_t per_thread KEEP = 1;

/* Nobody calls it: with sections of its own the linker drops it, and what it touches. */
static char dropped_data[65536] KEEP;
static KEEP void dropped(void)
{
	dropped_data[1] = 1;
}

static inline __attribute__((always_inline)) void innermost(int32_t n)
{
	counter += n;
	MARK(mark_innermost);
}

static inline __attribute__((always_inline)) void middle(int32_t n)
{
	{
		int32_t twice = n * 2;

		innermost(twice);
	}
}

__attribute__((noinline)) KEEP void outer(int32_t n)
{
	middle(n + 1);
	file_static = n;
}

__attribute__((noinline)) KEEP int32_t plain(void)
{
	static int32_t calls = 4;

	calls++;
	MARK(mark_plain);
	return calls + bss_variable;
}

__attribute__((noinline)) KEEP int64_t on_heap(struct account *a, struct slot **slots)
{
	a->balance++;
	MARK(mark_heap);
	return slots[0]->lock;
}

__attribute__((noinline)) KEEP int32_t one_of_two(const struct chain *chain, struct rope *rope)
{
	rope->length++;
	MARK(mark_two);
	return chain->length;
}

int main(void)
{
	outer(1);
	return plain();
}
