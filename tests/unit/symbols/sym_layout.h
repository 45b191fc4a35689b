/*
 * The types of the fixture's variables, shared with the test so that it can
 * work out addresses with offsetof().
 */
#ifndef HD_TEST_SYM_LAYOUT_H
#define HD_TEST_SYM_LAYOUT_H

#include <stdint.h>

struct point {
	int32_t x, y;
};

struct account {
	int32_t id;
	volatile int64_t balance;
	struct {
		struct point from, to;
	} route;
	union { /* unnamed on purpose */
		int32_t code;
		char tag[4];
	};
};

struct slot {
	const char *owner;
	int32_t lock;
	struct point corner[2];
};

union number {
	int32_t small;
	double real;
	char bytes[8];
};

struct flags {
	int32_t before;
	unsigned ready : 1, done : 1, kind : 6;
	int32_t after;
};

struct tail {
	int32_t n;
	int32_t item[];
};

struct single {
	int32_t value;
};

struct chain { /* as large as another, with a member of the same name in the same place */
	struct chain *next;
	int32_t length;
};

struct rope {
	struct rope *tied_to;
	int32_t length;
};

typedef struct account const *account_view;
typedef volatile struct point moving_point;

#endif
