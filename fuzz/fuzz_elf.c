/*
 * A program file, with what it says about itself: whatever stands there, questions about it get
 * answers that keep to the buffers they are written to.
 */
#include "fuzz_common.h"

#include "symbols/symbols.h"
#include "symbols/unhooked.h"

#define BASE 0x400000u
#define LEN  0x1000u /* the files of the corpus are shorter */

static void ask_code(struct hd_symbols *s, uint64_t pc)
{
	struct hd_frame frames[8];
	size_t n = hd_symbols_code(s, pc, frames, 8);

	if (n > 8)
		abort();
	for (size_t i = 0; i < n; i++) { /* all of it is there */
		if ((frames[i].function && strlen(frames[i].function) > LEN) ||
		    (frames[i].file && strlen(frames[i].file) > 2 * LEN))
			abort();
	}
	hd_symbols_line_after(s, pc);
}

static void ask_data(struct hd_symbols *s, uint64_t addr)
{
	const char *file;
	char name[40];
	uint32_t line;
	uint64_t at, len;

	memset(name, 'x', sizeof(name));
	if (hd_symbols_data(s, addr, 4, name, sizeof(name))) {
		if (!memchr(name, 0, sizeof(name)))
			abort();
		hd_symbols_find(s, name, &at, &len);
	}
	hd_symbols_data_decl(s, addr, &file, &line);
	if (hd_symbols_thread_local(s, -(int64_t)(addr % 4096), name, sizeof(name)) &&
	    !memchr(name, 0, sizeof(name)))
		abort();
	for (uint64_t sp = addr; sp < addr + 64; sp += 16) {
		const struct hd_local_frame frame = { .pc = addr, .sp = sp, .fp = sp + 16 };

		if (hd_symbols_local(s, &frame, sp + 8, 4, name, sizeof(name)) &&
		    !memchr(name, 0, sizeof(name)))
			abort();
	}
}

/* About each 256th place, not always the same ones. */
static void ask_all(struct hd_symbols *s, size_t first)
{
	uint64_t addr, len, offset;

	for (uint64_t at = first % 256; at < LEN; at += 256) {
		ask_code(s, BASE + at + 1);
		ask_data(s, BASE + at);
	}
	hd_symbols_find(s, "table[1].pair.b", &addr, &len);
	hd_symbols_member(s, "entry", "pair.b", &offset, &len);
	for (size_t i = 0; i < 8 && hd_symbols_instance(s, "entry", i, &addr); i++)
		;
	for (size_t i = 0; hd_symbols_note(s, i); i++)
		;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", 0);
	char path[64], id[HD_BUILD_ID_MAX];
	const char *paths[] = { path };
	struct hd_symbols *s;
	struct hd_unhooked u = { 0 };

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (fd < 0 || write(fd, data, size) != (ssize_t)size || hd_symbols_new(&s) != HD_OK)
		abort();
	if (hd_symbols_build_id(path, id) && !memchr(id, 0, sizeof(id)))
		abort();
	hd_symbols_add_module(s, path, BASE, LEN, NULL);
	ask_all(s, size);
	hd_symbols_free(s);
	hd_unhooked_find(paths, 1, &u);
	hd_unhooked_free(&u);
	close(fd);
	return 0;
}
