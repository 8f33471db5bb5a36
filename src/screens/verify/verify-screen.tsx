import { useRouterState } from '@tanstack/react-router'
import { type FormEvent, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react'
import { receiptKeysStorageKey } from '#contract/codes.ts'
import { receiptKeysOf } from '#contract/receipt-keys.ts'
import { useText } from '#i18n/intl.ts'
import { useServerInfo, useServices } from '#app/services.ts'
import { Button, ButtonRow } from '#ui/button.tsx'
import { Page } from '#ui/page.tsx'
import { Panel } from '#ui/panel.tsx'
import { TextField } from '#ui/text-field.tsx'
import { createCodeCheck } from './code-check.ts'
import { PictureField } from './picture-field.tsx'
import { VerdictPanel } from './verdict-panel.tsx'

/** Tells an official at the counter whether a receipt is genuine, online and offline (F7). */
export function VerifyScreen() {
  const t = useText()
  const page = t('verify.heading')
  const scanned = useRouterState({ select: ({ location }) => location.state.scannedCode }) ?? ''
  return (
    <Page heading={page} lead={t('verify.lead')}>
      <title>{t('app.title', { page })}</title>
      {/* The React key resets the form when another code is scanned. */}
      <CodeCheck key={scanned} scanned={scanned} />
    </Page>
  )
}

function CodeCheck({ scanned }: { scanned: string }) {
  const t = useText()
  const { device } = useServices()
  const [text, setText] = useState(scanned)
  // An object, so that a second press with the same code asks for the keys again when they are old.
  const [submitted, setSubmitted] = useState({ code: scanned })
  const [isMissing, setMissing] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const { verdict, isRunning, hasNoKeys } = useVerdict(submitted)

  function submit(event: FormEvent) {
    event.preventDefault()
    const code = text.trim()
    setSubmitted({ code })
    setMissing(code === '')
    if (code === '') input.current?.focus()
  }

  function submitCode(code: string | undefined) {
    // Without a code, the verdict about the previous receipt must not stay: it would seem to be about the new photo.
    setSubmitted({ code: code ?? '' })
    setMissing(false)
    if (code !== undefined) setText(code)
  }

  return (
    <form method="post" noValidate onSubmit={submit}>
      {verdict && <VerdictPanel verdict={verdict} />}
      {hasNoKeys && (
        <Panel tone="warning" announce>
          {t('verify.noKey')}
        </Panel>
      )}
      {device.canReadQrCodes() && <PictureField onRead={submitCode} />}
      <TextField
        ref={input}
        name="code"
        label={t('verify.code')}
        hint={t('verify.codeHint')}
        error={isMissing ? t('issue.code-empty') : undefined}
        autoComplete="off"
        autoCapitalize="none"
        autoCorrect="off"
        spellCheck={false}
        value={text}
        onChange={event => (setText(event.target.value), setMissing(false))}
      />
      <ButtonRow>
        <Button type="submit" busy={isRunning} busyLabel={t('button.busy')}>
          {t('verify.check')}
        </Button>
      </ButtonRow>
    </form>
  )
}

/** What a signature of none of the known keys means, by the state of the request for the present keys. */
const forgedBy = {
  pending: undefined,
  answered: { kind: 'forged' },
  failed: { kind: 'unconfirmed' },
} as const

/**
 * Checks a code with the public keys of the server, or with those that the device saved for offline use. The page may
 * stay open for days, and the operator may change the key (D110). So each check asks the server again when its last
 * answer is old, and the page shows no verdict `forged` before the server has answered: without an answer, the receipt
 * may be of a newer key.
 */
function useVerdict(submitted: { code: string }) {
  const { code } = submitted
  const { device, serverInfo } = useServices()
  const server = useServerInfo()
  useEffect(() => {
    if (submitted.code !== '') void serverInfo.readFresh()
  }, [submitted, serverInfo])
  const publicKeys = (server.value && receiptKeysOf(server.value)) ?? device.readText(receiptKeysStorageKey)
  const check = useMemo(() => createCodeCheck(code, publicKeys), [code, publicKeys])
  const found = useSyncExternalStore(check.subscribe, check.verdict)
  const verdict = found?.kind === 'forged' ? forgedBy[server.state] : found
  const hasNoKeys = publicKeys === undefined && server.state !== 'pending'
  // A check also waits for the keys.
  return { verdict, isRunning: code !== '' && !hasNoKeys && verdict === undefined, hasNoKeys }
}
