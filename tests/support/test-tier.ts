import { defaultLanguage, type Language, languages } from '#contract/codes.ts'

/** `npm run test:full` looks at far more cases than a person waits for. */
export const isFullRun = process.env['FULL'] === '1'

/** Walks whose words alone differ by language: every day in the default one, in both in the long run. */
export const testedLanguages: readonly Language[] = isFullRun ? languages : [defaultLanguage]
