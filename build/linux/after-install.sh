#!/bin/sh
# Run by dpkg and rpm once the files are there. It touches nothing in anybody's home.
set -e

app=/opt/Countersign

# The command line and bridge, not the desktop app: AI clients and people start it by this name.
ln -sf "$app/resources/bin/countersign" /usr/bin/countersign

# Chromium's sandbox needs user namespaces, or else a helper that belongs to root.
# Some kernels keep those from everybody but root, who is running this.
allowed=$(cat /proc/sys/kernel/unprivileged_userns_clone 2>/dev/null || echo 1)
if [ "$allowed" = 1 ] && unshare --user true 2>/dev/null; then
  chmod 0755 "$app/chrome-sandbox"
else
  chmod 4755 "$app/chrome-sandbox"
fi

# Where AppArmor keeps user namespaces from programs that it does not know (Ubuntu from 24.04 on), it is told about this one.
profile=/etc/apparmor.d/countersign
if [ -f "$app/resources/apparmor-profile" ] && apparmor_status --enabled >/dev/null 2>&1 &&
  apparmor_parser --skip-kernel-load --debug "$app/resources/apparmor-profile" >/dev/null 2>&1; then
  cp -f "$app/resources/apparmor-profile" "$profile"
  ischroot 2>/dev/null || apparmor_parser --replace --write-cache --skip-read-cache "$profile" || true
fi

if command -v update-desktop-database >/dev/null; then
  update-desktop-database -q /usr/share/applications || true
fi
if command -v gtk-update-icon-cache >/dev/null; then
  gtk-update-icon-cache -q -t -f /usr/share/icons/hicolor || true
fi
