import { useRouter } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import type { RuleContext } from '#contract/application.ts'
import { type Services, useServices } from '#portal/services.ts'
import { type Autosave, createAutosave } from './autosave.ts'
import type { ApplicationForm } from './clear-fields.ts'
import { tabOf, useFormParams } from './form-route.ts'
import { refreshFaults } from './form-rules.ts'

type Parts = { form: ApplicationForm; rules: () => RuleContext; restored: boolean }

/** Keeps the form on this device as it changes, and brings its shown faults up to date (D30, FRM11). */
export function useKeeping({ form, rules, restored }: Parts): Autosave {
  const services = useServices()
  const router = useRouter()
  const { appId } = useFormParams()
  const [autosave] = useState(() =>
    createAutosave({
      kept: restored,
      after: (milliseconds, run) => services.device.after(milliseconds, run),
      write: () => keep(services, appId, { form, tab: tabOf(router.state.location.pathname) }),
    }),
  )

  useEffect(() => {
    let last = JSON.stringify(form.getValues())
    const stopWatching = form.subscribe({
      formState: { values: true },
      callback() {
        const now = JSON.stringify(form.getValues())
        if (now === last) return
        last = now
        autosave.changed()
        refreshFaults(form, rules())
      },
    })
    // The tab is part of what is remembered: once another is open, that one.
    const stopFollowing = router.subscribe('onResolved', ({ pathChanged }) => {
      if (pathChanged && autosave.state().kind !== 'untouched') autosave.changed()
    })
    const hide = () => void autosave.flush()
    document.addEventListener('visibilitychange', hide)
    window.addEventListener('pagehide', hide)
    return () => {
      stopWatching()
      stopFollowing()
      document.removeEventListener('visibilitychange', hide)
      window.removeEventListener('pagehide', hide)
      void autosave.flush()
    }
  }, [form, rules, router, autosave])

  return autosave
}

async function keep(
  services: Services,
  appId: string,
  { form, tab }: { form: ApplicationForm; tab: string },
): Promise<{ kind: 'kept' } | { kind: 'not-kept' }> {
  try {
    const store = await services.openStore()
    return await store.drafts.write(appId, { values: form.getValues(), tab })
  } catch {
    return { kind: 'not-kept' } // the browser refuses to keep anything; the form goes on and says so
  }
}
