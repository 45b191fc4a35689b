/*
 * States that a search has been in. Whole states are kept and compared: a collision of
 * hashes would make a false proof.
 */
#ifndef HD_PREDICT_MEMO_H
#define HD_PREDICT_MEMO_H

#include "progress.h"

struct hd_memo {
	const struct hd_prepared *p;
	uint32_t *live;	   /* locations whose value does not follow from the positions */
	size_t nlive;
	unsigned char *key; /* the state in hand */
	size_t key_room;
	unsigned char *keys; /* all of them, one after the other: length, bytes */
	size_t nbytes, room, max_bytes;
	uint64_t *slots, *hashes; /* slots: offset in keys + 1 */
	size_t nslots, count;
};

enum hd_memo_answer { HD_MEMO_NEW, HD_MEMO_KNOWN, HD_MEMO_FULL };

enum hd_err hd_memo_init(struct hd_memo *m, const struct hd_prepared *p, size_t max_bytes);
void hd_memo_free(struct hd_memo *m);

/* Look up the state of @s, and keep it. */
enum hd_memo_answer hd_memo_add(struct hd_memo *m, const struct hd_progress *s);

#endif
