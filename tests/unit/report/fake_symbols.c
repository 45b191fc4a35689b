/*
 * The symbols of an imaginary program, in place of those of a real one: the
 * tests of reports then depend on no compiler.
 */
#include "symbols/symbols.h"
#include "symbols/unhooked.h"

#include <stdio.h>
#include <string.h>

#include "sample_run.h"

struct hd_symbols {
	size_t modules;
};

static const struct {
	uint64_t pc;
	struct hd_frame frame;
} code[] = {
	{ PC_LOCK_A, { "transfer", "src/bank.c", 13, 0, false, "/home/u/bank", 0x10 } },
	{ PC_LOCK_B, { "transfer", "src/bank.c", 14, 0, false, "/home/u/bank", 0x20 } },
	{ PC_IN_WORKER, { "worker", "src/bank.c", 22, 0, false, "/home/u/bank", 0x30 } },
	{ PC_IN_MAIN, { "main", "src/bank.c", 30, 0, false, "/home/u/bank", 0x40 } },
	{ PC_CREATE, { "main", "src/bank.c", 28, 0, false, "/home/u/bank", 0x50 } },
	{ PC_ALLOC, { "make_account", "src/account.h", 5, 0, true, "/home/u/bank", 0x60 } },
	{ PC_ALLOC, { "main", "src/bank.c", 27, 0, false, "/home/u/bank", 0x60 } },
	{ PC_RECURSE, { "descend", "src/bank.c", 40, 0, false, "/home/u/bank", 0x70 } },
	{ PC_NO_LINES, { NULL, NULL, 0, 0, false, "/home/u/bank", 0x80 } },
	{ PC_READ, { "audit", "src/bank.c", 41, 0, false, "/home/u/bank", 0x90 } },
	{ PC_READ_MORE, { "audit", "src/bank.c", 43, 0, false, "/home/u/bank", 0x98 } },
	{ PC_WRITE, { "deposit", "src/bank.c", 18, 0, false, "/home/u/bank", 0xa0 } },
	{ PC_HOSTILE,
	  { "f\x1b[31m<&\"']]>\xff\n", "src/a b\t%\xfe#?\n.c", 7, 0, false, "/home/u/ba\nnk",
	    0xb0 } },
	{ PC_RUNTIME, { "hd_rt_mutex_lock", "mutex.c", 1, 0, false, "/opt/libheddle.so", 0x10 } },
	{ PC_INTERPOSED, { "pthread_mutex_lock", "m.c", 2, 0, false, "/opt/libheddle.so", 0x20 } },
	{ PC_START, { "start_thread", NULL, 0, 0, false, "/lib/libc.so.6", 0x10 } },
	{ PC_ABORT, { "abort", "abort.c", 79, 0, false, "/lib/libc.so.6", 0x20 } },
	{ PC_SIGNAL_RETURN, { NULL, NULL, 0, 0, false, "/lib/libc.so.6", 0x30 } },
};

uint32_t fake_line_shift;
static struct hd_symbols only;

enum hd_err hd_symbols_new(struct hd_symbols **out)
{
	only.modules = 0;
	*out = &only;
	return HD_OK;
}

void hd_symbols_free(struct hd_symbols *s)
{
	s->modules = 0;
}

void hd_symbols_add_module(struct hd_symbols *s, const char *path, uint64_t base, uint64_t len,
			   const char *build_id)
{
	s->modules += base == 0x1000 && len == 0x7000 && !strcmp(path, "/home/u/bank");
}

/* Nothing is known before the program's module has been named. */
uint32_t hd_symbols_line_after(struct hd_symbols *s, uint64_t pc)
{
	return 0;
}

size_t hd_symbols_code(struct hd_symbols *s, uint64_t pc, struct hd_frame *frames, size_t max)
{
	size_t n = 0;

	for (size_t i = 0; s->modules && i < sizeof(code) / sizeof(code[0]) && n < max; i++) {
		if (code[i].pc != pc)
			continue;
		frames[n] = code[i].frame;
		frames[n].line += frames[n].line ? fake_line_shift : 0;
		n++;
	}
	return n;
}

bool hd_symbols_data(struct hd_symbols *s, uint64_t addr, uint64_t size, char *buf, size_t len)
{
	const char *name = addr == LOCK_A	? "a"
			   : addr == LOCK_B	? "b"
			   : addr == COND_READY ? "queue.ready"
			   : addr == COUNTER	? "counter"
			   : addr == HOSTILE	? "v\x1b]0;\x07\"]]>\xc3(\n"
						: NULL;

	if (name)
		snprintf(buf, len, "%s", name);
	return name != NULL;
}

bool hd_symbols_thread_local(struct hd_symbols *s, int64_t offset, char *buf, size_t len)
{
	return false;
}

bool hd_symbols_local(struct hd_symbols *s, const struct hd_local_frame *frame, uint64_t addr,
		      uint64_t size, char *buf, size_t len)
{
	return false;
}

bool hd_symbols_shared(struct hd_symbols *s, uint64_t function, uint64_t offset, uint64_t size,
		       char *buf, size_t len)
{
	return false;
}

bool hd_symbols_block(struct hd_symbols *s, const struct hd_block_use *use, char *buf, size_t len)
{
	return false;
}

bool hd_symbols_data_decl(struct hd_symbols *s, uint64_t addr, const char **file, uint32_t *line)
{
	*file = "src/bank.c";
	*line = 3 + fake_line_shift;
	return addr == COUNTER;
}

const char *hd_symbols_note(const struct hd_symbols *s, size_t i)
{
	return NULL;
}

enum hd_err hd_unhooked_find(const char *const *paths, size_t n, struct hd_unhooked *u)
{
	*u = (struct hd_unhooked){ 0 };
	return HD_OK;
}

void hd_unhooked_free(struct hd_unhooked *u)
{
	*u = (struct hd_unhooked){ 0 };
}
