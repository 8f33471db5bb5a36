import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, it } from 'vitest'
import { type EngineParts, openEngineFixture } from '../../engines/engine-fixture.ts'
import { createJourney } from '../../engines/journey.ts'
import type { Visitor } from '../../engines/visitor.ts'
import { createOldPhone } from './old-phone.ts'
import { describePhone } from './phone-report.ts'
import { measureRests } from './rest.ts'
import { measureTyping } from './typing.ts'

const file = fileURLToPath(new URL('../../../docs/bench-phone.md', import.meta.url))
const engineFixture = openEngineFixture({ fetch: false })

/** Writes a report and asserts nothing. */
describe('the form on an old phone', () => {
  it('writes docs/bench-phone.md', { timeout: 3_600_000 }, async () => {
    const watched = createOldPhone({ watches: true })
    const rests = await inForm(watched.engine, (visitor, { proxy }) =>
      measureRests({ visitor, proxy, phone: watched }),
    )
    const phone = createOldPhone({ watches: false })
    const points = await inForm(phone.engine, visitor => measureTyping(visitor, phone))
    const journey = await engineFixture.runJourney(phone.engine, 'whole')
    const report = describePhone({ version: journey.version, journey, points, rests })
    process.stdout.write(`\n${report}\n`)
    writeFileSync(file, `${report}\n`)
  })
})

/** Signs in, fills in the first tab and opens the second one. */
async function inForm<Result>(
  engine: ReturnType<typeof createOldPhone>['engine'],
  measure: (visitor: Visitor, parts: EngineParts) => Promise<Result>,
): Promise<Result> {
  let result: { value: Result } | undefined
  const absent = await engineFixture.runOnProfile(engine, async parts => {
    const journey = createJourney({ ...parts, origin: parts.proxy.origin })
    for (const step of journey.start) await step.run()
    result = { value: await measure(journey.visitor(), parts) }
  })
  if (!result) throw new Error(absent)
  return result.value
}
