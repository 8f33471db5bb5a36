import { type Beneficiary, toBeneficiary } from '#contract/beneficiary.ts'
import type { Drafts } from './drafts.ts'
import type { Responses } from './responses.ts'

/** Whom each application is for, as the applicant has said on this device (LST14). @throws StorageFault */
export type Beneficiaries = {
  /** Undefined when this device does not know it. */
  read(applicationId: string): Promise<Beneficiary | undefined>
  /** An answer that this device already has for the application stays. */
  save(applicationId: string, beneficiary: Beneficiary): Promise<void>
}

type Parts = { responses: Pick<Responses, 'read' | 'write'>; drafts: Pick<Drafts, 'moves'> }

export function createBeneficiaries({ responses, drafts }: Parts): Beneficiaries {
  /** The answer may have been saved under the local id with which the application began (D33). */
  async function read(applicationId: string): Promise<Beneficiary | undefined> {
    const moved = [...((await drafts.moves()) ?? [])].filter(([, id]) => id === applicationId)
    for (const id of [applicationId, ...moved.map(([localId]) => localId)]) {
      const found = toBeneficiary(await responses.read(rowNameOf(id)))
      if (found) return found
    }
    return undefined
  }

  return {
    read,
    async save(applicationId, beneficiary) {
      if ((await read(applicationId)) === undefined)
        await responses.write(rowNameOf(applicationId), beneficiary)
    },
  }
}

function rowNameOf(applicationId: string): string {
  return `for ${applicationId}`
}
