import { textsOf } from '#support/data/texts.ts'
import type { Visitor } from '../../engines/visitor.ts'
import type { Memory, OldPhone } from './old-phone.ts'

export const keysPerPoint = 200
/** As many as a person types in ten minutes. */
export const keysOfTenMinutes = 1_200
const allKeys = 6_000
const fields = ['surname', 'givenName', 'resAddressStreet'] as const
/** 20 keys each. */
const texts = ['NGO BASSOMB MAKEBADI', 'EYENGA NDONGO ATEBAS', 'BIDOUNG MKPATT NLEND', 'TCHAMBA MBALLA OWONO']

export type TypedPoint = Memory & { keys: number }

/**
 * Types into the fields of the open tab, each time over the text before. Measures memory every 200 keys, when
 * everything is saved.
 */
export async function measureTyping(visitor: Visitor, phone: OldPhone): Promise<TypedPoint[]> {
  const points: TypedPoint[] = []
  let keys = 0
  for (let round = 0; keys < allKeys; round += 1) {
    const field = fields[round % fields.length] ?? fields[0]
    const text = texts[round % texts.length] ?? ''
    await visitor.write({ name: field }, text)
    keys += text.length
    if (keys % keysPerPoint !== 0) continue
    await visitor.sees(textsOf('fr')('form.onServer'))
    points.push({ keys, ...(await phone.readMemory()) })
  }
  return points
}
