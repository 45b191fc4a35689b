/*
 * A map from three numbers to one, which is not 0.
 */
#ifndef HD_PREDICT_TRIPLES_H
#define HD_PREDICT_TRIPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hd_triple {
	uint32_t a, b, c, number;
};

struct hd_triples {
	struct hd_triple *entries;
	size_t n, room;
};

/* 0: it is not there. */
uint32_t hd_triples_get(const struct hd_triples *m, uint32_t a, uint32_t b, uint32_t c);
/* False: out of memory. */
bool hd_triples_set(struct hd_triples *m, uint32_t a, uint32_t b, uint32_t c, uint32_t number);
void hd_triples_free(struct hd_triples *m);

#endif
