import type { Outcome } from '../../engines/engine-fixture.ts'

/** The major version of the old phone's Chromium. */
export const oldVersion = 106

/** Only a whole journey in this Chromium can be compared with the last report. */
export function mayReplaceReport({ version, steps }: Pick<Outcome, 'version' | 'steps'>): boolean {
  const isWhole = steps.length > 0 && steps.every(({ result }) => result === 'green')
  return isWhole && version.includes(`/${oldVersion}.`)
}
