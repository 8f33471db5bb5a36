import { afterAll, describe, it } from 'vitest'
import { engines } from './engine-list.ts'
import { openEngineFixture } from './engine-fixture.ts'
import { createReport } from './report.ts'

// `npm run test:engines` runs the whole journey in every supported engine (docs/browsers.md).
const chosen = process.env['ENGINES']?.split(',')
const engineFixture = openEngineFixture({ mayInstall: true })
const report = createReport()
const httpReport = createReport()
const tested = engines.filter(({ name }) => chosen?.some(part => name.includes(part)) ?? true)
afterAll(() => {
  report.print()
  httpReport.print()
})

describe('the whole journey over TLS (D66)', () => {
  it.for(tested)('draws the receipt, also without a connection, in $name', async (engine, { skip }) => {
    const outcome = await engineFixture.runJourney(engine, 'whole')
    report.add(outcome)
    if (outcome.whyNotRun !== undefined) skip(outcome.whyNotRun)
    outcome.rethrow()
  })
})

// Only the demo at http://localhost has cookies without `Secure`, because some engines refuse `Secure` cookies there.
describe('the demo at http://localhost (D65)', () => {
  it.for(tested)('signs in and fills in one tab in $name', async (engine, { skip }) => {
    const outcome = await engineFixture.runAtHttpLocalhost(engine)
    httpReport.add(outcome)
    if (outcome.whyNotRun !== undefined) skip(outcome.whyNotRun)
    outcome.rethrow()
  })
})
