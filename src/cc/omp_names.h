/*
 * Local variables around OpenMP pragmas in a preprocessed source: as much of C as it takes to tell
 * which of them a construct's body uses, and how.
 *
 * Only declarations that begin with a plain type (int, double *, size_t, ...) are understood. What
 * is not understood is not there: that costs a precaution, never the program's meaning.
 */
#ifndef HD_CC_OMP_NAMES_H
#define HD_CC_OMP_NAMES_H

#include <stdbool.h>
#include <stddef.h>

struct hd_omp_name {
	const char *at;
	size_t len;
	bool of_thread; /* declared in a parallel region: each thread has one */
};

struct hd_omp_scope {
	size_t names; /* there were when it was opened */
	bool region;
};

/* Zero-initialise; free with hd_omp_names_free. */
struct hd_omp_names {
	struct hd_omp_name *names; /* in scope */
	size_t n, room;
	struct hd_omp_scope *scopes;
	size_t nscopes, scopes_room;
	int parens;	  /* that are open */
	int state;	  /* of what is being read */
	int value_depth;  /* brackets open in an initial value */
	bool region_next; /* the next block is a parallel region */
	bool failed;
};

/* Read on: a line that is no pragma. */
void hd_omp_names_line(struct hd_omp_names *s, const char *line, const char *end);
/* A pragma opens a parallel region. */
void hd_omp_names_region(struct hd_omp_names *s);
void hd_omp_names_free(struct hd_omp_names *s);

/* The next token from @p on that is on no line of the preprocessor's, or @end. */
const char *hd_omp_next_code(const char *p, const char *end);

/* The end of the statement that begins at @p or after other pragmas there. */
const char *hd_omp_statement_end(const char *p, const char *end);

/* The body of the innermost of @depth loops, one in the other, from @p on; NULL: there are not so many. */
const char *hd_omp_loop_body(const char *p, const char *end, unsigned depth);

/* Call @use for each variable in scope that occurs from @p to @end. */
void hd_omp_names_used(const struct hd_omp_names *s, const char *p, const char *end,
		       void (*use)(void *arg, const char *name, size_t len), void *arg);

/*
 * Does the loop at @p have a variable of the thread's own that brings a value from one iteration to
 * the next, and says which memory is used?
 */
bool hd_omp_names_carried(const struct hd_omp_names *s, const char *p, const char *end);

#endif
