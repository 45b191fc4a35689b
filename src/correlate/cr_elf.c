#include "cr_elf.h"

#include <elf.h>

#include <pub_tool_aspacemgr.h>
#include <pub_tool_vki.h>

/* The tables for unwinding that were found, by the segment of code. */
struct image {
	Addr code;      /* start of the segment */
	Addr header;    /* of the table */
	const Int *row; /* pairs: function, its entry; both relative to the header, sorted */
	UInt rows;      /* 0: there is none */
};

#define IMAGES 64u
static struct image images[IMAGES];
static UInt nimages, oldest;

static Bool is_readable(Addr a, SizeT len)
{
	return len && VG_(am_is_valid_for_client)(a, len, VKI_PROT_READ);
}

/* The program headers of the file at @base; NULL: it is none. */
static const Elf64_Phdr *headers_of(Addr base, UInt *n)
{
	const Elf64_Ehdr *e = (const Elf64_Ehdr *)base;

	if (!is_readable(base, sizeof(*e)) || VG_(memcmp)(e->e_ident, ELFMAG, SELFMAG) ||
	    e->e_ident[EI_CLASS] != ELFCLASS64 || e->e_phentsize != sizeof(Elf64_Phdr) ||
	    !is_readable(base + e->e_phoff, e->e_phnum * sizeof(Elf64_Phdr)))
		return NULL;
	*n = e->e_phnum;
	return (const Elf64_Phdr *)(base + e->e_phoff);
}

/* What is added to the file's addresses: its first page is the one at offset 0. */
static Bool bias_of(Addr base, const Elf64_Phdr *p, UInt n, Addr *bias)
{
	for (UInt i = 0; i < n; i++) {
		if (p[i].p_type == PT_LOAD && p[i].p_offset == 0) {
			*bias = base - p[i].p_vaddr;
			return True;
		}
	}
	return False;
}

Addr cr_elf_end(Addr base)
{
	UInt n = 0;
	const Elf64_Phdr *p = headers_of(base, &n);
	Addr bias, end = 0;

	if (!p || !bias_of(base, p, n, &bias))
		return 0;
	for (UInt i = 0; i < n; i++) {
		Addr last = bias + p[i].p_vaddr + p[i].p_memsz;

		if (p[i].p_type == PT_LOAD && last > end)
			end = last;
	}
	return end;
}

/* Where the file begins of which @code is a part. */
static Addr base_of(const NSegment *code)
{
	static Addr starts[4096];
	Int n = VG_(am_get_segment_starts)(SkFileC, starts, 4096);
	Addr base = 0;

	for (Int i = 0; i < n && starts[i] <= code->start; i++) {
		const NSegment *seg = VG_(am_find_nsegment)(starts[i]);

		if (seg && seg->offset == 0 && seg->dev == code->dev && seg->ino == code->ino)
			base = seg->start;
	}
	return base;
}

/* Only the form that linkers write: 32-bit offsets from the table's own beginning. */
static void find_table(Addr base, struct image *image)
{
	UInt n = 0;
	const Elf64_Phdr *p = headers_of(base, &n);
	Addr bias;

	if (!p || !bias_of(base, p, n, &bias))
		return;
	for (UInt i = 0; i < n; i++) {
		const UChar *h = (const UChar *)(bias + p[i].p_vaddr);
		UInt rows;

		if (p[i].p_type != PT_GNU_EH_FRAME || p[i].p_memsz < 12 ||
		    !is_readable((Addr)h, p[i].p_memsz) || h[0] != 1 || h[2] != 0x03 ||
		    h[3] != 0x3b || (h[1] & 0xf) != 0x0b)
			continue;
		VG_(memcpy)(&rows, h + 8, sizeof(rows));
		if (rows > (p[i].p_memsz - 12) / 8)
			return;
		image->header = (Addr)h;
		image->row = (const Int *)(h + 12);
		image->rows = rows;
	}
}

static const struct image *image_of(Addr pc)
{
	const NSegment *seg = VG_(am_find_nsegment)(pc);
	struct image *image;
	Addr base;

	if (!seg || seg->kind != SkFileC || !seg->hasX)
		return NULL;
	for (UInt i = 0; i < nimages; i++) {
		if (images[i].code == seg->start)
			return &images[i];
	}
	image = &images[nimages < IMAGES ? nimages++ : oldest++ % IMAGES];
	*image = (struct image){ .code = seg->start };
	base = base_of(seg);
	if (base)
		find_table(base, image);
	return image;
}

/* The entry of a function repeats its start and has its length, in the usual form. */
static Addr end_of(const struct image *image, UInt row, Addr start)
{
	Addr entry = image->header + (Addr)(Long)image->row[2 * row + 1], next = 0;
	Int offset;
	UInt length;

	if (row + 1 < image->rows)
		next = image->header + (Addr)(Long)image->row[2 * (row + 1)];
	if (is_readable(entry, 16)) {
		VG_(memcpy)(&offset, (const void *)(entry + 8), 4);
		VG_(memcpy)(&length, (const void *)(entry + 12), 4);
		if (entry + 8 + (Addr)(Long)offset == start && (!next || start + length <= next))
			return start + length;
	}
	return next;
}

Bool cr_elf_function(Addr pc, Addr *start, Addr *end)
{
	const struct image *image = image_of(pc);
	UInt low = 0, high = image ? image->rows : 0;

	while (low < high) {
		UInt mid = (low + high) / 2;

		if (image->header + (Addr)(Long)image->row[2 * mid] <= pc)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low)
		return False;
	*start = image->header + (Addr)(Long)image->row[2 * (low - 1)];
	*end = end_of(image, low - 1, *start);
	return pc < *end;
}

void cr_elf_forget(void)
{
	nimages = 0;
}
