let phones = 0

/** The phone number of a new applicant: a test that is retried needs an account without an application. */
export function freshPhone(): string {
  phones += 1
  return String(678_800_000 + phones)
}
