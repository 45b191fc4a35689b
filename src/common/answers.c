#include "answers.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"
#include "hash.h"
#include "transfer.h"

#define MAGIC "heddle, what is done. 1\n" HD_VERSION "\n"
#define SYNC  10.0 /* seconds between those times that the disk has all of it */
#define LOAD  2	   /* places in the table for each answer, at least */

struct head {
	uint64_t about, word, sum;
};

struct record {
	struct hd_answer_key key;
	uint64_t len, sum; /* sum: of the three before it and the bytes */
};

struct place {
	struct hd_answer_key key;
	uint64_t at, len; /* at 0: free */
};

struct hd_answers {
	int fd;
	uint64_t begin, end, damaged; /* of the records */
	struct place *table;
	size_t n, room; /* room is a power of two */
	double synced;
	int failed; /* why nothing is kept any more; 0: it is */
};

struct hd_answer_key hd_answer_key(const void *question, size_t len)
{
	const unsigned char *p = question;
	struct hd_answer_key key = { hd_fnv_bytes(HD_FNV_START, p, len), len };

	for (size_t i = 0; i < len; i++) {
		key.b = hd_hash_next(key.b, p[i]);
		key.b ^= key.b >> 32;
	}
	return key;
}

/* ---- the table ----------------------------------------------------------------------- */

static struct place *find(struct place *table, size_t room, struct hd_answer_key key)
{
	size_t i = (size_t)hd_hash_all(key.a) & (room - 1);

	while (table[i].at && (table[i].key.a != key.a || table[i].key.b != key.b))
		i = (i + 1) & (room - 1);
	return &table[i];
}

static bool grow(struct hd_answers *a)
{
	size_t room = a->room ? 2 * a->room : 256;
	struct place *table = calloc(room, sizeof(*table));

	if (!table)
		return false;
	for (size_t i = 0; i < a->room; i++) {
		if (a->table[i].at)
			*find(table, room, a->table[i].key) = a->table[i];
	}
	free(a->table);
	a->table = table;
	a->room = room;
	return true;
}

static bool add(struct hd_answers *a, const struct record *r, uint64_t at)
{
	struct place *p;

	if (LOAD * (a->n + 1) > a->room && !grow(a))
		return false;
	p = find(a->table, a->room, r->key);
	a->n += !p->at;
	*p = (struct place){ r->key, at, r->len };
	return true;
}

/* ---- the file --------------------------------------------------------------------------- */

static uint64_t sum_of(const struct record *r, const char *bytes)
{
	uint64_t h = hd_fnv_bytes(HD_FNV_START, r, offsetof(struct record, sum));

	return hd_fnv_bytes(h, bytes, r->len);
}

/* The record at @at. NULL: it is not whole. */
static char *read_record(const struct hd_answers *a, uint64_t at, uint64_t size, struct record *r)
{
	char *bytes;

	if (size - at < sizeof(*r) || !hd_read_all_at(a->fd, r, sizeof(*r), at) ||
	    r->len > size - at - sizeof(*r))
		return NULL;
	bytes = malloc(r->len + 1);
	if (bytes && hd_read_all_at(a->fd, bytes, r->len, at + sizeof(*r)) &&
	    sum_of(r, bytes) == r->sum)
		return bytes;
	free(bytes);
	return NULL;
}

/* All that are whole, from the first on; what comes after these is cut off. */
static enum hd_err read_records(struct hd_answers *a, uint64_t size, struct hd_errbuf *eb)
{
	struct record r;
	char *bytes;

	while ((bytes = read_record(a, a->end, size, &r))) {
		free(bytes);
		if (!add(a, &r, a->end + sizeof(r)))
			return hd_fail(eb, HD_ERR_NOMEM, "out of memory");
		a->end += sizeof(r) + r.len;
	}
	a->damaged = size - a->end;
	if (a->damaged && ftruncate(a->fd, (off_t)a->end) != 0)
		return hd_fail(eb, HD_ERR_IO, "%s", strerror(errno));
	return HD_OK;
}

static enum hd_err begin(struct hd_answers *a, struct head *h, struct hd_errbuf *eb)
{
	if (ftruncate(a->fd, 0) == 0 && hd_write_all_at(a->fd, MAGIC, sizeof(MAGIC) - 1, 0) &&
	    hd_write_all_at(a->fd, h, sizeof(*h), sizeof(MAGIC) - 1))
		return HD_OK;
	return hd_fail(eb, HD_ERR_IO, "%s", strerror(errno));
}

static enum hd_err read_head(struct hd_answers *a, uint64_t size, const struct head *own,
			     struct head *h, struct hd_errbuf *eb)
{
	char magic[sizeof(MAGIC)] = "";

	if (!hd_read_all_at(a->fd, magic, size < sizeof(magic) - 1 ? size : sizeof(magic) - 1, 0))
		return hd_fail(eb, HD_ERR_IO, "%s", strerror(errno));
	if (memcmp(magic, MAGIC, 8) != 0)
		return hd_fail(eb, HD_ERR_INVALID, "it is no such file");
	if (size < a->begin)
		return begin(a, h, eb); /* it was ended while it was made */
	if (strcmp(magic, MAGIC) != 0)
		return hd_fail(eb, HD_ERR_INVALID, "it was written by another version of heddle");
	if (!hd_read_all_at(a->fd, h, sizeof(*h), sizeof(MAGIC) - 1) ||
	    h->sum != hd_fnv_bytes(HD_FNV_START, h, offsetof(struct head, sum)))
		return hd_fail(eb, HD_ERR_INVALID, "it is damaged");
	if (h->about != own->about)
		return hd_fail(
			eb, HD_ERR_INVALID,
			"it belongs to another program, or to other arguments or input of it");
	return read_records(a, size, eb);
}

static enum hd_err open_file(struct hd_answers *a, const char *path, struct head *h,
			     struct hd_errbuf *eb)
{
	const struct head own = *h;
	struct stat st;

	a->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (a->fd < 0 || fstat(a->fd, &st) != 0)
		return hd_fail(eb, HD_ERR_IO, "%s", strerror(errno));
	if (!S_ISREG(st.st_mode))
		return hd_fail(eb, HD_ERR_INVALID, "it is no file");
	if (flock(a->fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
		return hd_fail(eb, HD_ERR_INVALID, "another process works with it");
	a->begin = a->end = sizeof(MAGIC) - 1 + sizeof(*h);
	if (fstat(a->fd, &st) != 0)
		return hd_fail(eb, HD_ERR_IO, "%s", strerror(errno));
	return st.st_size ? read_head(a, (uint64_t)st.st_size, &own, h, eb) : begin(a, h, eb);
}

enum hd_err hd_answers_open(struct hd_answers **out, const char *path, uint64_t about,
			    uint64_t *word, struct hd_errbuf *eb)
{
	struct hd_answers *a = calloc(1, sizeof(*a));
	struct head h = { .about = about, .word = *word };
	enum hd_err err;

	*out = NULL;
	if (!a || !grow(a)) {
		free(a);
		return hd_fail(eb, HD_ERR_NOMEM, "out of memory");
	}
	h.sum = hd_fnv_bytes(HD_FNV_START, &h, offsetof(struct head, sum));
	err = open_file(a, path, &h, eb);
	if (err) {
		hd_answers_close(a);
		return err;
	}
	a->synced = hd_now();
	*word = h.word;
	*out = a;
	return HD_OK;
}

void hd_answers_close(struct hd_answers *a)
{
	if (!a)
		return;
	if (a->fd >= 0)
		close(a->fd);
	free(a->table);
	free(a);
}

size_t hd_answers_count(const struct hd_answers *a)
{
	return a->n;
}

uint64_t hd_answers_damaged(const struct hd_answers *a)
{
	return a->damaged;
}

/* ---- answers ------------------------------------------------------------------------------ */

bool hd_answers_have(const struct hd_answers *a, struct hd_answer_key key)
{
	return find(a->table, a->room, key)->at;
}

bool hd_answers_find(struct hd_answers *a, struct hd_answer_key key, char **bytes, size_t *len)
{
	const struct place *p = find(a->table, a->room, key);

	*bytes = p->at ? malloc(p->len + 1) : NULL;
	if (*bytes && hd_read_all_at(a->fd, *bytes, p->len, p->at)) {
		*len = (size_t)p->len;
		return true;
	}
	free(*bytes);
	*bytes = NULL;
	return false;
}

static bool append(struct hd_answers *a, const struct record *r, const char *bytes)
{
	return hd_write_all_at(a->fd, r, sizeof(*r), a->end) &&
	       hd_write_all_at(a->fd, bytes, r->len, a->end + sizeof(*r));
}

bool hd_answers_keep(struct hd_answers *a, struct hd_answer_key key, const char *bytes, size_t len)
{
	struct record r = { .key = key, .len = len };

	if (a->failed)
		return false;
	if (hd_answers_have(a, key))
		return true;
	r.sum = sum_of(&r, bytes);
	if (!append(a, &r, bytes) || !add(a, &r, a->end + sizeof(r))) {
		a->failed = errno ? errno : ENOMEM;
		if (ftruncate(a->fd, (off_t)a->end) != 0)
			a->failed = errno;
		return false;
	}
	a->end += sizeof(r) + len;
	if (hd_now() - a->synced > SYNC) {
		fdatasync(a->fd);
		a->synced = hd_now();
	}
	return true;
}

bool hd_answers_forget_all(struct hd_answers *a)
{
	memset(a->table, 0, a->room * sizeof(*a->table));
	a->n = 0;
	a->end = a->begin;
	return ftruncate(a->fd, (off_t)a->begin) == 0;
}

bool hd_answers_save(struct hd_answers *a)
{
	if (a->failed) {
		errno = a->failed;
		return false;
	}
	return fdatasync(a->fd) == 0;
}

bool hd_answer_flags(const char *bytes, const size_t *at, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if ((unsigned char)bytes[at[i]] > 1)
			return false;
	}
	return true;
}

bool hd_answer_text(const char *bytes, size_t at, size_t size)
{
	return memchr(bytes + at, 0, size);
}
