import { defaultLanguage, type Language, languages } from '#contract/codes.ts'

/** `npm run test:full` sets FULL=1 and tries far more cases. */
export const isFullRun = process.env['FULL'] === '1'

/** Languages of the tests that differ by language only: the default one in the daily run, all in the full run. */
export const testedLanguages: readonly Language[] = isFullRun ? languages : [defaultLanguage]
