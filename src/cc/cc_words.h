/*
 * Lists of command-line words, and response files as the compilers read them.
 */
#ifndef HD_CC_CC_WORDS_H
#define HD_CC_CC_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/err.h"

/*
 * A growing list of owned strings. Running out of memory is remembered in
 * @failed and makes later additions do nothing, so that a whole command line
 * can be put together and checked once.
 */
struct hd_cc_list {
	char **item; /* ends with a NULL once something was added */
	size_t count;
	size_t room;
	bool failed;
};

void hd_cc_list_add(struct hd_cc_list *list, const char *word);
void hd_cc_list_add_all(struct hd_cc_list *list, const char *const words[]); /* up to a NULL */
void hd_cc_list_take(struct hd_cc_list *list, char *word); /* owns it now; NULL: out of memory */
void hd_cc_list_free(struct hd_cc_list *list);

/* The words of a response file or of an environment variable, quoted as gcc and clang read it. */
void hd_cc_split(struct hd_cc_list *out, const char *text);
/* The inverse: @words as the text of a response file. NULL without memory; the caller frees. */
char *hd_cc_quote(const struct hd_cc_list *words);

/*
 * Copy @argv[1..] to @out with every @file replaced by its words, nested ones
 * too. A file that cannot be read stays as it is, as the compilers do it.
 * HD_ERR_LIMIT for files that include themselves.
 */
enum hd_err hd_cc_expand(int argc, char *const *argv, struct hd_cc_list *out,
			 bool *had_response_file, struct hd_errbuf *eb);

#endif
