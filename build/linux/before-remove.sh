#!/bin/sh
# Run by dpkg ("remove") and rpm (0) before the files go; not for an update.
set -e

case "$1" in
remove | 0)
  cat <<'NOTE'
Your secrets, policies and log stay where they are: in your keychain and in ~/.local/share/countersign.
If Countersign is still running, quit it from its tray icon; log out and in where there is none.
AI clients keep their entry for Countersign. To have it taken out of their files, install it again and run:
  countersign clients remove --all
NOTE
  ;;
esac
