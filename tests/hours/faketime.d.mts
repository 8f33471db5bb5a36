/** Returns the path of libfaketime for programs with threads, or undefined. Installs Debian's package if it may. */
export function findFaketime(): string | undefined
