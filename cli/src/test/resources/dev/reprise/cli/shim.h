/* What both shims need: the functions that they stand in front of. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

#define MAX_FD 65536
#define NAME_BYTES 64

/* The next definition of a function: the C library's. */
#define REAL(type, name, ...)                                          \
  static type (*real_##name)(__VA_ARGS__);                             \
  static type (*get_##name(void))(__VA_ARGS__) {                       \
    if (!real_##name) *(void **)&real_##name = dlsym(RTLD_NEXT, #name); \
    return real_##name;                                                \
  }
#define CALL(name) get_##name()

/* Whether `name` belongs to the store's kind of file: its ending, or its beginning. */
static int is_kind(const char *name, const char *kind) {
  size_t n = strlen(name), k = strlen(kind);
  return k > 0 && n >= k && (!strncmp(name, kind, k) || !strcmp(name + n - k, kind));
}

/* The mode that open() was given, which it has only if it may create a file. */
#define MODE                      \
  mode_t mode = 0;                \
  if (flags & O_CREAT) {          \
    va_list rest;                 \
    va_start(rest, flags);        \
    mode = va_arg(rest, mode_t);  \
    va_end(rest);                 \
  }
