let phones = 0

/** Returns an unused phone number, because a retried test needs an account without an application. */
export function freshPhone(): string {
  phones += 1
  return String(678_800_000 + phones)
}
