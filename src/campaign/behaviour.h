/*
 * What a program does that can be seen from outside, what is normal for it, and how a run
 * departs from that.
 *
 * Nothing is a failure that ordinary runs do too, and nothing that is no worse than what the orderly
 * ones (threads run one after the other, without preemption) do. Output is compared as a set of
 * lines, since their order is up to the scheduler; if ordinary runs differ even so, it is no
 * criterion by itself. An exit status that nobody expects is one unless orderly runs end so, too: a
 * program that says in some other runs that it has failed has failed.
 */
#ifndef HD_CAMPAIGN_BEHAVIOUR_H
#define HD_CAMPAIGN_BEHAVIOUR_H

#include <stdbool.h>
#include <stddef.h>

#include "common/err.h"

struct hd_text {
	char *data;
	size_t len;
};

/* All of the file, wherever it is being read or written. */
enum hd_err hd_text_read(struct hd_text *t, int fd, struct hd_errbuf *eb);
void hd_text_free(struct hd_text *t);
/* The same lines, in whatever order? False also if there is no memory. */
bool hd_text_same_lines(const struct hd_text *a, const struct hd_text *b);
/*
 * A line of @is that @was does not have as often, or else one of @was that is missing in @is
 * (*@missing); what is not printable is replaced. False: there is none.
 */
bool hd_text_odd_line(const struct hd_text *is, const struct hd_text *was, char *buf, size_t len,
		      bool *missing);

enum hd_stream { HD_STDOUT, HD_STDERR, HD_STREAMS };

/* How a run went, from good to bad. */
enum hd_badness {
	HD_WENT_WELL,	 /* with status 0, or one that is expected */
	HD_ENDED_BADLY,	 /* with another one, or by a signal */
	HD_CAME_TO_GRIEF /* it could not come to an end of its own: crash, assertion, deadlock */
};

struct hd_behaviour {
	int exited; /* 1: with status code, 0: by signal code, -1: it had to be stopped */
	int code;
	enum hd_badness bad;
	struct hd_text text[HD_STREAMS];
	int oracle; /* status of the user's command; -1: there is none */
};

void hd_behaviour_free(struct hd_behaviour *b);

struct hd_normal {
	struct hd_behaviour usual; /* of the first run */
	size_t runs;
	enum hd_badness bad; /* of the best of the orderly runs */
	bool exit_varies;    /* even orderly runs end in different ways: no criterion */
	bool text_varies[HD_STREAMS];
	bool orderly_varies[HD_STREAMS];   /* even between orderly runs */
	struct hd_text steady[HD_STREAMS]; /* if so: the lines that all of these have */
	size_t failed;			   /* ordinary runs that ended unlike the orderly ones */
};

/* A run that is part of what is normal; takes @b over. The first must be an orderly one. */
void hd_normal_add(struct hd_normal *n, struct hd_behaviour *b, bool orderly);
/* Two runs of one schedule, an orderly one: only what both write in stream @s is up to the program. */
void hd_normal_add_again(struct hd_normal *n, enum hd_stream s, const struct hd_text *a,
			 const struct hd_text *b);
/* A copy, to be freed; false: no memory. */
bool hd_normal_copy(struct hd_normal *to, const struct hd_normal *from);
void hd_normal_free(struct hd_normal *n);

enum hd_departure {
	HD_DEPART_NONE,
	HD_DEPART_EXIT,
	HD_DEPART_OUTPUT,
	HD_DEPART_ORACLE,
};

/*
 * It ends as orderly runs do, but writes what none of them does: where these all write the same, a line more or less;
 * else it lacks a line that all of them have.
 */
bool hd_normal_is_odd(const struct hd_normal *n, const struct hd_behaviour *b, char *why,
		      size_t len);

/* Does @b depart from it? A sentence about how goes to @why. */
enum hd_departure hd_normal_departure(const struct hd_normal *n, const struct hd_behaviour *b,
				      char *why, size_t len);

#endif
