/*
 * Leaving one stack for another: the machine's part of fibers, which both carriers of tasks use.
 */
#ifndef HD_RUNTIME_STACK_SWITCH_H
#define HD_RUNTIME_STACK_SWITCH_H

#include <stdint.h>

/* Leave the current stack, saved in *@save_sp, for the one at @load_sp. */
void hd_rt_switch_stack(void **save_sp, void *load_sp) __attribute__((visibility("hidden")));

/* A place below @top to switch to: there @entry is called, which must not return. */
void *hd_rt_stack_prepare(uintptr_t top, void (*entry)(void)) __attribute__((visibility("hidden")));

/* Call @fn with @arg on the stack below @top, and come back. */
void hd_rt_call_on(uintptr_t top, void (*fn)(void *), void *arg)
	__attribute__((visibility("hidden")));

#endif
