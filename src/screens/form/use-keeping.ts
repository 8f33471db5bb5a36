import { useRouter } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { fieldNames, type FormValues, type RuleContext } from '#contract/application.ts'
import { useServices } from '#portal/services.ts'
import type { Draft } from '#store/draft.ts'
import type { Standing } from '#sync/standings.ts'
import { type Autosave, createAutosave } from './autosave.ts'
import type { ApplicationForm } from './clear-fields.ts'
import { createHolder, type FormHolder } from './form-holder.ts'
import { createKeeper } from './keeper.ts'
import { tabOf, useFormParams } from './form-route.ts'
import { faultyTabs } from './form-rules.ts'
import { createJudge, type Judge } from './judge.ts'

type Parts = { form: ApplicationForm; rules: () => RuleContext; restored: boolean; known: Draft }

export type Keeping = {
  autosave: Autosave
  /** Sends the form as Submit does, and says what became of it. */
  submit: () => Promise<Standing>
  choose: (picked: FormValues) => Promise<void>
  /** Whether this tab may write, or another has the form (D32). */
  holder: FormHolder
  judge: Judge
}

/** Keeps the form on this device as it changes, and brings its shown faults up to date (D30, FRM11). */
export function useKeeping({ form, rules, restored, known }: Parts): Keeping {
  const services = useServices()
  const router = useRouter()
  const { appId } = useFormParams()
  const [holder] = useState(() => createHolder(services.device, appId))
  const [keeper] = useState(() =>
    createKeeper({
      isMine: () => holder.state() === 'mine',
      isFaultless: () => faultyTabs(form.getValues(), rules()).length === 0,
      services,
      appId,
      form,
      known,
      tab: () => tabOf(router.state.location.pathname),
    }),
  )
  const [autosave] = useState(() =>
    createAutosave({
      kept: restored,
      after: (milliseconds, run) => services.device.after(milliseconds, run),
      write: () => keeper.write(),
    }),
  )
  const [judge] = useState(() =>
    createJudge({ form, rules, after: (milliseconds, run) => services.device.after(milliseconds, run) }),
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
        judge.note(changed)
      },
    })
    // The tab is part of what is remembered: once another is open, that one.
    const stopFollowing = router.subscribe('onResolved', ({ pathChanged }) => {
      if (pathChanged && autosave.state().kind !== 'untouched') autosave.changed()
    })
    const hide = () => void autosave.flush()
    const stopFinishing = services.unfinished.add(() => autosave.flush())
    document.addEventListener('visibilitychange', hide)
    window.addEventListener('pagehide', hide)
    // What another phone has written comes into the open form.
    const stopSync = services.sync.subscribe(() => {
      if (keeper.isBehind()) autosave.changed()
    })
    const letGo = holder.start({
      flush: () => autosave.flush(),
      onTaken: () => autosave.changed(),
    })
    return () => {
      letGo()
      judge.stop()
      stopSync()
      stopWatching()
      stopFollowing()
      stopFinishing()
      document.removeEventListener('visibilitychange', hide)
      window.removeEventListener('pagehide', hide)
      void autosave.flush()
    }
  }, [form, router, autosave, judge, keeper, holder, services])

  return {
    autosave,
    holder,
    judge,
    async submit() {
      await autosave.flush()
      return keeper.submit()
    },
    choose: picked => keeper.choose(picked),
  }
}
