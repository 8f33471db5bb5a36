import { useQuery } from '@tanstack/react-query'
import { useRouterState } from '@tanstack/react-router'
import { type ChangeEvent, type FormEvent, useRef, useState } from 'react'
import { receiptKeyStorageKey } from '#contract/codes.ts'
import { useText } from '#i18n/intl.ts'
import { useServerInfo, useServices } from '#app/services.ts'
import { Button, ButtonRow } from '#ui/button.tsx'
import { Page } from '#ui/page.tsx'
import { Panel } from '#ui/panel.tsx'
import { TextField } from '#ui/text-field.tsx'
import { checkCode } from './check-code.ts'
import { PictureField } from './picture-field.tsx'
import { VerdictPanel } from './verdict-panel.tsx'

/** Whether a receipt is genuine: for whoever stands at the counter, with or without the line (F7). */
export function VerifyScreen() {
  const t = useText()
  const page = t('verify.heading')
  const scanned = useRouterState({ select: ({ location }) => location.state.scannedCode }) ?? ''
  return (
    <Page heading={page} lead={t('verify.lead')}>
      <title>{t('app.title', { page })}</title>
      {/* The next scanned code begins anew. */}
      <CodeCheck key={scanned} scanned={scanned} />
    </Page>
  )
}

function CodeCheck({ scanned }: { scanned: string }) {
  const t = useText()
  const { device, queryClient } = useServices()
  const [text, setText] = useState(scanned)
  const [asked, setAsked] = useState(scanned)
  const [isMissing, setMissing] = useState(false)
  const box = useRef<HTMLInputElement>(null)
  const server = useServerInfo()
  const key = server.value?.receiptKey ?? device.readText(receiptKeyStorageKey)
  const verdict = useQuery(
    {
      queryKey: ['receipt-code', asked, key],
      queryFn: () => checkCode(asked, key ?? ''),
      enabled: asked !== '' && key !== undefined,
      staleTime: Infinity,
      gcTime: 0,
    },
    queryClient,
  )

  function submit(event: FormEvent) {
    event.preventDefault()
    const code = text.trim()
    setAsked(code)
    setMissing(code === '')
    if (code === '') box.current?.focus()
  }

  function submitCode(code: string) {
    setText(code)
    setAsked(code)
    setMissing(false)
  }

  return (
    <form method="post" noValidate onSubmit={submit}>
      {verdict.data && <VerdictPanel verdict={verdict.data} />}
      {key === undefined && server.state !== 'asking' && (
        <Panel tone="warning" announce>
          {t('verify.noKey')}
        </Panel>
      )}
      {device.canReadQrCodes() && <PictureField onCode={submitCode} />}
      <TextField
        ref={box}
        name="code"
        label={t('verify.code')}
        hint={t('verify.codeHint')}
        error={isMissing ? t('issue.code-empty') : undefined}
        autoComplete="off"
        autoCapitalize="none"
        autoCorrect="off"
        spellCheck={false}
        value={text}
        onChange={(event: ChangeEvent<HTMLInputElement>) => {
          setText(event.target.value)
          setMissing(false)
        }}
      />
      <ButtonRow>
        <Button type="submit" busy={asked !== '' && verdict.isFetching} busyLabel={t('button.busy')}>
          {t('verify.check')}
        </Button>
      </ButtonRow>
    </form>
  )
}
