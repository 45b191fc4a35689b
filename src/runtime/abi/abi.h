/*
 * Prototypes of the compiler's interface (no header of the compiler declares it).
 */
#ifndef HD_RUNTIME_ABI_H
#define HD_RUNTIME_ABI_H

#include <stdint.h>

#define HD_ABI_ACCESS(size)                                                                        \
	void __tsan_read##size(void *p);                                                           \
	void __tsan_write##size(void *p);                                                          \
	void __tsan_unaligned_read##size(void *p);                                                 \
	void __tsan_unaligned_write##size(void *p);                                                \
	void __tsan_volatile_read##size(void *p);                                                  \
	void __tsan_volatile_write##size(void *p);                                                 \
	void __tsan_unaligned_volatile_read##size(void *p);                                        \
	void __tsan_unaligned_volatile_write##size(void *p);                                       \
	void __tsan_read_write##size(void *p);                                                     \
	void __tsan_unaligned_read_write##size(void *p);
HD_ABI_ACCESS(1)
HD_ABI_ACCESS(2)
HD_ABI_ACCESS(4)
HD_ABI_ACCESS(8)
HD_ABI_ACCESS(16)

/* What the compiler plugin calls. */
#define HD_ABI_INLINE(size)                                                                        \
	void heddle_inline1_read##size(void *p);                                                   \
	void heddle_inline1_write##size(void *p);                                                  \
	void heddle_inline1_leaf_read##size(void *p, void *back);                                  \
	void heddle_inline1_leaf_write##size(void *p, void *back);                                 \
	void heddle_inline1_idle_read##size(void *p);                                              \
	void heddle_inline1_leaf_idle_read##size(void *p, void *back);
HD_ABI_INLINE(1)
HD_ABI_INLINE(2)
HD_ABI_INLINE(4)
HD_ABI_INLINE(8)
void heddle_inline1_block_read(void *p, unsigned long len, void *back);
void heddle_inline1_block_write(void *p, unsigned long len, void *back);
void heddle_inline1_enter(void *caller);
void heddle_inline1_leave(void *top);
void heddle_inline1_loop(void);
/* What static_hooks.c calls besides. */
void heddle_inline1_spent(void *pc);
void heddle_inline1_func_entry(void *caller);
void heddle_inline1_func_exit(void);
void heddle_inline1_part(void *p, long step, unsigned kind);
int heddle_inline1_whole(unsigned long rounds, unsigned n, void *back);
void heddle_inline1_range(void *p, long step, unsigned long count, unsigned kind, void *back);

void __tsan_read_range(void *p, unsigned long len);
void __tsan_write_range(void *p, unsigned long len);
void __tsan_vptr_update(void **vptr, void *value);
void __tsan_vptr_read(void **vptr);

void __tsan_init(void);
void __tsan_func_entry(void *caller);
void __tsan_func_exit(void);
void __tsan_ignore_thread_begin(void);
void __tsan_ignore_thread_end(void);
void __tsan_acquire(void *addr);
void __tsan_release(void *addr);
void __tsan_mutex_create(void *addr, unsigned flags);
void __tsan_mutex_destroy(void *addr, unsigned flags);
void __tsan_mutex_pre_lock(void *addr, unsigned flags);
void __tsan_mutex_post_lock(void *addr, unsigned flags, int recursion);
int __tsan_mutex_pre_unlock(void *addr, unsigned flags);
void __tsan_mutex_post_unlock(void *addr, unsigned flags);
void __tsan_mutex_pre_signal(void *addr, unsigned flags);
void __tsan_mutex_post_signal(void *addr, unsigned flags);
void __tsan_mutex_pre_divert(void *addr, unsigned flags);
void __tsan_mutex_post_divert(void *addr, unsigned flags);
void *__tsan_get_current_fiber(void);
void *__tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void *fiber);
void __tsan_switch_to_fiber(void *fiber, unsigned flags);
void __tsan_set_fiber_name(void *fiber, const char *name);

#define HD_ABI_ATOMIC(bits, type)                                                                  \
	type __tsan_atomic##bits##_load(const volatile type *p, int mo);                           \
	void __tsan_atomic##bits##_store(volatile type *p, type v, int mo);                        \
	type __tsan_atomic##bits##_exchange(volatile type *p, type v, int mo);                     \
	type __tsan_atomic##bits##_fetch_add(volatile type *p, type v, int mo);                    \
	type __tsan_atomic##bits##_fetch_sub(volatile type *p, type v, int mo);                    \
	type __tsan_atomic##bits##_fetch_and(volatile type *p, type v, int mo);                    \
	type __tsan_atomic##bits##_fetch_or(volatile type *p, type v, int mo);                     \
	type __tsan_atomic##bits##_fetch_xor(volatile type *p, type v, int mo);                    \
	type __tsan_atomic##bits##_fetch_nand(volatile type *p, type v, int mo);                   \
	int __tsan_atomic##bits##_compare_exchange_strong(volatile type *p, type *expected,        \
							  type desired, int mo, int fail_mo);      \
	int __tsan_atomic##bits##_compare_exchange_weak(volatile type *p, type *expected,          \
							type desired, int mo, int fail_mo);        \
	type __tsan_atomic##bits##_compare_exchange_val(volatile type *p, type expected,           \
							type desired, int mo, int fail_mo);
HD_ABI_ATOMIC(8, uint8_t)
HD_ABI_ATOMIC(16, uint16_t)
HD_ABI_ATOMIC(32, uint32_t)
HD_ABI_ATOMIC(64, uint64_t)
HD_ABI_ATOMIC(128, unsigned __int128)
void __tsan_atomic_thread_fence(int mo);
void __tsan_atomic_signal_fence(int mo);

#endif
