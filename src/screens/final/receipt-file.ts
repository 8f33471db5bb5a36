import type { Language } from '#contract/codes.ts'
import type { ApplicationId } from '#contract/ids.ts'
import type { Services } from '#portal/services.ts'

type Wanted = { appId: ApplicationId; language: Language }

/** The receipt: from the server, and kept here from then on; without the line as it was kept (FIN03, D37). */
export async function obtainReceipt(services: Services, wanted: Wanted): Promise<Blob | undefined> {
  const { call, line, session } = services
  const alone = line.isDown() || session.token() === undefined
  const early = alone ? await recallReceipt(services, wanted.appId) : undefined
  if (early) return early
  const { appId, language } = wanted
  const receipt = await call('getPdf', { params: { id: appId }, query: { lg: language } })
  if (!receipt.ok) return line.isDown() ? recallReceipt(services, appId) : undefined
  await keepReceipt(services, appId, receipt.value)
  return receipt.value
}

function nameOf(appId: ApplicationId): string {
  return `receipt ${appId}`
}

async function keepReceipt(services: Services, appId: ApplicationId, file: Blob) {
  try {
    const store = await services.openStore()
    await store.lastSeen.keepFile(nameOf(appId), file)
  } catch {
    // A device without room keeps none: the applicant has the file all the same.
  }
}

async function recallReceipt(services: Services, appId: ApplicationId): Promise<Blob | undefined> {
  try {
    const store = await services.openStore()
    return await store.lastSeen.recallFile(nameOf(appId))
  } catch {
    return undefined // a device that cannot be read has kept none
  }
}
