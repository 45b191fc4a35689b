/*
 * The program's heap, for calls of ours that allocate or tell where it was allocated.
 */
#ifndef HD_RUNTIME_ALLOC_H
#define HD_RUNTIME_ALLOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void hd_rt_alloc_start(void);
/* Where the program's operator new is called that is being served; 0: it is not. */
extern uintptr_t hd_rt_new_caller;
/* For calls that allocate for the program: the block is known by their caller. */
void *hd_rt_program_malloc(size_t size);
void *hd_rt_program_realloc(void *old, size_t size);

/* Is @pc in code of libc or of the loader? */
bool hd_rt_inside_libc(uintptr_t pc);

#endif
