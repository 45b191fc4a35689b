/*
 * All of so many bytes to or from a file, a pipe or a socket, however many at a time the system takes, and whatever signals come.
 * False: an error, or an end before that.
 */
#ifndef HD_COMMON_TRANSFER_H
#define HD_COMMON_TRANSFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool hd_read_all(int fd, void *bytes, size_t len);
bool hd_write_all(int fd, const void *bytes, size_t len);
/* To a socket: one that is closed at the other end is no SIGPIPE. */
bool hd_send_all(int fd, const void *bytes, size_t len);

/* In the file from @at on; where it stands otherwise stays as it is. */
bool hd_read_all_at(int fd, void *bytes, size_t len, uint64_t at);
bool hd_write_all_at(int fd, const void *bytes, size_t len, uint64_t at);

#endif
