/*
 * Makes calls of the C library fail: preloaded into a process, told by a mapped file what to do.
 * Each call that fits a rule's kind of file and kinds of calls takes one off `left` and fails with
 * `error`, after `delay_millis`; an error of 0 only delays. FaultControl.java writes the rules.
 */
#include "shim.h"

#undef fread_unlocked /* may be a macro */

enum { OPEN = 1, CREATE = 2, READ = 4, WRITE = 8, SYNC = 16, MMAP = 32 };

#define RULES 2

struct rule {
  int32_t left;
  int32_t error;
  int32_t delay_millis;
  int32_t calls;
  int32_t hits;
  char kind[NAME_BYTES];
};

static struct rule *rules;

/* The last part of the name under which a descriptor was opened; empty: none of ours. */
static char names[MAX_FD][NAME_BYTES];

static void remember(int fd, const char *path) {
  if (fd < 0 || fd >= MAX_FD) return;
  const char *slash = strrchr(path, '/');
  strncpy(names[fd], slash ? slash + 1 : path, NAME_BYTES - 1);
}

static const char *name_of(int fd) { return fd < 0 || fd >= MAX_FD ? "" : names[fd]; }

REAL(int, open, const char *, int, ...)
REAL(int, open64, const char *, int, ...)
REAL(ssize_t, read, int, void *, size_t)
REAL(ssize_t, pread, int, void *, size_t, off_t)
REAL(ssize_t, pread64, int, void *, size_t, off64_t)
REAL(size_t, fread_unlocked, void *, size_t, size_t, FILE *)
REAL(ssize_t, write, int, const void *, size_t)
REAL(ssize_t, pwrite, int, const void *, size_t, off_t)
REAL(ssize_t, pwrite64, int, const void *, size_t, off64_t)
REAL(int, fsync, int)
REAL(int, fdatasync, int)
REAL(void *, mmap, void *, size_t, int, int, int, off_t)

__attribute__((constructor)) static void map(void) {
  const char *path = getenv("REPRISE_FAULTS");
  int fd = path ? CALL(open)(path, O_RDWR) : -1;
  if (fd < 0) return;
  void *at = CALL(mmap)(NULL, RULES * sizeof *rules, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (at != MAP_FAILED) rules = at;
  close(fd);
}

static int applies(struct rule *rule, int call, const char *name) {
  return rule->left > 0 && rule->calls & call && is_kind(name, rule->kind) &&
         __atomic_fetch_sub(&rule->left, 1, __ATOMIC_SEQ_CST) > 0;
}

/* Whether this call has to fail; errno is set then. */
static int fails(int call, const char *name) {
  for (struct rule *rule = rules; rule && rule < rules + RULES; rule++) {
    if (applies(rule, call, name)) {
      if (rule->delay_millis) usleep(1000u * (unsigned)rule->delay_millis);
      int error = rule->error;
      __atomic_fetch_add(&rule->hits, 1, __ATOMIC_SEQ_CST);
      errno = error;
      return error != 0;
    }
  }
  return 0;
}

static int open_with(int (*next)(const char *, int, ...), const char *path, int flags, mode_t mode) {
  const char *slash = strrchr(path, '/');
  if (fails(flags & O_CREAT ? CREATE : OPEN, slash ? slash + 1 : path)) return -1;
  int fd = next(path, flags, mode);
  remember(fd, path);
  return fd;
}

int open(const char *path, int flags, ...) {
  MODE
  return open_with(CALL(open), path, flags, mode);
}

int open64(const char *path, int flags, ...) {
  MODE
  return open_with(CALL(open64), path, flags, mode);
}

ssize_t read(int fd, void *to, size_t n) {
  return fails(READ, name_of(fd)) ? -1 : CALL(read)(fd, to, n);
}

ssize_t pread(int fd, void *to, size_t n, off_t at) {
  return fails(READ, name_of(fd)) ? -1 : CALL(pread)(fd, to, n, at);
}

ssize_t pread64(int fd, void *to, size_t n, off64_t at) {
  return fails(READ, name_of(fd)) ? -1 : CALL(pread64)(fd, to, n, at);
}

size_t fread_unlocked(void *to, size_t size, size_t n, FILE *file) {
  if (fails(READ, name_of(fileno(file)))) return 0; /* and not the end of the file */
  return CALL(fread_unlocked)(to, size, n, file);
}

ssize_t write(int fd, const void *from, size_t n) {
  return fails(WRITE, name_of(fd)) ? -1 : CALL(write)(fd, from, n);
}

ssize_t pwrite(int fd, const void *from, size_t n, off_t at) {
  return fails(WRITE, name_of(fd)) ? -1 : CALL(pwrite)(fd, from, n, at);
}

ssize_t pwrite64(int fd, const void *from, size_t n, off64_t at) {
  return fails(WRITE, name_of(fd)) ? -1 : CALL(pwrite64)(fd, from, n, at);
}

int fsync(int fd) { return fails(SYNC, name_of(fd)) ? -1 : CALL(fsync)(fd); }

int fdatasync(int fd) { return fails(SYNC, name_of(fd)) ? -1 : CALL(fdatasync)(fd); }

void *mmap(void *at, size_t n, int protection, int flags, int fd, off_t from) {
  if (fd >= 0 && fails(MMAP, name_of(fd))) return MAP_FAILED;
  return CALL(mmap)(at, n, protection, flags, fd, from);
}
