#include "task_table.h"

#include <stdlib.h>

#include "common/array.h"

bool hd_task_table_init(struct hd_task_table *t)
{
	*t = (struct hd_task_table){ 0 };
	return hd_slab_init(&t->records, sizeof(struct hd_task_record));
}

static void free_task(struct hd_task *task)
{
	if (!task)
		return;
	free(task->joined);
	free(task->within.runs);
	free(task);
}

void hd_task_table_free(struct hd_task_table *t)
{
	for (uint32_t i = 1; i < t->records.used && t->records.chunks; i++)
		free_task(hd_task_record(t, i)->live);
	hd_slab_free(&t->records);
	free(t->number_of);
	hd_map_free(&t->far_number_of);
	*t = (struct hd_task_table){ 0 };
}

/* Threads of a run are numbered as they come; a file that somebody made up may have any numbers. */
#define FAR (UINT32_C(1) << 26)

uint32_t hd_task_table_number(const struct hd_task_table *t, uint32_t thread)
{
	if (thread < t->numbers_room)
		return t->number_of[thread];
	return thread < FAR ? 0 : (uint32_t)hd_map_get(&t->far_number_of, thread);
}

static bool set_number(struct hd_task_table *t, uint32_t thread, uint32_t number)
{
	if (thread >= FAR)
		return hd_map_set(&t->far_number_of, thread, number);
	if (!HD_ROOM_ZEROED(t->number_of, t->numbers_room, (size_t)thread + 1))
		return false;
	t->number_of[thread] = number;
	return true;
}

static struct hd_task *make_live(const struct hd_task_table *t, uint32_t number)
{
	struct hd_task_record *r = hd_task_record(t, number);
	struct hd_task *task = calloc(1, sizeof(*task));

	if (!task)
		return NULL;
	task->number = number;
	task->thread = r->thread;
	task->root = task->at = task->base = r->root;
	task->finish = HD_DPST_ROOT;
	r->live = task;
	return task;
}

struct hd_task *hd_task_table_add(struct hd_task_table *t, uint32_t thread, hd_dpst_id root)
{
	uint32_t number = root ? hd_slab_new(&t->records) : 0;

	if (!number)
		return NULL;
	*hd_task_record(t, number) = (struct hd_task_record){ .thread = thread, .root = root };
	if (!set_number(t, thread, number))
		return NULL;
	return make_live(t, number);
}

/* --- over, and alive again --- */

static struct hd_within_run last_run(const struct hd_task_record *r)
{
	return (struct hd_within_run){
		.from = r->within_from, .n = 1, .construct = r->construct, .number = r->part
	};
}

/* The finish around the creation, by the tree. */
static hd_dpst_id finish_around(const struct hd_dpst *tree, hd_dpst_id n)
{
	do
		n = tree->nodes[n].parent;
	while (n != HD_DPST_ROOT && hd_dpst_kind(tree, n) != HD_DPST_FINISH);
	return n;
}

struct hd_task *hd_task_table_get(struct hd_task_table *t, uint32_t number,
				  const struct hd_dpst *tree)
{
	struct hd_task_record *r = hd_task_record(t, number);
	struct hd_task *task = r->live;
	struct hd_within_run *run;

	if (task)
		return task;
	run = r->construct ? malloc(sizeof(*run)) : NULL;
	task = r->construct && !run ? NULL : make_live(t, number);
	if (!task) {
		free(run);
		return NULL;
	}
	task->over = true;
	task->known = r->known;
	task->level = r->level;
	task->finish = finish_around(tree, r->root);
	if (run) {
		*run = last_run(r);
		task->within = (struct hd_within_log){ .runs = run, .nruns = 1, .room = 1 };
	}
	return task;
}

void hd_task_table_retire(struct hd_task_table *t, struct hd_task *task)
{
	struct hd_task_record *r = hd_task_record(t, task->number);
	const struct hd_within_log *log = &task->within;

	if (!task->over || task->step || task->njoined || task->units || task->pooled ||
	    task->base != task->root || task->root == HD_DPST_ROOT || log->nruns > 1 ||
	    (log->nruns && log->runs[0].n > 1))
		return;
	r->known = task->known;
	r->level = task->level;
	r->construct = log->nruns ? log->runs[0].construct : 0;
	r->within_from = log->nruns ? log->runs[0].from : 0;
	r->part = log->nruns ? log->runs[0].number : 0;
	r->live = NULL;
	free_task(task);
}

/* --- questions --- */

/* Tasks and their nodes are made in the same order. */
uint32_t hd_task_table_at(const struct hd_task_table *t, hd_dpst_id root)
{
	uint32_t low = 1, high = t->records.used;

	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (hd_task_record(t, middle)->root <= root)
			low = middle;
		else
			high = middle;
	}
	return t->records.used > 1 && hd_task_record(t, low)->root == root ? low : 0;
}

struct hd_within hd_task_table_within(const struct hd_task_table *t, uint32_t number,
				      const struct hd_intern *constructs, hd_dpst_id when)
{
	const struct hd_task_record *r = hd_task_record(t, number);
	struct hd_within_run run = last_run(r);
	const struct hd_within_log log = { .runs = &run, .nruns = r->construct != 0, .room = 1 };

	return hd_within_at(r->live ? &r->live->within : &log, constructs, when);
}
