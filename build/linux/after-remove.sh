#!/bin/sh
# Run by dpkg ("remove", "purge") and rpm (0) once the files are gone; not for an update. Purging takes no more than removing:
# what is left is in people's homes, and theirs.
set -e

case "$1" in
remove | purge | 0)
  if [ -L /usr/bin/countersign ] && [ ! -e /usr/bin/countersign ]; then
    rm -f /usr/bin/countersign
  fi
  profile=/etc/apparmor.d/countersign
  if [ -f "$profile" ]; then
    ischroot 2>/dev/null || apparmor_parser --remove "$profile" 2>/dev/null || true
    rm -f "$profile"
  fi
  if command -v update-desktop-database >/dev/null; then
    update-desktop-database -q /usr/share/applications || true
  fi
  ;;
esac
