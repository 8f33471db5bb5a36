import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, it } from 'vitest'
import { type EngineParts, openEngineFixture } from '../../engines/engine-fixture.ts'
import { createJourney } from '../../engines/journey.ts'
import type { Visitor } from '../../engines/visitor.ts'
import { createOldPhone, type OldPhone } from './old-phone.ts'
import { describePhone } from './phone-report.ts'
import { mayReplaceReport } from './report-rule.ts'
import { measureRests } from './rest.ts'
import { measureTyping, type TypedPoint } from './typing.ts'

const file = fileURLToPath(new URL('../../../docs/bench-phone.md', import.meta.url))
const engineFixture = openEngineFixture({ mayInstall: false })

/**
 * Prints a report about the page at rest (without input), about typing and about a whole journey. Writes the report
 * only when it can be compared with the last one, and asserts nothing.
 */
describe('the form on an old phone', () => {
  it('writes docs/bench-phone.md after a whole journey in Chromium 106', { timeout: 3_600_000 }, async () => {
    const phone = createOldPhone({ recordsActivity: true })
    const rests = await inForm(phone.engine, (visitor, { proxy }) => measureRests({ visitor, proxy, phone }))
    const points = await typeIn(createOldPhone({}))
    const interpreted = await typeIn(createOldPhone({ compiles: false }))
    const journey = await engineFixture.runJourney(createOldPhone({}).engine, 'whole')
    const report = describePhone({ version: journey.version, journey, points, interpreted, rests })
    process.stdout.write(`\n${report}\n`)
    if (mayReplaceReport(journey)) writeFileSync(file, `${report}\n`)
    else
      process.stdout.write(
        'Another browser, or a stopped journey: docs/bench-phone.md keeps the older report.\n',
      )
  })
})

function typeIn(phone: OldPhone): Promise<TypedPoint[]> {
  return inForm(phone.engine, visitor => measureTyping(visitor, phone))
}

/** Signs in, fills in the first tab of the form and opens the second one. */
async function inForm<Result>(
  engine: OldPhone['engine'],
  measure: (visitor: Visitor, parts: EngineParts) => Promise<Result>,
): Promise<Result> {
  let result: { value: Result } | undefined
  const whyNotRun = await engineFixture.runOnProfile(engine, async parts => {
    const journey = createJourney({ ...parts, origin: parts.proxy.origin })
    for (const step of journey.shortest) await step.run()
    result = { value: await measure(journey.visitor(), parts) }
  })
  if (!result) throw new Error(whyNotRun)
  return result.value
}
