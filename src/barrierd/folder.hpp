// SPDX-License-Identifier: MIT
//
// Where a clock is pinned: a folder on a BPF file system.
//
//     DIRECTORY/interrupt_clock       the map, which everybody may open: it is frozen
//     DIRECTORY/waiters               a map that everybody may write: who sleeps says so there
//     DIRECTORY/wakeups               leads to the file with the words on which they sleep, which
//                                     the daemon alone may write; without a daemon, to none
//     DIRECTORY/private/              for the daemon's user alone; a daemon that runs holds its
//     lock DIRECTORY/private/program_NAME  the programs, whose cost the kernel counts
//     DIRECTORY/private/link_NAME     what keeps them attached, with --once
//
// The map's mode is 0666, for the kernel maps memory of maps only for who may open them for writing
// as well. That nobody can write is up to freezing, not to the mode.
//
// Everything is pinned under another name and then renamed: who looks finds the old clock or the
// new one, and both are alive at that moment.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace barrierd {

class folder {
 public:
  /// Opens it; throws a failure that says what to do if it is not there or not on a BPF file
  /// system. `create`: makes what is missing; `mount`: a BPF file system, too.
  folder(std::string path, bool create, bool mount);
  ~folder();
  folder(const folder&) = delete;
  folder& operator=(const folder&) = delete;

  /// True: nobody else has it now, nor will until this process ends.
  bool lock();

  std::string clock() const { return path_ + "/interrupt_clock"; }
  std::string waiters() const { return path_ + "/waiters"; }
  std::string wakeups() const { return path_ + "/wakeups"; }
  std::string program(const std::string& name) const { return private_ + "/program_" + name; }
  std::string link(const std::string& name) const { return private_ + "/link_" + name; }

  /// Has `make` pin something under a name of its own, sets the mode, and moves it to `path`.
  static void pin(const std::string& path, unsigned mode,
                  const std::function<int(const char*)>& make);

  /// Names in the private folder that begin so, without that beginning.
  std::vector<std::string> pinned(const std::string& beginning) const;

  /// Has DIRECTORY/wakeups lead to that file; an empty name: to none. The one before is removed.
  void lead_to_wakeups(const std::string& file);
  /// Whether it leads to one, so that who sleeps is woken.
  bool leads_to_wakeups() const;

  /// Removes programs and links that are pinned there but the named ones; throws if something
  /// stays.
  void remove_all_but(const std::vector<std::string>& programs,
                      const std::vector<std::string>& links);
  /// Removes everything.
  void remove_all();

  /// Removes the mount if it is one that `mount` made, here or in another process.
  void unmount();
  /// There is a clock in it, so that what was mounted here stays.
  void keep() { is_to_be_unmounted_ = false; }

 private:
  std::string path_;
  std::string private_;
  int descriptor_ = -1;
  bool is_to_be_unmounted_ = false;
};

}  // namespace barrierd
