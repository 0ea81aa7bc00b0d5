// What a disk still holds after the power was cut. Preloaded into the host, it watches fsync and fdatasync: whatever lies below
// POWER_LOSS_ROOT is copied to POWER_LOSS_DISK when it is synced, and what never was is not there. Files are kept by an id of their
// own (`data/<inode>-<birth>`), names apart from them (`names/<path with | for />`): syncing a file keeps its content and the name it
// has then, syncing a folder keeps which names it has, new, renamed and removed ones. Nothing is really synced: it costs time, and a
// process that is killed loses nothing by it.
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

static void fail(const char *what, const char *path) {
  fprintf(stderr, "power-loss: cannot %s %s: %s\n", what, path, strerror(errno));
  abort();
}

static void identify(int folder, const char *path, int flags, char *id, size_t size) {
  struct statx found;
  if (statx(folder, path, flags, STATX_INO | STATX_BTIME, &found) != 0) fail("look at", path);
  unsigned long long born = (unsigned long long)found.stx_btime.tv_sec * 1000000000ULL + found.stx_btime.tv_nsec;
  snprintf(id, size, "%llu-%llu", (unsigned long long)found.stx_ino, born);
}

// Under its name only when it is whole: a kill in the middle of a sync is a kill before it.
static void put(const char *target, int from, const char *text) {
  char draft[PATH_MAX + 8];
  snprintf(draft, sizeof draft, "%s.new", target);
  int to = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (to < 0) fail("make", draft);
  static char buffer[1 << 18];
  if (text != NULL && write(to, text, strlen(text)) < 0) fail("write", draft);
  for (ssize_t got = 1; text == NULL && got > 0;) {
    got = read(from, buffer, sizeof buffer);
    if (got < 0 || write(to, buffer, (size_t)got) != got) fail("write", draft);
  }
  close(to);
  if (rename(draft, target) != 0) fail("rename", draft);
}

static void put_name(const char *disk, const char *name, const char *id) {
  char target[PATH_MAX];
  snprintf(target, sizeof target, "%s/names/", disk);
  size_t at = strlen(target);
  for (; *name != '\0' && at < sizeof target - 1; name++) target[at++] = *name == '/' ? '|' : *name;
  target[at] = '\0';
  put(target, -1, id);
}

static void sync_file(int fd, const char *disk, const char *name) {
  char id[64], target[PATH_MAX], self[64];
  identify(fd, "", AT_EMPTY_PATH, id, sizeof id);
  // Opened anew: the one that syncs may be for writing alone, and its position is its own.
  snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
  int from = open(self, O_RDONLY | O_CLOEXEC);
  if (from < 0) fail("read", name);
  snprintf(target, sizeof target, "%s/data/%s", disk, id);
  put(target, from, NULL);
  close(from);
  if (strstr(name, " (deleted)") == NULL) put_name(disk, name, id);
}

static void sync_folder(int fd, const char *disk, const char *name) {
  char prefix[PATH_MAX], path[PATH_MAX], id[64];
  snprintf(prefix, sizeof prefix, "%s%s", name, *name == '\0' ? "" : "|");
  for (char *at = prefix; *at != '\0'; at++) if (*at == '/') *at = '|';
  snprintf(path, sizeof path, "%s/names", disk);
  DIR *names = opendir(path);
  if (names == NULL) fail("list", path);
  for (struct dirent *one; (one = readdir(names)) != NULL;) {
    const char *rest = one->d_name + strlen(prefix);
    if (*one->d_name == '.' || strncmp(one->d_name, prefix, strlen(prefix)) != 0 || strchr(rest, '|') != NULL) continue;
    if (faccessat(fd, rest, F_OK, AT_SYMLINK_NOFOLLOW) == 0) continue;
    if (unlinkat(dirfd(names), one->d_name, 0) != 0) fail("forget", one->d_name);
  }
  closedir(names);
  DIR *live = fdopendir(openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (live == NULL) fail("list", name);
  for (struct dirent *one; (one = readdir(live)) != NULL;) {
    if (one->d_type != DT_REG) continue;
    identify(dirfd(live), one->d_name, AT_SYMLINK_NOFOLLOW, id, sizeof id);
    snprintf(path, sizeof path, "%s%s%s", name, *name == '\0' ? "" : "/", one->d_name);
    put_name(disk, path, id);
  }
  closedir(live);
}

// True where it is one of ours to watch.
static int watched(int fd) {
  const char *root = getenv("POWER_LOSS_ROOT"), *disk = getenv("POWER_LOSS_DISK");
  char self[64], path[PATH_MAX];
  struct stat found;
  if (root == NULL || disk == NULL || fstat(fd, &found) != 0) return 0;
  snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(self, path, sizeof path - 1);
  size_t skip = strlen(root);
  if (length < 0) return 0;
  path[length] = '\0';
  if (strncmp(path, root, skip) != 0 || (path[skip] != '/' && path[skip] != '\0')) return 0;
  const char *name = path[skip] == '/' ? path + skip + 1 : path + skip;
  pthread_mutex_lock(&turn);
  if (S_ISREG(found.st_mode)) sync_file(fd, disk, name);
  else if (S_ISDIR(found.st_mode)) sync_folder(fd, disk, name);
  pthread_mutex_unlock(&turn);
  return 1;
}

int fsync(int fd) {
  return watched(fd) ? 0 : ((int (*)(int))dlsym(RTLD_NEXT, "fsync"))(fd);
}

int fdatasync(int fd) {
  return watched(fd) ? 0 : ((int (*)(int))dlsym(RTLD_NEXT, "fdatasync"))(fd);
}
