import { type Tab, tabs } from '#contract/application.ts'
import type { ApplicationId } from '#contract/ids.ts'
import type { Services } from '#portal/services.ts'

/** Where a form opens: the tab it was left on (D30), the first one of a form that was never touched here (S51). */
export async function startingTab(services: Pick<Services, 'openStore'>, appId: ApplicationId): Promise<Tab> {
  try {
    const store = await services.openStore()
    const draft = await store.drafts.read(appId)
    return tabs.find(tab => tab === draft?.tab) ?? 'GeneralData'
  } catch {
    return 'GeneralData' // a browser that keeps nothing knows of no tab
  }
}
