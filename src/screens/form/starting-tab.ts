import { type Tab, tabs } from '#contract/application.ts'
import type { ApplicationId } from '#contract/ids.ts'
import type { Services } from '#app/services.ts'

/** The tab that the form opens on: the tab of the saved draft (D30), else the first tab (S51). */
export async function startingTab(
  { sync }: { sync: Pick<Services['sync'], 'read'> },
  appId: ApplicationId,
): Promise<Tab> {
  const status = await sync.read(appId)
  const savedTab = 'draft' in status ? status.draft.tab : undefined
  return tabs.find(tab => tab === savedTab) ?? 'GeneralData'
}
