import { useRouter } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import type { FormValues, RuleContext } from '#contract/application.ts'
import { useServices } from '#app/services.ts'
import type { Draft } from '#store/draft.ts'
import type { ConflictChoice } from '#sync/merge-draft.ts'
import type { SyncStatus } from '#sync/sync-status.ts'
import { type Autosave, createAutosave } from './autosave.ts'
import { createDraftSync } from './draft-sync.ts'
import type { FormOrigin } from './form-start.ts'
import { watchForm } from './form-events.ts'
import type { FormMethods } from './form-hooks.ts'
import { createCurrentTab, useFormParams } from './form-route.ts'
import { tabsWithIssues } from './form-rules.ts'
import { createFormValidation, type FormValidation } from './form-validation.ts'
import { createTabLock, type TabLock } from './tab-lock.ts'

type PersistenceParts = {
  form: FormMethods
  /** Returns the current context of the rules. */
  context: () => RuleContext
  /** The source of the values with which the form starts. */
  origin: FormOrigin
  /** The draft that the form starts from. */
  lastKnown: Draft
}

export type FormPersistence = {
  autosave: Autosave
  /** Saves the form, marks the draft as submitted, and returns the status after the first attempt to send it. */
  submit: () => Promise<SyncStatus>
  resolveConflicts: (choice: ConflictChoice) => Promise<void>
  /** Replaces the answers with earlier ones (D63). Resolves to false when nothing was restored. */
  restore: (values: FormValues) => Promise<boolean>
  /** Tells whether this browser tab may save the form, or another browser tab has it (D32). */
  tabLock: TabLock
  validation: FormValidation
}

/** Saves the form on this device when it changes, and validates it (D30, FRM11). */
export function useFormPersistence(parts: PersistenceParts): FormPersistence {
  const { form } = parts
  const services = useServices()
  const router = useRouter()
  const { tabLock, draftSync, autosave, validation } = useFormParts(parts)

  useEffect(
    () => watchForm({ services, router, form, autosave, draftSync, validation, tabLock }),
    [form, router, autosave, validation, draftSync, tabLock, services],
  )

  return {
    autosave,
    tabLock,
    validation,
    async submit() {
      await autosave.flush()
      return draftSync.submit()
    },
    async resolveConflicts(choice) {
      await autosave.flush()
      await draftSync.resolveConflicts(choice)
    },
    async restore(values) {
      await autosave.flush()
      return draftSync.restore(values)
    },
  }
}

/** Creates each part of the persistence once, for as long as the form is mounted. */
function useFormParts({ form, context, origin, lastKnown }: PersistenceParts) {
  const services = useServices()
  const router = useRouter()
  const { appId } = useFormParams()
  const after = (delayMs: number, run: () => void) => services.device.after(delayMs, run)
  const [tabLock] = useState(() => createTabLock(services.device, () => services.sync.serverIdOf(appId)))
  const [draftSync] = useState(() =>
    createDraftSync({
      hasTabLock: () => tabLock.state() === 'this-tab',
      isSignedIn: () => services.session.signedInId() !== undefined,
      onDeleted: tabLock.formDeleted,
      isValid: values => tabsWithIssues(values, context()).length === 0,
      services,
      appId,
      form,
      lastKnown,
      applicantId: services.session.signedInId(),
      currentFormTab: createCurrentTab(router, services, appId),
    }),
  )
  const [autosave] = useState(() => createAutosave({ origin, after, save: () => draftSync.save() }))
  const [validation] = useState(() => createFormValidation({ form, context, after }))
  return { tabLock, draftSync, autosave, validation }
}
