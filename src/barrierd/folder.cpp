// SPDX-License-Identifier: MIT
#include "folder.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>
#include <string_view>
#include <utility>

#include "daemon/waker.hpp"
#include "failure.hpp"

namespace barrierd {
namespace {

/// How a mount of ours is recognised in /proc/self/mountinfo.
constexpr const char* mount_source = "fencepost";

bool on_bpf(const std::string& path) {
  struct statfs system {};
  return ::statfs(path.c_str(), &system) == 0 &&
         static_cast<unsigned long>(system.f_type) == 0xcafe4a11;
}

void make_folder(const std::string& path, mode_t mode) {
  if (::mkdir(path.c_str(), mode) == 0) {
    // Whatever the umask took away.
    if (::chmod(path.c_str(), mode) != 0) throw failure_of("chmod " + path, errno);
  } else if (errno != EEXIST) {
    throw failure_of("cannot make the folder " + path, errno);
  }
}

/// The names in a folder, but for those of itself and its parent.
std::vector<std::string> names_in(const std::string& path) {
  std::vector<std::string> names;
  DIR* const all = ::opendir(path.c_str());
  if (all == nullptr) return names;
  while (const dirent* one = ::readdir(all)) {
    const std::string name = one->d_name;
    if (name != "." && name != "..") names.push_back(name);
  }
  ::closedir(all);
  return names;
}

/// Closed when it is no longer needed.
struct descriptor {
  explicit descriptor(int opened) : number(opened) {}
  ~descriptor() {
    if (number >= 0) ::close(number);
  }
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;

  const int number;
};

/// Two that start at once must not mount over each other: the second finds what the first did. The
/// lock is of a file in the folder beneath that nobody else can open: anybody could hold up who
/// mounts by a lock of the folder itself.
class mount_lock {
 public:
  static constexpr const char* name = ".fencepost-mount";

  mount_lock(const std::string& path, int folder) : folder_(folder) {
    const std::string where = path + "/" + name;
    for (int tries = 0; !take(where); ++tries) {
      if (tries == 1000) throw failure("another fencepost-barrierd keeps " + where + " locked");
      const timespec pause{0, 10'000'000};
      ::nanosleep(&pause, nullptr);
    }
  }
  ~mount_lock() {
    // While it is locked: who had opened it before sees that it is gone, and makes another one.
    ::unlinkat(folder_, name, 0);
    ::close(file_);
  }
  mount_lock(const mount_lock&) = delete;
  mount_lock& operator=(const mount_lock&) = delete;

 private:
  bool take(const std::string& where) {
    file_ = ::openat(folder_, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    if (file_ < 0) throw failure_of("cannot make " + where, errno);
    struct stat about {};
    const bool is_ours = ::fstat(file_, &about) == 0 && about.st_uid == ::geteuid();
    if (is_ours && ::flock(file_, LOCK_EX | LOCK_NB) == 0 && ::fstat(file_, &about) == 0 &&
        about.st_nlink != 0) {
      return true;
    }
    ::close(file_);
    if (!is_ours) throw failure(where + " belongs to another user: remove it");
    return false;
  }

  const int folder_;
  int file_ = -1;
};

/// Says whether it was not there before.
bool mount_at(const std::string& path) {
  const descriptor beneath(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (beneath.number < 0) throw failure_of("cannot open " + path, errno);
  const mount_lock lock(path, beneath.number);
  if (on_bpf(path)) return false;
  if (names_in(path) != std::vector<std::string>{mount_lock::name}) {
    throw failure(path +
                  " is not empty, and what is in it would be hidden: --mount takes a folder " +
                  "of its own");
  }
  if (::mount(mount_source, path.c_str(), "bpf", MS_NOSUID | MS_NODEV | MS_NOEXEC, "mode=0755") !=
      0) {
    throw failure_of("cannot mount a BPF file system at " + path +
                         " (this needs CAP_SYS_ADMIN, and a kernel with BPF)",
                     errno);
  }
  return true;
}

/// As mountinfo writes a path: blanks and the like as a backslash and three octal digits.
std::string as_listed(const std::string& path) {
  std::string text;
  for (const char c : path) {
    if (c == ' ' || c == '\t' || c == '\n' || c == '\\') {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\%03o", static_cast<unsigned>(c));
      text += escaped;
    } else {
      text += c;
    }
  }
  return text;
}

void remove(const std::string& path) {
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) {
    throw failure_of("cannot remove " + path, errno);
  }
}

}  // namespace

folder::folder(std::string path, bool create, bool mount)
    : path_(std::move(path)), private_(path_ + "/private") {
  if (create && (mount || on_bpf(path_.substr(0, std::max<std::size_t>(path_.rfind('/'), 1))))) {
    make_folder(path_, 0755);
  }
  if (create && mount && !on_bpf(path_)) is_to_be_unmounted_ = mount_at(path_);
  if (!on_bpf(path_)) {
    struct stat there {};
    const bool exists = ::stat(path_.c_str(), &there) == 0;
    throw failure(path_ + (exists ? " is not on a BPF file system." : " does not exist.") +
                  (create ? " As root, start with --mount, or: mkdir -p " + path_ +
                                " && mount -t bpf -o mode=0755 bpf " + path_
                          : " No clock was started there (--directory names another place)"));
  }
  if (create) make_folder(private_, 0700);
  descriptor_ = ::open(private_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor_ < 0 && create) {
    throw failure_of("cannot open " + private_ + " (a clock of another user? End it as that user)",
                     errno);
  }
}

folder::~folder() {
  try {
    // Another daemon may have come to it and be first at the lock: it is that one's then.
    if (is_to_be_unmounted_ && lock()) unmount();
  } catch (const failure&) {
    // Why there is no clock is what is told.
  }
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool folder::lock() {
  if (descriptor_ < 0 && ::access(private_.c_str(), F_OK) != 0 && errno == ENOENT) {
    throw failure("No clock was started at " + path_ + " (--directory names another place)");
  }
  if (descriptor_ < 0) throw failure("cannot open " + private_ + ": it belongs to another user");
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) == 0) return true;
  if (errno == EWOULDBLOCK) return false;
  throw failure_of("cannot lock " + private_, errno);
}

void folder::pin(const std::string& path, unsigned mode,
                 const std::function<int(const char*)>& make) {
  const std::string first = path + "_new";
  remove(first);
  if (const int error = make(first.c_str()); error != 0) {
    throw failure_of("cannot pin " + path, -error);
  }
  if (::chmod(first.c_str(), mode) != 0) throw failure_of("chmod " + first, errno);
  if (::rename(first.c_str(), path.c_str()) != 0) throw failure_of("rename to " + path, errno);
}

std::vector<std::string> folder::pinned(const std::string& beginning) const {
  std::vector<std::string> names;
  for (const std::string& name : names_in(private_)) {
    if (name.starts_with(beginning)) names.push_back(name.substr(beginning.size()));
  }
  std::sort(names.begin(), names.end());
  return names;
}

void folder::remove_all_but(const std::vector<std::string>& programs,
                            const std::vector<std::string>& links) {
  const auto is_in = [](const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  for (const std::string& name : pinned("link_")) {
    if (!is_in(links, name)) remove(link(name));
  }
  for (const std::string& name : pinned("program_")) {
    if (!is_in(programs, name)) remove(program(name));
  }
}

void folder::lead_to_wakeups(const std::string& file) {
  char before[PATH_MAX];
  const ssize_t length = ::readlink(wakeups().c_str(), before, sizeof before);
  if (length > 0) {
    remove(wakeups());
    // Of a daemon that was killed, or our own; no other file, whoever made the link.
    const std::string old(before, static_cast<std::size_t>(length));
    const std::string_view prefix = waker::file_prefix;
    if (old.starts_with(prefix) && old.find('/', prefix.size()) == old.npos) ::unlink(old.c_str());
  }
  if (!file.empty() && ::symlink(file.c_str(), wakeups().c_str()) != 0) {
    throw failure_of("cannot make " + wakeups(), errno);
  }
}

bool folder::leads_to_wakeups() const { return ::access(wakeups().c_str(), F_OK) == 0; }

void folder::remove_all() {
  // The map first: who finds it may believe that it is written to.
  remove(clock());
  remove(clock() + "_new");
  remove(waiters());
  remove(waiters() + "_new");
  lead_to_wakeups("");
  remove_all_but({}, {});
}

void folder::unmount() {
  // As it was mounted: without the links on the way.
  const std::unique_ptr<char, void (*)(void*)> real(::realpath(path_.c_str(), nullptr), std::free);
  if (real == nullptr) return;
  const std::string mounted = real.get();
  std::ifstream mounts("/proc/self/mountinfo");
  for (std::string line; std::getline(mounts, line);) {
    // number, parent, device, root, place, ..., -, type, source
    std::istringstream words(line);
    std::string word, place, type, source;
    for (int i = 0; i < 5; ++i) words >> place;
    while (words >> word && word != "-") continue;
    words >> type >> source;
    if (place != as_listed(mounted) || type != "bpf" || source != mount_source) continue;
    if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
    // Whoever has it open yet, another --stop perhaps, does not keep its place.
    if (::umount2(mounted.c_str(), UMOUNT_NOFOLLOW | MNT_DETACH) != 0 && errno != EPERM) {
      throw failure_of("cannot unmount " + path_, errno);
    }
    ::rmdir(mounted.c_str());
    return;
  }
}

}  // namespace barrierd
