import { type FormEvent, useId, useRef, useState } from 'react'
import type { Problem } from '#api/result.ts'
import { endKioskFeature } from '#contract/endpoints.ts'
import { waitInOneUnit } from '#contract/wait-in-one-unit.ts'
import { useText } from '#i18n/intl.ts'
import { useServerInfo, useServices } from '#app/services.ts'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { TextField } from '#ui/text-field.tsx'
import { eraseVisit } from './kiosk-tools.tsx'

type Fault = { kind: 'empty' | 'wrong' | 'offline' | 'failed' } | { kind: 'wait'; seconds: number }

/**
 * Asks for the code of the office before the device stops being a kiosk, because a visitor may have opened
 * `/?kiosk=off` (OFF18). If the server has no such code, this dialog cannot end the kiosk: the staff delete the data of
 * the site in the browser.
 */
export function EndKiosk() {
  const t = useText()
  const { deviceUse } = useServices()
  const [open, setOpen] = useState(true)
  const form = useId()
  const [busy, setBusy] = useState(false)
  const info = useServerInfo().value
  const hasCode = info === undefined || info.features.includes(endKioskFeature)

  function keep() {
    deviceUse.keepKiosk()
    setOpen(false)
  }

  return (
    <Dialog
      open={open}
      heading={t('kiosk.endHeading')}
      onClose={keep}
      actions={
        <>
          <Button variant={hasCode ? 'secondary' : 'primary'} onClick={keep}>
            {t('kiosk.keep')}
          </Button>
          {hasCode && (
            <Button type="submit" form={form} busy={busy} busyLabel={t('button.busy')}>
              {t('kiosk.end')}
            </Button>
          )}
        </>
      }
    >
      <p>{t(hasCode ? 'kiosk.endLead' : 'kiosk.noCode')}</p>
      {hasCode && <CodeForm id={form} busy={busy} onBusy={setBusy} />}
    </Dialog>
  )
}

function CodeForm({ id, busy, onBusy }: { id: string; busy: boolean; onBusy: (busy: boolean) => void }) {
  const t = useText()
  const { call, deviceUse, session } = useServices()
  const input = useRef<HTMLInputElement>(null)
  const [code, setCode] = useState('')
  const [fault, setFault] = useState<Fault>()

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (busy) return
    const found = code.trim() === '' ? { kind: 'empty' as const } : await check()
    // A visitor who pressed "Keep" during the check has ended the request; the next visit may have begun (D137).
    if (!deviceUse.isEndRequested()) return
    setFault(found)
    if (found) return input.current?.focus()
    deviceUse.endKiosk()
    // Erases the data that visitors have left, and opens the welcome page as that of a shared device.
    await eraseVisit(session)
  }

  async function check(): Promise<Fault | undefined> {
    onBusy(true)
    const result = await call('endKiosk', { body: { code } }, { background: true })
    onBusy(false)
    return result.ok ? undefined : faultOf(result.problem)
  }

  const faults = {
    empty: t('kiosk.codeEmpty'),
    wrong: t('kiosk.codeWrong'),
    wait: t('notice.tooManyRequests', waitInOneUnit(fault?.kind === 'wait' ? fault.seconds : 1)),
    offline: t('kiosk.offline'),
    failed: t('kiosk.failed'),
  }
  return (
    <form id={id} method="post" noValidate onSubmit={event => void submit(event)}>
      <TextField
        ref={input}
        name="kioskCode"
        type="password"
        label={t('kiosk.code')}
        error={fault && faults[fault.kind]}
        maxLength={100}
        autoComplete="off"
        value={code}
        onChange={event => (setCode(event.target.value), setFault(undefined))}
      />
    </form>
  )
}

function faultOf(problem: Problem): Fault {
  if (problem.kind === 'offline') return { kind: 'offline' }
  if (problem.kind === 'unreachable') return { kind: 'failed' }
  if (problem.reason === 'kiosk-code-wrong') return { kind: 'wrong' }
  if (problem.status !== 429) return { kind: 'failed' }
  return { kind: 'wait', seconds: problem.retryAfterSeconds ?? 60 }
}
