/*
 * What the files of blocking I/O share.
 */
#ifndef HD_RUNTIME_IO_H
#define HD_RUNTIME_IO_H

#include <sys/socket.h>
#include <sys/uio.h>

#include "descriptors.h"
#include "runtime/libc/libc_calls.h"

#define HD_IO_PIECES 16 /* parts of a vector written at once */

/*
 * What epoll reports need not name a descriptor, so whoever hears from it is taken to
 * know of everything written so far: too much order may hide a race, never invent one.
 */
void hd_rt_io_expect_epoll(void);
void hd_rt_io_acquire_any(void);
/*
 * Somebody looked at @fds (an epoll set), and nothing was there. To an explorer that is an operation: who
 * comes first decides what is seen.
 */
void hd_rt_io_in_vain(const struct pollfd *fds, unsigned nfds);
void hd_rt_io_in_vain_any(void);
/* As hd_rt_enter_cancellable(), for calls that are no cancellation points. */
struct fiber *hd_rt_io_begin_plain(uintptr_t caller);
bool hd_rt_io_is_nonblocking(int fd);
/* SO_RCVTIMEO or SO_SNDTIMEO as a deadline. */
uint64_t hd_rt_io_socket_deadline(int fd, int option);
/* Wait until the real call does not block: 0 (make it) or an errno. */
int hd_rt_io_wait_to_call(struct fiber *me, int fd, enum hd_fd_kind kind, short events);
size_t hd_rt_io_vector_bytes(const struct iovec *iov, int n);
/* Put @len bytes into @iov, from byte @at on; there is room. */
void hd_rt_io_vector_store(const struct iovec *iov, int n, size_t at, const void *data, size_t len);
/* After a call that filled @iov with @got bytes (or failed). */
ssize_t hd_rt_io_end_read(int fd, enum hd_fd_kind kind, const struct iovec *iov, int n,
			  ssize_t got);
/* The part of @iov after the first @skip bytes, at most @limit bytes of it; its pieces. */
int hd_rt_io_vector_part(struct iovec out[HD_IO_PIECES], const struct iovec *iov, int n,
			 size_t skip, size_t limit);
/* A timer was set: who waits for descriptors may have to look at another time. */
void hd_rt_io_look_again(void);
/* timerfd.c: after a read that got @got bytes (or failed): put in how often the timer has expired. */
ssize_t hd_rt_timerfd_read(int fd, const struct iovec *iov, int n, ssize_t got);
/* signalfd.c: a read. */
ssize_t hd_rt_signalfd_read(struct fiber *me, int fd, const struct iovec *iov, int n);
/* Send @msg, waiting as a blocking socket does. */
ssize_t hd_rt_io_send_all(struct fiber *me, int fd, const struct msghdr *msg, int flags);
/* Before anything is written: who reads it later knows what the writer knew. */
void hd_rt_io_begin_write(int fd, enum hd_fd_kind kind, const struct iovec *iov, int n);

#endif
