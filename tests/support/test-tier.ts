import { defaultLanguage, type Language, languages } from '#contract/codes.ts'

/** `npm run test:full` sets FULL=1 and tries far more cases. */
export const isFullRun = process.env['FULL'] === '1'

/** Languages of the tests that differ by language only: the default one in the daily run, all in the full run. */
export const testedLanguages: readonly Language[] = isFullRun ? languages : [defaultLanguage]

/**
 * Database engines of the tests that differ by the engine only: PostgreSQL in the daily run, both in the full run. Each call
 * costs three times the CPU on PGlite, and calls at once run one after the other there. What PGlite does differently has its
 * own daily tests: whole journeys (journey.test.ts), twenty calls at once (payments/contention.test.ts), held requests, texts,
 * migrations and the driver.
 */
export const testedEngines = isFullRun ? (['pglite', 'postgresql'] as const) : (['postgresql'] as const)
