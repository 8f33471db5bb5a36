import { type Tab, tabs } from '#contract/application.ts'
import type { ApplicationId } from '#contract/ids.ts'
import type { Services } from '#app/services.ts'

/** Where a form opens: the tab it was left on (D30), the first one of a form that was never touched here (S51). */
export async function startingTab(
  { sync }: { sync: Pick<Services['sync'], 'read'> },
  appId: ApplicationId,
): Promise<Tab> {
  const status = await sync.read(appId)
  const left = 'draft' in status ? status.draft.tab : undefined
  return tabs.find(tab => tab === left) ?? 'GeneralData'
}
