import { afterAll, describe, it } from 'vitest'
import { engines } from './engine-list.ts'
import { openEngineDesk } from './engine-fixture.ts'
import { createReport } from './report.ts'

// `npm run test:engines` runs the whole journey in every supported engine (docs/browsers.md).
const chosen = process.env['ENGINES']?.split(',')
const desk = openEngineDesk({ fetch: true })
const report = createReport()
afterAll(() => report.print())

describe('the whole journey over TLS (D66)', () => {
  it.each(engines.filter(({ name }) => chosen?.some(part => name.includes(part)) ?? true))(
    'reaches the drawn receipt in $name',
    async engine => {
      const outcome = await desk.walk(engine, 'whole')
      report.add(outcome)
      outcome.rethrow()
    },
  )
})
