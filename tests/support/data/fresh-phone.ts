let phones = 0

/**
 * Returns a phone number that this process has not used, because a retried test needs an account without an application.
 * Other processes return the same numbers, so only one file may use them on the shared portal.
 */
export function freshPhone(): string {
  phones += 1
  return String(678_800_000 + phones)
}
