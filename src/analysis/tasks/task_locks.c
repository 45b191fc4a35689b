#include "task_locks.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "trace/event_meaning.h"

/* An event that means something new is to be thought of here. */
#pragma GCC diagnostic error "-Wswitch"
#pragma GCC diagnostic error "-Wswitch-enum"

void hd_task_locks_init(struct hd_task_locks *l)
{
	*l = (struct hd_task_locks){ .numbers = { .record_size = sizeof(uint32_t) } };
}

void hd_task_locks_free(struct hd_task_locks *l)
{
	hd_words_free(&l->words);
	hd_addr_map_free(&l->numbers, NULL);
	hd_intern_free(&l->notes);
}

void hd_lock_log_free(struct hd_lock_log *log)
{
	free(log->ops);
	free(log->held);
	*log = (struct hd_lock_log){ 0 };
}

static uint32_t number_of(struct hd_task_locks *l, uint64_t addr)
{
	uint32_t *number = hd_addr_map_get(&l->numbers, addr ? addr : 1);

	if (!number) {
		l->failed = true;
		return 1;
	}
	if (!*number)
		*number = ++l->count;
	return *number;
}

static void note_op(struct hd_task_locks *l, struct hd_lock_log *log, hd_lock_op op)
{
	log->did = op;
	if (!log->nheld) {
		log->base = hd_lock_log_at(log);
		log->nops = 0;
		log->missing = 0;
	}
	if (log->nops == HD_LOCK_LOG_MAX)
		log->missing++;
	else if (!HD_ROOM(log->ops, log->ops_room, log->nops + 1))
		l->failed = true;
	else
		log->ops[log->nops++] = op;
}

static struct hd_task_held *find_held(struct hd_lock_log *log, uint32_t lock)
{
	for (size_t i = log->nheld; i-- > 0;) {
		if (log->held[i].lock == lock)
			return &log->held[i];
	}
	return NULL;
}

static void take(struct hd_task_locks *l, struct hd_lock_log *log, uint32_t lock, bool shared,
		 const struct hd_event *ev)
{
	struct hd_task_held *h = find_held(log, lock);
	uint64_t at = hd_lock_log_at(log);

	if (h) {
		h->depth++;
		return;
	}
	note_op(l, log, lock << 2 | (shared ? HD_LOCK_OP_SHARED : 0));
	if (!HD_ROOM(log->held, log->held_room, log->nheld + 1)) {
		l->failed = true;
		return;
	}
	h = &log->held[log->nheld++];
	memset(h, 0, sizeof(*h)); /* interned as bytes */
	h->lock = lock;
	h->depth = 1;
	h->taken = at;
	h->told.addr = ev->addr;
	h->told.pc = ev->pc;
	h->told.ctx = ev->ctx;
	h->told.mode = ev->arg;
	log->held_note = 0;
}

static void give(struct hd_task_locks *l, struct hd_lock_log *log, uint32_t lock, bool *freed)
{
	struct hd_task_held *h = find_held(log, lock);
	bool shared;

	if (!h || --h->depth)
		return;
	shared = h->told.mode & HD_LOCK_SHARED;
	note_op(l, log, lock << 2 | (shared ? HD_LOCK_OP_SHARED : 0) | HD_LOCK_OP_GIVE);
	log->nheld--;
	memmove(h, h + 1, (size_t)(log->held + log->nheld - h) * sizeof(*h));
	log->held_note = 0;
	if (!log->nheld) {
		log->free_at = hd_lock_log_at(log);
		*freed = true;
	}
}

bool hd_task_locks_event(struct hd_task_locks *l, struct hd_lock_log *log,
			 const struct hd_event *ev, bool *freed)
{
	*freed = false;
	log->did = 0;
	if (hd_op_about(ev->op) == HD_ABOUT_HEAP)
		hd_addr_map_forget(&l->numbers, ev->addr, ev->value, NULL);
	if (hd_op_about(ev->op) != HD_ABOUT_LOCK)
		return false;
	switch (hd_op_way(ev->op)) {
	case HD_WAY_TAKES:
		if (ev->arg & HD_LOCK_UNHEEDED)
			return false; /* it need not have been to be had */
		take(l, log, number_of(l, ev->addr), ev->arg & HD_LOCK_SHARED, ev);
		break;
	case HD_WAY_GIVES:
		give(l, log, number_of(l, ev->addr), freed);
		break;
	case HD_WAY_RENEWS:
		hd_addr_map_forget(&l->numbers, ev->addr, 1, NULL);
		break;
	case HD_WAY_NONE: /* it was not to be had */
		return false;
	}
	if (!log->nheld)
		log->free_at = hd_lock_log_at(log);
	return true;
}

hd_word hd_lock_log_word(struct hd_task_locks *l, const struct hd_lock_log *log, uint64_t at,
			 uint64_t end, bool open)
{
	size_t i = (size_t)(at - log->base), j = (size_t)(end - log->base);

	if (j > log->nops)
		j = log->nops;
	return hd_word_make(&l->words, log->ops, i, log->ops + i, j - i, open);
}

static bool gives(const struct hd_lock_log *log, uint64_t at)
{
	return log->ops[at - log->base] & HD_LOCK_OP_GIVE;
}

bool hd_lock_log_gap(const struct hd_lock_log *log, uint64_t from, uint64_t *at, bool first)
{
	uint64_t end = hd_lock_log_at(log), p = first ? from : *at + 1;

	for (; p <= end; p++) {
		if ((p == from || gives(log, p - 1)) && (p == end || !gives(log, p))) {
			*at = p;
			return true;
		}
	}
	return false;
}

uint32_t hd_lock_log_note(struct hd_task_locks *l, struct hd_lock_log *log)
{
	struct hd_found_lock told[16];
	size_t n = 0;

	if (!log->nheld)
		return 0;
	if (!log->held_note) {
		for (; n < log->nheld && n < 16; n++)
			memcpy(&told[n], &log->held[n].told, sizeof(*told));
		log->held_note = hd_intern_put(&l->notes, told, n * sizeof(*told));
		if (!log->held_note)
			l->failed = true;
	}
	return log->held_note;
}

const struct hd_found_lock *hd_task_locks_told(const struct hd_task_locks *l, uint32_t note,
					       size_t *n)
{
	const struct hd_found_lock *told = NULL;

	*n = 0;
	if (note) {
		told = hd_intern_get(&l->notes, note, n);
		*n /= sizeof(*told);
	}
	return told;
}
