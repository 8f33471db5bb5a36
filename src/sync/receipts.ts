import type { Call } from '#api/client.ts'
import type { Language } from '#contract/codes.ts'
import type { ApplicationId } from '#contract/ids.ts'
import type { Session } from '#session/session.ts'
import type { Store } from '#store/store.ts'
import type { Line } from './line.ts'

export type Receipts = {
  /** The receipt: from the server, and kept here from then on; without the line as it was kept (FIN03, D37). */
  obtain(receipt: Wanted): Promise<Blob | undefined>
}

type Wanted = {
  appId: ApplicationId
  language: Language
  /** Nobody waits for it. */
  background?: boolean
}

type Parts = {
  call: Call
  line: Pick<Line, 'isDown'>
  session: Pick<Session, 'token'>
  openStore: () => Promise<Pick<Store, 'lastSeen'>>
}

export function createReceipts({ call, line, session, ...parts }: Parts): Receipts {
  return {
    async obtain({ appId, language, background }) {
      const alone = line.isDown() || session.token() === undefined
      const early = alone ? await recall(appId) : undefined
      if (early) return early
      const asked = { params: { id: appId }, query: { lg: language } }
      const receipt = await call('getPdf', asked, { background })
      if (!receipt.ok) return line.isDown() ? recall(appId) : undefined
      await keep(appId, receipt.value)
      return receipt.value
    },
  }

  async function keep(appId: ApplicationId, file: Blob) {
    try {
      await (await parts.openStore()).lastSeen.keepFile(nameOf(appId), file)
    } catch {
      // A device without room keeps none: the applicant has the file all the same.
    }
  }

  async function recall(appId: ApplicationId): Promise<Blob | undefined> {
    try {
      return await (await parts.openStore()).lastSeen.recallFile(nameOf(appId))
    } catch {
      return undefined // a device that cannot be read has kept none
    }
  }
}

function nameOf(appId: ApplicationId): string {
  return `receipt ${appId}`
}
