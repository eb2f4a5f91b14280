/*
 * Lets a kill leave what a power cut may leave. Of what the store writes to logs, tables and
 * manifests, each piece of 4 KiB reaches the file at once with probability 1/2, and with the rest
 * at fsync or fdatasync. What is closed reaches it as well. REPRISE_POWER_SEED: where the random
 * numbers begin. REPRISE_POWER_SYNC=ignored: a sync does nothing, which must be found out.
 */
#include "shim.h"

#define PIECE 4096

struct piece {
  struct piece *next;
  off64_t at;
  size_t bytes;
  char data[];
};

struct file {
  int held; /* whether this descriptor is one of the store's */
  off64_t position;
  struct piece *first, *last;
};

static struct file files[MAX_FD];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t state;
static int ignored;

REAL(int, open, const char *, int, ...)
REAL(int, open64, const char *, int, ...)
REAL(ssize_t, write, int, const void *, size_t)
REAL(ssize_t, pwrite, int, const void *, size_t, off_t)
REAL(ssize_t, pwrite64, int, const void *, size_t, off64_t)
REAL(off_t, lseek, int, off_t, int)
REAL(int, fsync, int)
REAL(int, fdatasync, int)
REAL(int, close, int)

__attribute__((constructor)) static void begin(void) {
  const char *seed = getenv("REPRISE_POWER_SEED"), *sync = getenv("REPRISE_POWER_SYNC");
  state = 0x9e3779b97f4a7c15u * (1 + (seed ? strtoull(seed, NULL, 10) : 0));
  ignored = sync && !strcmp(sync, "ignored");
}

static int coin(void) { /* xorshift64* */
  state ^= state >> 12;
  state ^= state << 25;
  state ^= state >> 27;
  return (int)((state * 0x2545f4914f6cdd1du) >> 63);
}

static int is_store_file(const char *path) {
  const char *slash = strrchr(path, '/');
  const char *name = slash ? slash + 1 : path;
  return is_kind(name, ".log") || is_kind(name, ".sst") || is_kind(name, "MANIFEST-");
}

static struct file *held(int fd) {
  return fd >= 0 && fd < MAX_FD && files[fd].held ? &files[fd] : NULL;
}

static int put(int fd, const char *from, size_t n, off64_t at) {
  while (n > 0) {
    ssize_t put = CALL(pwrite64)(fd, from, n, at);
    if (put < 0) return -1;
    from += put;
    n -= (size_t)put;
    at += put;
  }
  return 0;
}

static ssize_t take(int fd, struct file *file, const char *from, size_t n, off64_t at) {
  size_t done = 0;
  while (done < n) {
    off64_t here = at + (off64_t)done;
    size_t bytes = PIECE - (size_t)(here % PIECE);
    if (bytes > n - done) bytes = n - done;
    if (coin()) {
      if (put(fd, from + done, bytes, here)) return -1;
    } else {
      struct piece *piece = malloc(sizeof *piece + bytes);
      if (!piece) abort();
      piece->next = NULL;
      piece->at = here;
      piece->bytes = bytes;
      memcpy(piece->data, from + done, bytes);
      if (file->last) file->last->next = piece; else file->first = piece;
      file->last = piece;
    }
    done += bytes;
  }
  return (ssize_t)n;
}

static int release(int fd, struct file *file) {
  int result = 0;
  for (struct piece *piece = file->first; piece;) {
    struct piece *next = piece->next;
    if (put(fd, piece->data, piece->bytes, piece->at)) result = -1;
    free(piece);
    piece = next;
  }
  file->first = file->last = NULL;
  return result;
}

static int opened(int fd, const char *path, int flags) {
  if (fd >= 0 && fd < MAX_FD && (flags & O_ACCMODE) != O_RDONLY && is_store_file(path)) {
    pthread_mutex_lock(&lock);
    memset(&files[fd], 0, sizeof files[fd]);
    files[fd].held = 1;
    if (flags & O_APPEND) files[fd].position = CALL(lseek)(fd, 0, SEEK_END);
    pthread_mutex_unlock(&lock);
  }
  return fd;
}

int open(const char *path, int flags, ...) {
  MODE
  return opened(CALL(open)(path, flags, mode), path, flags);
}

int open64(const char *path, int flags, ...) {
  MODE
  return opened(CALL(open64)(path, flags, mode), path, flags);
}

ssize_t write(int fd, const void *from, size_t n) {
  struct file *file = held(fd);
  if (!file) return CALL(write)(fd, from, n);
  pthread_mutex_lock(&lock);
  ssize_t done = take(fd, file, from, n, file->position);
  if (done > 0) file->position += done;
  pthread_mutex_unlock(&lock);
  return done;
}

ssize_t pwrite64(int fd, const void *from, size_t n, off64_t at) {
  struct file *file = held(fd);
  if (!file) return CALL(pwrite64)(fd, from, n, at);
  pthread_mutex_lock(&lock);
  ssize_t done = take(fd, file, from, n, at);
  pthread_mutex_unlock(&lock);
  return done;
}

ssize_t pwrite(int fd, const void *from, size_t n, off_t at) {
  return held(fd) ? pwrite64(fd, from, n, at) : CALL(pwrite)(fd, from, n, at);
}

off_t lseek(int fd, off_t to, int from) {
  off_t at = CALL(lseek)(fd, to, from);
  struct file *file = held(fd);
  if (file && at >= 0) file->position = at;
  return at;
}

static int synced(int fd, int (*next)(int)) {
  struct file *file = held(fd);
  if (!file) return next(fd);
  if (ignored) return 0;
  pthread_mutex_lock(&lock);
  int result = release(fd, file);
  pthread_mutex_unlock(&lock);
  return result;
}

int fsync(int fd) { return synced(fd, CALL(fsync)); }

int fdatasync(int fd) { return synced(fd, CALL(fdatasync)); }

int close(int fd) {
  struct file *file = held(fd);
  if (file) {
    pthread_mutex_lock(&lock);
    release(fd, file);
    file->held = 0;
    pthread_mutex_unlock(&lock);
  }
  return CALL(close)(fd);
}
