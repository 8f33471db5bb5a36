/**
 * Returns the environment variables for the process of a browser: those of the test without libfaketime. The clock of a
 * phone may differ from the server's (D23), and a browser under libfaketime is too slow to test.
 */
export function browserEnvironment(): Record<string, string> {
  const { LD_PRELOAD, ...others } = process.env
  const variables = LD_PRELOAD?.includes('faketime') ? others : process.env
  return Object.fromEntries(
    Object.entries(variables).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}
