import type { AnyRouter } from '@tanstack/react-router'
import { fieldNames } from '#contract/application.ts'
import type { Services } from '#app/services.ts'
import type { Autosave } from './autosave.ts'
import type { DraftSync } from './draft-sync.ts'
import type { FormMethods } from './form-hooks.ts'
import type { FormValidation } from './form-validation.ts'
import type { TabLock } from './tab-lock.ts'

type Parts = {
  services: Pick<Services, 'pendingWrites' | 'sync'>
  router: Pick<AnyRouter, 'subscribe'>
  form: FormMethods
  autosave: Autosave
  draftSync: DraftSync
  validation: FormValidation
  tabLock: TabLock
}

/** Saves and validates the open form at every event that calls for it. Returns the function that stops this. */
export function watchForm(parts: Parts): () => void {
  const { services, router, autosave, draftSync, validation, tabLock } = parts
  const stopFields = watchFields(parts)
  // The draft also contains the open tab: save it when the applicant opens another tab.
  const stopRouter = router.subscribe('onResolved', ({ pathChanged }) => {
    if (pathChanged && autosave.state().kind !== 'untouched') autosave.changed()
  })
  const stopPendingWrites = services.pendingWrites.add(() => autosave.flush())
  const stopHiding = flushWhenHidden(autosave)
  // A save merges the changes of another device into the open form.
  const stopSync = services.sync.subscribe(() => {
    if (draftSync.isOutdated()) autosave.changed()
  })
  const stopTabLock = tabLock.start({
    flush: () => autosave.flush(),
    onAcquired: () => autosave.changed(),
  })
  return () => {
    stopTabLock()
    validation.stop()
    stopSync()
    stopFields()
    stopRouter()
    stopPendingWrites()
    stopHiding()
    void autosave.flush()
  }
}

function watchFields({ form, autosave, validation }: Parts): () => void {
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

/** A mobile browser may end a hidden page without another event. */
function flushWhenHidden(autosave: Autosave): () => void {
  const flush = () => void autosave.flush()
  document.addEventListener('visibilitychange', flush)
  window.addEventListener('pagehide', flush)
  return () => {
    document.removeEventListener('visibilitychange', flush)
    window.removeEventListener('pagehide', flush)
  }
}
