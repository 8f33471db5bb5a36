import { type AnyRouter, useRouter } from '@tanstack/react-router'
import {
  type FieldName,
  fieldNames,
  type RuleContext,
  shownFields,
  type Tab,
  tabOfField,
  tabs,
} from '#contract/application.ts'
import { toApplicationId } from '#contract/id-text.ts'
import { toIssueCode } from '#contract/issues.ts'
import { type LoadedServices, useLoadedServices } from '#app/services.ts'
import type { SentFault } from '#store/draft.ts'
import type { SyncStatus } from '#sync/sync-status.ts'
import { useBusy } from '#ui/use-busy.ts'
import type { FormMethods } from './form-hooks.ts'
import { currentFormParams, isFormOpen, useFormParams } from './form-route.ts'
import { tabsWithIssues, serverErrorType } from './form-rules.ts'
import { scrollToSubmitStatus } from './submit-status.tsx'
import type { FormPersistence } from './use-form-persistence.ts'

type Parts = {
  form: FormMethods
  context: () => RuleContext
  persistence: FormPersistence
  showIssues: (tab: Tab) => Promise<void>
}

/** Submit: checks the whole form, sends it, then does what `handleSubmitted` says (FRM13, S54). */
export function useSubmit({ form, context, persistence, showIssues }: Parts) {
  const services = useLoadedServices()
  const { notices } = services
  const router = useRouter()
  const params = useFormParams()
  const { busy, runOnce } = useBusy()

  async function submit() {
    void persistence.autosave.flush()
    await form.trigger(shownFields(form.getValues()), { shouldTouch: true })
    const firstTab = tabsWithIssues(form.getValues(), context())[0]
    if (firstTab) {
      persistence.validation.markTried(tabs)
      return showIssues(firstTab)
    }
    // Busy until the next screen is there: its guard calls the server too.
    await runOnce(async () => handleSubmitted(await persistence.submit()))
  }

  /** Opens the confirmation, or shows the server's issues, or scrolls to the status of a submit that waits (D33). */
  async function handleSubmitted(status: SyncStatus) {
    switch (status.kind) {
      case 'sent':
      case 'saved':
      case 'none':
      // The confirmation says that this device may have more answers than the server has accepted (D74).
      case 'unreadable':
        return openConfirmation(params.appId, { router, services })
      case 'stuck':
        // For all other reasons the save status says why, and a 403 has opened the welcome page (ERR12).
        return status.stuck.kind === 'refused' ? showServerIssues(status.stuck.faults) : undefined
      case 'unsent':
      case 'sending':
      case 'waiting':
        return scrollToSubmitStatus()
      case 'not-saved':
      case 'conflict':
        return undefined
    }
  }

  async function showServerIssues(faults: readonly SentFault[]) {
    // The applicant has opened another page since (D137).
    if (!isFormOpen(router, services, params.appId))
      return notices.raise('warning', { key: 'notice.uploadFailed' })
    notices.raise('warning', { key: 'notice.fieldsWrong' })
    const first = setServerIssues(form, faults)
    if (first) await showIssues(first)
  }

  return { submit, busy }
}

/** Opens the confirmation of this form; the list when another form is open now, and nothing when none is. */
async function openConfirmation(
  startedAs: string,
  { router, services }: { router: AnyRouter; services: LoadedServices },
): Promise<void> {
  const current = currentFormParams(router)
  const appId = toApplicationId(await services.sync.resolveId(startedAs))
  if (current === undefined) return
  // Another form is open now. The list shows both.
  if (current.appId !== appId && current.appId !== startedAs) return router.navigate({ to: '/procedure' })
  // This read shares the round trip in which the guard of the next screen reads the list.
  void services.queryClient.prefetchQuery(services.queries.applicationData(appId))
  // This submit may have given the application its id and number. While the address does not have them yet, the guard
  // finds them in the list.
  return router.navigate({ to: '/confirm/$appId/$appNumber', params: current })
}

/** Sets each issue of the server on its field. Returns the first tab with one. */
function setServerIssues(form: FormMethods, faults: readonly SentFault[]): Tab | undefined {
  const issues = faults.flatMap(({ field, message }) => {
    const name = fieldNames.find((each): each is FieldName => each === field)
    return name ? [{ name, message }] : []
  })
  for (const { name, message } of issues)
    form.setError(name, { type: serverErrorType, message: toIssueCode(message) })
  return tabs.find(tab => issues.some(({ name }) => tabOfField(name) === tab))
}
