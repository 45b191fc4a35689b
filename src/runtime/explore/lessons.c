#include "lessons.h"

#include "explore.h"
#include "explore_memory.h"

#define sh hd_rt_xsh

bool hd_rt_is_known(uint64_t lesson)
{
	return hd_xwaits_has(&sh->waits, lesson);
}

bool hd_rt_is_loop(uintptr_t pc)
{
	return hd_rt_is_known(hd_rt_lesson_loop(pc));
}

static void add(uint64_t lesson)
{
	sh->learnt[sh->nlearnt++] = lesson;
	hd_xwaits_add(&sh->waits, lesson);
}

/* One place is kept for hd_rt_learn_apart(). */
bool hd_rt_note(uint64_t lesson)
{
	if (hd_rt_is_known(lesson) || sh->probing || sh->nlearnt >= HD_X_LEARNT - 1 ||
	    sh->waits.n >= HD_X_FRUITLESS / 2 - 1)
		return false;
	add(lesson);
	return true;
}

/* If it makes those before it other ones, too, the explorer begins anew. */
static void __attribute__((noreturn)) again(uint64_t lesson)
{
	if (hd_x_lesson_is_anew(lesson) && sh->nprefix)
		hd_rt_explore_redundant();
	hd_rt_explore_again();
}

void hd_rt_learn(uint64_t lesson)
{
	if (hd_rt_note(lesson))
		again(lesson);
}

void hd_rt_learn_apart(void)
{
	if (sh->probing || sh->waits.apart)
		return;
	add(HD_X_LESSON_APART);
	again(HD_X_LESSON_APART);
}

uint64_t hd_rt_look_value(uintptr_t addr, uint32_t size)
{
	switch (size) {
	case 1:
		return *(const uint8_t *)addr;
	case 2:
		return *(const uint16_t *)addr;
	case 4:
		return *(const uint32_t *)addr;
	default:
		return *(const uint64_t *)addr;
	}
}
