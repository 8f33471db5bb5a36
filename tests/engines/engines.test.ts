import { afterAll, describe, it } from 'vitest'
import { engines } from './engine-list.ts'
import { openEngineFixture } from './engine-fixture.ts'
import { createReport } from './report.ts'

// `npm run test:engines` runs the whole journey in every supported engine (docs/browsers.md).
const chosen = process.env['ENGINES']?.split(',')
const engineFixture = openEngineFixture({ fetch: true })
const report = createReport()
afterAll(() => report.print())

describe('the whole journey over TLS (D66)', () => {
  it.each(engines.filter(({ name }) => chosen?.some(part => name.includes(part)) ?? true))(
    'reaches the drawn receipt in $name',
    async engine => {
      const outcome = await engineFixture.runJourney(engine, 'whole')
      report.add(outcome)
      outcome.rethrow()
    },
  )
})
