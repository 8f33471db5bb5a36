import type { AnyRouter } from '@tanstack/react-router'
import { fieldNames } from '#contract/application.ts'
import type { Services } from '#app/services.ts'
import type { Autosave } from './autosave.ts'
import type { DraftSync } from './draft-sync.ts'
import type { FormMethods } from './form-hooks.ts'
import type { FormValidation } from './form-validation.ts'
import type { TabLock } from './tab-lock.ts'
import { copyVerifiedContacts } from './verified-contact.ts'

/** The services and the parts of the open form that the events reach. */
type FormEventTargets = {
  services: Pick<Services, 'pendingWrites' | 'session' | 'sync'>
  router: Pick<AnyRouter, 'subscribe'>
  form: FormMethods
  autosave: Autosave
  draftSync: DraftSync
  validation: FormValidation
  tabLock: TabLock
}

/**
 * Saves the open form when a field changes, when the applicant opens another tab of the form, when the page is hidden,
 * when the draft changes outside the form, and before a reload or a log-out; validates the fields that change. Returns
 * the function that stops this and saves what is pending.
 */
export function watchForm(targets: FormEventTargets): () => void {
  const { services, router, form, autosave, draftSync, validation, tabLock } = targets
  const stopFields = watchFields(targets)
  // The draft also contains which tab of the form is open.
  const stopRouter = router.subscribe('onResolved', ({ pathChanged }) => {
    if (pathChanged && autosave.state().kind !== 'untouched') autosave.changed()
  })
  const stopPendingWrites = services.pendingWrites.add(() => autosave.flush())
  const stopHiding = flushWhenHidden(autosave)
  // The sync or another browser tab has changed the draft: a save copies the changes into the open form. Or the device
  // has lost the draft: a save stores it again.
  const copyChanges = () => {
    if (draftSync.isOutdated() || draftSync.takeLoss()) autosave.changed()
  }
  const stopSync = services.sync.subscribe(copyChanges)
  // Another browser tab may add a contact to the account while the form is open: its field is read-only then (PER14).
  const stopSession = services.session.subscribe(() => copyVerifiedContacts(services, form))
  // The draft may have changed between the read of the form and now.
  copyChanges()
  const stopTabLock = tabLock.start({
    flush: () => autosave.flush(),
    // A save copies the changes of the other browser tab into the open form.
    onTakenBack: () => autosave.changed(),
  })
  // `saving`: the device could not store these answers before, and its storage may work again. `hasUnsaved`: the draft
  // lacks a proven contact. The server accepts no other contact, so the sync would send the draft again and again.
  if (autosave.state().kind === 'saving' || draftSync.hasUnsaved()) autosave.changed()
  return () => {
    stopTabLock()
    validation.stop()
    stopSync()
    stopSession()
    stopFields()
    stopRouter()
    stopPendingWrites()
    stopHiding()
    void autosave.flush()
  }
}

function watchFields({ form, autosave, validation }: FormEventTargets): () => void {
  let last = { ...form.getValues() }
  return form.subscribe({
    formState: { values: true },
    callback() {
      const now = form.getValues()
      const changed = fieldNames.filter(field => now[field] !== last[field])
      if (changed.length === 0) return
      last = { ...now }
      autosave.changed()
      validation.fieldsChanged(changed)
    },
  })
}

/**
 * Saves when the page is hidden, because a mobile browser may end a hidden page without another event. The event also
 * comes when the page is shown again: then `flush` saves only what could not be saved or has changed since.
 */
function flushWhenHidden(autosave: Autosave): () => void {
  const flush = () => void autosave.flush()
  document.addEventListener('visibilitychange', flush)
  window.addEventListener('pagehide', flush)
  return () => {
    document.removeEventListener('visibilitychange', flush)
    window.removeEventListener('pagehide', flush)
  }
}
