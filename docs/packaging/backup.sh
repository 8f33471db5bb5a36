#!/bin/sh
# Writes a dump into a folder, checks that it can be read, and deletes dumps older than KEEP_DAYS days (14 by default).
# Usage: backup.sh FOLDER, with the database in PGHOST, PGDATABASE, PGUSER and PGPASSWORD: other users of the machine
# can read the arguments of a program, but not its environment.
set -eu
umask 077
folder=${1:?the folder of the dumps}
keep_days=${KEEP_DAYS:-14}
: "${PGDATABASE:?must be set}"

name="portal-$(date -u +%Y%m%dT%H%M%SZ).dump"
unfinished="$folder/$name.unfinished"
trap 'rm -f "$unfinished"' EXIT
pg_dump --format=custom --file="$unfinished"
# A dump without the table of the applications is no backup.
pg_restore --list "$unfinished" | grep -q 'TABLE DATA public application '
sync "$unfinished"
mv "$unfinished" "$folder/$name"
find "$folder" -name 'portal-*.dump' -mtime "+$keep_days" -delete
echo "$folder/$name"
