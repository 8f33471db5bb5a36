#!/bin/sh
# Writes a dump into a folder and checks that it can be read. Run it once a night: it deletes each dump that could become
# older than KEEP_DAYS days (14 by default, at least 2) before the next run, so it keeps one dump fewer than KEEP_DAYS. A
# run that fails deletes nothing.
# Usage: backup.sh FOLDER, with the database in PGHOST, PGDATABASE, PGUSER and PGPASSWORD: other users of the machine
# can read the arguments of a program, but not its environment.
set -eu
umask 077
folder=${1:?the folder of the dumps}
keep_days=${KEEP_DAYS:-14}
case $keep_days in
  '' | *[!0-9]* | 0* | 1) echo 'KEEP_DAYS must be a number, 2 or more, without a zero in front.' >&2; exit 1 ;;
esac
# The next run is in a day. Half a day more, because a run may be early or late.
delete_after_minutes=$((keep_days * 1440 - 2160))
: "${PGDATABASE:?must be set}"

name="portal-$(date -u +%Y%m%dT%H%M%SZ).dump"
unfinished="$folder/$name.unfinished"
trap 'rm -f "$unfinished"' EXIT
pg_dump --format=custom --file="$unfinished"
# A dump without the table of the applications is no backup.
pg_restore --list "$unfinished" | grep -q 'TABLE DATA public application ' || {
  echo "The dump of $PGDATABASE has no table of applications, so it was deleted. Is PGDATABASE the database of the portal?" >&2
  exit 1
}
sync "$unfinished"
mv "$unfinished" "$folder/$name"
find "$folder" -name 'portal-*.dump' -mmin "+$delete_after_minutes" -delete
echo "$folder/$name"
