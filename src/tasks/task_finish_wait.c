/*
 * Finishes on fibers: counting the tasks, and waiting for them.
 */
#include "runtime/rt.h"
#include "task.h"

static void note_ended(struct hd_finish *fin, uint32_t id)
{
	HD_RT_ROOM(fin->ended, fin->cap_ended, fin->nended, 4);
	fin->ended[fin->nended++] = id;
}

void hd_finish_discard(struct hd_finish *fin)
{
	hd_rt_free(fin->ended, fin->cap_ended * sizeof(*fin->ended));
	hd_rt_free(fin, sizeof(*fin));
}

void hd_finish_task_ended(struct hd_finish *fin, struct hd_task *t)
{
	note_ended(fin, t->strand->id);
	if (--fin->pending == 0 && fin->waiting)
		hd_rt_wake_all(HD_TS_FINISH, (uintptr_t)fin);
}

void hd_finish_wait(struct hd_finish *fin)
{
	fin->waiting = true;
	while (fin->pending)
		hd_rt_block(HD_TS_FINISH, (uintptr_t)fin, HD_NEVER);
	for (uint32_t i = 0; i < fin->nended; i++)
		hd_rt_event_always(HD_OP_JOIN, 0, fin->ended[i], 0, 0);
	if (fin->accums)
		hd_accums_settle(fin);
}
