/*
 * The instrumentation ABI with nothing behind it: accesses do nothing, atomics do
 * what they are named after. Every atomic operation lets the other thread of a
 * handover_*.c program do its part. Also a stand-in for libheddle.so.
 */
#include <stdint.h>
#include <stddef.h>

void stub_other_thread(void (*part)(void));

static void (*other_part)(void);

void stub_other_thread(void (*part)(void))
{
	other_part = part;
}

static void let_other_run(void)
{
	void (*part)(void) = other_part;

	other_part = NULL; /* its own atomics are not hand-overs */
	if (part)
		part();
	other_part = part;
}

#define IGNORE(name)                                                                               \
	void name(void *address);                                                                  \
	void name(void *address)                                                                   \
	{                                                                                          \
		(void)address;                                                                     \
	}
#define ACCESSES(size)                                                                             \
	IGNORE(__tsan_read##size)                                                                  \
	IGNORE(__tsan_write##size)                                                                 \
	IGNORE(__tsan_unaligned_read##size)                                                        \
	IGNORE(__tsan_unaligned_write##size)                                                       \
	IGNORE(__tsan_volatile_read##size)                                                         \
	IGNORE(__tsan_volatile_write##size)

ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)
IGNORE(__tsan_func_entry)
IGNORE(__tsan_vptr_read)

void __tsan_func_exit(void);
void __tsan_func_exit(void)
{
}

void __tsan_init(void);
void __tsan_init(void)
{
}

#define RANGE(name)                                                                                \
	void name(void *address, size_t size);                                                     \
	void name(void *address, size_t size)                                                      \
	{                                                                                          \
		(void)address;                                                                     \
		(void)size;                                                                        \
	}

RANGE(__tsan_read_range)
RANGE(__tsan_write_range)
RANGE(__tsan_vptr_update) /* its second word is the new pointer; ignored as well */

#define FETCH(bits, name, operator)                                                                \
	int##bits##_t __tsan_atomic##bits##_fetch_##name(int##bits##_t *at, int##bits##_t value,   \
							 int order);                               \
	int##bits##_t __tsan_atomic##bits##_fetch_##name(int##bits##_t *at, int##bits##_t value,   \
							 int order)                                \
	{                                                                                          \
		let_other_run();                                                                   \
		return __atomic_fetch_##operator(at, value, __ATOMIC_SEQ_CST);                     \
	}

#define COMPARE_EXCHANGE(bits, strength)                                                           \
	int __tsan_atomic##bits##_compare_exchange_##strength(                                     \
		int##bits##_t *at, int##bits##_t *expected, int##bits##_t value, int order,        \
		int fail_order);                                                                   \
	int __tsan_atomic##bits##_compare_exchange_##strength(                                     \
		int##bits##_t *at, int##bits##_t *expected, int##bits##_t value, int order,        \
		int fail_order)                                                                    \
	{                                                                                          \
		let_other_run();                                                                   \
		return __atomic_compare_exchange_n(at, expected, value, 0, __ATOMIC_SEQ_CST,       \
						   __ATOMIC_SEQ_CST);                              \
	}

#define ATOMICS(bits)                                                                              \
	int##bits##_t __tsan_atomic##bits##_load(const int##bits##_t *at, int order);              \
	int##bits##_t __tsan_atomic##bits##_load(const int##bits##_t *at, int order)               \
	{                                                                                          \
		let_other_run();                                                                   \
		return __atomic_load_n(at, __ATOMIC_SEQ_CST);                                      \
	}                                                                                          \
	void __tsan_atomic##bits##_store(int##bits##_t *at, int##bits##_t value, int order);       \
	void __tsan_atomic##bits##_store(int##bits##_t *at, int##bits##_t value, int order)        \
	{                                                                                          \
		__atomic_store_n(at, value, __ATOMIC_SEQ_CST);                                     \
		let_other_run();                                                                   \
	}                                                                                          \
	int##bits##_t __tsan_atomic##bits##_exchange(int##bits##_t *at, int##bits##_t value,       \
						     int order);                                   \
	int##bits##_t __tsan_atomic##bits##_exchange(int##bits##_t *at, int##bits##_t value,       \
						     int order)                                    \
	{                                                                                          \
		let_other_run();                                                                   \
		return __atomic_exchange_n(at, value, __ATOMIC_SEQ_CST);                           \
	}                                                                                          \
	FETCH(bits, add, add)                                                                      \
	FETCH(bits, sub, sub)                                                                      \
	FETCH(bits, and, and)                                                                      \
	FETCH(bits, or, or)                                                                        \
	FETCH(bits, xor, xor)                                                                      \
	COMPARE_EXCHANGE(bits, strong)                                                             \
	COMPARE_EXCHANGE(bits, weak)                                                               \
	int##bits##_t __tsan_atomic##bits##_compare_exchange_val(                                  \
		int##bits##_t *at, int##bits##_t expected, int##bits##_t value, int order,         \
		int fail_order);                                                                   \
	int##bits##_t __tsan_atomic##bits##_compare_exchange_val(                                  \
		int##bits##_t *at, int##bits##_t expected, int##bits##_t value, int order,         \
		int fail_order)                                                                    \
	{                                                                                          \
		__tsan_atomic##bits##_compare_exchange_strong(at, &expected, value, order,         \
							      fail_order);                         \
		return expected;                                                                   \
	}

ATOMICS(8)
ATOMICS(16)
ATOMICS(32)
ATOMICS(64)

void __tsan_atomic_thread_fence(int order);
void __tsan_atomic_thread_fence(int order)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	let_other_run();
}
