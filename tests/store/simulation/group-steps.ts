import type { RandomSource } from '#support/random-source.ts'
import type { Step } from './story.ts'
import { type GroupField, groupFields, type TabName, tabNames } from './story-names.ts'

/** From this seed on, the applicant also types single fields of a date, of a place and of a phone number. */
export const firstGroupSeed = 80_000_000

/** Returns no step in most turns: then the turn has an act of the stories of smaller seeds. */
export function writeGroupActs(chance: RandomSource, turn: number): Step[] {
  const tab = chance.pick(tabNames)
  const other = chance.pick(tabNames)
  // Two tabs or phones type in one group, often before one has seen what the other typed.
  const fields = chance.pick(groupFields)
  const first = typePart(tab, chance.pick(fields), turn)
  const second = typePart(other, chance.pick(fields), turn + 100)
  const wait: Step = { kind: 'wait', ms: chance.below(chance.pick([400, 400, 4_000, 12_000])) }
  switch (chance.below(8)) {
    case 0:
      return [first]
    case 1:
      return [first, wait, second]
    case 2:
      return [first, wait, second, wait, typePart(tab, chance.pick(fields), turn + 200)]
    default:
      return []
  }
}

function typePart(tab: TabName, field: GroupField, turn: number): Step {
  return { kind: 'type part', tab, field, value: valueOf(tab, field, turn) }
}

/**
 * Each value is typed once in a story, and passes the checks that the server makes of incomplete forms. A phone number
 * of Ada begins with 6, one of Ben with 9 (`ownedValue`), and no dial code of the same applicant does: from the start
 * of a number the form may remove the dial code.
 */
function valueOf(tab: TabName, field: GroupField, turn: number): string {
  if (field === 'dialCode') return String(200 + turn)
  if (field === 'phoneNumber') return `6${['A1', 'A2', 'A3', 'B1'].indexOf(tab)}${turn}0000`
  return `${tab}-p${turn}`
}
