import { play } from './play.ts'
import type { Step, Story } from './story.ts'
import { answerFields } from './story-names.ts'

/** The play of a story takes about a quarter of a second, and `shrink` must end before the time-out of the test. */
const maxPlays = 250

/**
 * Returns a shorter story that still fails, by delta debugging (ddmin): leaves out ever smaller parts of it, then
 * shortens the pauses. Every story that it tries is played from its beginning. Returns a story that does not fail as it is.
 */
export async function shrink(story: Story): Promise<Story> {
  const kind = kindOf((await play(story)).fault)
  if (kind === undefined) return story
  let plays = 0
  const fails = async (steps: Step[]) => {
    plays += 1
    return plays <= maxPlays && kindOf((await play({ ...story, steps })).fault) === kind
  }
  let { steps } = story
  let parts = 2
  while (steps.length > 1) {
    const shorter = await leaveOutOne(steps, parts, fails)
    if (shorter) {
      steps = shorter
      parts = Math.max(2, parts - 1)
    } else if (parts >= steps.length) break
    else parts = Math.min(steps.length, parts * 2)
  }
  return { ...story, steps: await shortenPauses(steps, fails) }
}

/** Leaves out names of fields and words that have a digit: faults that differ only in these are of one kind. */
function kindOf(fault: string | undefined): string | undefined {
  return fault?.replace(/\S*\d\S*/g, '').replaceAll(fieldPattern, '')
}

const fieldPattern = new RegExp(answerFields.join('|'), 'g')

type Fails = (steps: Step[]) => Promise<boolean>

/** Undefined when every part is needed, or after `maxPlays`. */
async function leaveOutOne(steps: Step[], parts: number, fails: Fails): Promise<Step[] | undefined> {
  const size = Math.ceil(steps.length / parts)
  for (let from = 0; from < steps.length; from += size) {
    const rest = [...steps.slice(0, from), ...steps.slice(from + size)]
    if (await fails(rest)) return rest
  }
  return undefined
}

const shortPausesMs = [10, 200, 3_000]

async function shortenPauses(steps: Step[], fails: Fails): Promise<Step[]> {
  let found = steps
  for (const [index, step] of steps.entries()) {
    if (step.kind !== 'wait') continue
    for (const ms of shortPausesMs.filter(each => each < step.ms)) {
      const shorter = found.with(index, { kind: 'wait', ms })
      if (!(await fails(shorter))) continue
      found = shorter
      break
    }
  }
  return found
}
