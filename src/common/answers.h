/*
 * Answers to questions, kept in a file: what was found out once need not be found out again, by whoever asks the same.
 *
 * Records are appended, each with a checksum, and are with the system when hd_answers_keep() returns. So what ends a process
 * costs at most the last one: a record that is damaged or not whole is left out, with all behind it, and comes anew.
 */
#ifndef HD_COMMON_ANSWERS_H
#define HD_COMMON_ANSWERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"

struct hd_answers;

/* Of a question: two hashes. */
struct hd_answer_key {
	uint64_t a, b;
};

struct hd_answer_key hd_answer_key(const void *question, size_t len);

/*
 * Those in @path, which is made if need be. @about is what they are about: a file about something else, one of another version,
 * and one that another process has open are refused. *@word is kept in a new file; of another one it becomes what was kept.
 */
enum hd_err hd_answers_open(struct hd_answers **out, const char *path, uint64_t about,
			    uint64_t *word, struct hd_errbuf *eb);
/* Whatever could not be written by then will not be. */
void hd_answers_close(struct hd_answers *a);

size_t hd_answers_count(const struct hd_answers *a);
/* Bytes at the end that made no sense when the file was opened. */
uint64_t hd_answers_damaged(const struct hd_answers *a);

bool hd_answers_have(const struct hd_answers *a, struct hd_answer_key key);
/* The bytes are the caller's to free. False: there is none, or it cannot be read. */
bool hd_answers_find(struct hd_answers *a, struct hd_answer_key key, char **bytes, size_t *len);
/* What is there already stays. False: it is not kept, and nothing is from then on. */
bool hd_answers_keep(struct hd_answers *a, struct hd_answer_key key, const char *bytes, size_t len);
/* None of them is of use. */
bool hd_answers_forget_all(struct hd_answers *a);
/* On the disk, whatever becomes of the machine. False: not all is; errno says why. */
bool hd_answers_save(struct hd_answers *a);

/*
 * Of the bytes of a structure that somebody else wrote: are those at @at booleans, and is there a text in the @size ones? What is
 * no value of its type is not to be looked at as one.
 */
bool hd_answer_flags(const char *bytes, const size_t *at, size_t n);
bool hd_answer_text(const char *bytes, size_t at, size_t size);

#endif
