import { useQuery } from '@tanstack/react-query'
import { useRouteContext, useRouterState } from '@tanstack/react-router'
import { type FormEvent, useRef, useState } from 'react'
import { receiptKeyStorageKey } from '#contract/codes.ts'
import { receiptKeysOf } from '#contract/receipt-keys.ts'
import { useText } from '#i18n/intl.ts'
import { useServerInfo, useServices } from '#app/services.ts'
import { Button, ButtonRow } from '#ui/button.tsx'
import { Page } from '#ui/page.tsx'
import { Panel } from '#ui/panel.tsx'
import { TextField } from '#ui/text-field.tsx'
import { checkCode } from './check-code.ts'
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
  const [submitted, setSubmitted] = useState(scanned)
  const [isMissing, setMissing] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const { verdict, hasNoKey } = useVerdict(submitted)

  function submit(event: FormEvent) {
    event.preventDefault()
    const code = text.trim()
    setSubmitted(code)
    setMissing(code === '')
    if (code === '') input.current?.focus()
  }

  function submitCode(code: string) {
    setText(code)
    setSubmitted(code)
    setMissing(false)
  }

  return (
    <form method="post" noValidate onSubmit={submit}>
      {verdict.data && <VerdictPanel verdict={verdict.data} />}
      {hasNoKey && (
        <Panel tone="warning" announce>
          {t('verify.noKey')}
        </Panel>
      )}
      {device.canReadQrCodes() && <PictureField onCode={submitCode} />}
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
        <Button type="submit" busy={submitted !== '' && verdict.isFetching} busyLabel={t('button.busy')}>
          {t('verify.check')}
        </Button>
      </ButtonRow>
    </form>
  )
}

/** Checks a code with the public key of the server, or with the key that the device saved for offline use. */
function useVerdict(code: string) {
  const { device } = useServices()
  const queryClient = useRouteContext({ from: '/verify', select: context => context.services.queryClient })
  const server = useServerInfo()
  const key = (server.value && receiptKeysOf(server.value)) ?? device.readText(receiptKeyStorageKey)
  const verdict = useQuery(
    {
      queryKey: ['receipt-code', code, key],
      queryFn: () => checkCode(code, key ?? ''),
      enabled: code !== '' && key !== undefined,
      staleTime: Infinity,
      gcTime: 0,
    },
    queryClient,
  )
  return { verdict, hasNoKey: key === undefined && server.state !== 'pending' }
}
