import { useRouter } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { fieldNames, type FormValues, type RuleContext } from '#contract/application.ts'
import { useServices } from '#app/services.ts'
import type { Draft } from '#store/draft.ts'
import type { SyncStatus } from '#sync/sync-status.ts'
import { type Autosave, createAutosave } from './autosave.ts'
import type { ApplicationForm } from './clear-fields.ts'
import { createTabLock, type TabLock } from './tab-lock.ts'
import { createDraftSync } from './draft-sync.ts'
import { tabOf, useFormParams } from './form-route.ts'
import { faultyTabs } from './form-rules.ts'
import { createFormValidation, type FormValidation } from './form-validation.ts'

type Parts = { form: ApplicationForm; rules: () => RuleContext; restored: boolean; lastKnown: Draft }

export type FormPersistence = {
  autosave: Autosave
  /** Sends the form as Submit does, and says what became of it. */
  submit: () => Promise<SyncStatus>
  resolveConflicts: (picked: FormValues) => Promise<void>
  /** Whether this tab may write, or another has the form (D32). */
  tabLock: TabLock
  validation: FormValidation
}

/** Keeps the form on this device as it changes, and brings its shown faults up to date (D30, FRM11). */
export function useFormPersistence({ form, rules, restored, lastKnown }: Parts): FormPersistence {
  const services = useServices()
  const router = useRouter()
  const { appId } = useFormParams()
  const [tabLock] = useState(() => createTabLock(services.device, appId))
  const [draftSync] = useState(() =>
    createDraftSync({
      hasTabLock: () => tabLock.state() === 'mine',
      isValid: () => faultyTabs(form.getValues(), rules()).length === 0,
      services,
      appId,
      form,
      lastKnown,
      tab: () => tabOf(router.state.location.pathname),
    }),
  )
  const [autosave] = useState(() =>
    createAutosave({
      isSaved: restored,
      after: (milliseconds, run) => services.device.after(milliseconds, run),
      save: () => draftSync.save(),
    }),
  )
  const [validation] = useState(() =>
    createFormValidation({
      form,
      rules,
      after: (milliseconds, run) => services.device.after(milliseconds, run),
    }),
  )

  useEffect(() => {
    let last = { ...form.getValues() }
    const stopWatching = form.subscribe({
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
    // The tab is part of what is remembered: once another is open, that one.
    const stopFollowing = router.subscribe('onResolved', ({ pathChanged }) => {
      if (pathChanged && autosave.state().kind !== 'untouched') autosave.changed()
    })
    const hide = () => void autosave.flush()
    const stopFinishing = services.pendingWrites.add(() => autosave.flush())
    document.addEventListener('visibilitychange', hide)
    window.addEventListener('pagehide', hide)
    // What another phone has written comes into the open form.
    const stopSync = services.sync.subscribe(() => {
      if (draftSync.isOutdated()) autosave.changed()
    })
    const releaseLock = tabLock.start({
      flush: () => autosave.flush(),
      onAcquired: () => autosave.changed(),
    })
    return () => {
      releaseLock()
      validation.stop()
      stopSync()
      stopWatching()
      stopFollowing()
      stopFinishing()
      document.removeEventListener('visibilitychange', hide)
      window.removeEventListener('pagehide', hide)
      void autosave.flush()
    }
  }, [form, router, autosave, validation, draftSync, tabLock, services])

  return {
    autosave,
    tabLock,
    validation,
    async submit() {
      await autosave.flush()
      return draftSync.submit()
    },
    resolveConflicts: picked => draftSync.resolveConflicts(picked),
  }
}
