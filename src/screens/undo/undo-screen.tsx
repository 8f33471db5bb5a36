import { Link, useRouterState } from '@tanstack/react-router'
import { type FormEvent, useRef, useState } from 'react'
import { isHandledByScreen } from '#api/result.ts'
import { useText } from '#i18n/intl.ts'
import { useLanguage } from '#i18n/use-language.ts'
import { useServices } from '#app/services.ts'
import { Button, ButtonRow, linkButtonClass } from '#ui/button.tsx'
import { focusHeading, Page } from '#ui/page.tsx'
import { Panel } from '#ui/panel.tsx'
import { TextField } from '#ui/text-field.tsx'
import { useBusy } from '#ui/use-busy.ts'

/** Undoes a change of contacts with the code of its message, without a session, which the change may have ended (D70). */
export function UndoScreen() {
  const linked = useRouterState({ select: ({ location }) => location.state.undoCode }) ?? ''
  // The React key resets the page when the message of another change is opened in the same tab.
  return <Undo key={linked} linked={linked} />
}

function Undo({ linked }: { linked: string }) {
  const t = useText()
  const page = t('undo.heading')
  const [done, setDone] = useState<'wholly' | 'partly'>()
  const partly = done === 'partly'
  return (
    <Page heading={page} lead={done ? undefined : t('undo.lead')}>
      <title>{t('app.title', { page })}</title>
      {done ? (
        <Panel
          tone={partly ? 'warning' : 'success'}
          heading={t(partly ? 'undo.partlyDone' : 'undo.done')}
          announce
        >
          <p>{t(partly ? 'undo.partlyDoneNext' : 'undo.doneNext')}</p>
          <Link to="/" className={linkButtonClass('primary')}>
            {t('undo.signIn')}
          </Link>
        </Panel>
      ) : (
        <UndoForm
          linked={linked}
          onDone={isComplete => {
            setDone(isComplete ? 'wholly' : 'partly')
            // The form with the focus disappears.
            focusHeading()
          }}
        />
      )}
    </Page>
  )
}

/** Opening the link undoes nothing: mail programs open links by themselves. */
function UndoForm({ linked, onDone }: { linked: string; onDone: (isComplete: boolean) => void }) {
  const t = useText()
  const language = useLanguage()
  const { call } = useServices()
  const input = useRef<HTMLInputElement>(null)
  const [code, setCode] = useState(linked)
  const [fault, setFault] = useState<'empty' | 'refused'>()
  const { busy, runOnce } = useBusy()

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (busy) return
    setFault(code.trim() === '' ? 'empty' : undefined)
    if (code.trim() === '') return input.current?.focus()
    await runOnce(send)
  }

  async function send() {
    const result = await call('undoContactChange', { query: { lg: language }, body: { code } })
    if (result.ok) return onDone(result.value.data.isComplete)
    if (!isHandledByScreen(result.problem)) return
    setFault('refused')
    input.current?.focus()
  }

  const faults = { empty: t('issue.code-empty'), refused: t('undo.refused') }
  return (
    <form method="post" noValidate onSubmit={event => void submit(event)}>
      <TextField
        ref={input}
        name="undoCode"
        label={t('undo.code')}
        hint={t('undo.codeHint')}
        error={fault && faults[fault]}
        maxLength={40}
        autoComplete="off"
        autoCapitalize="characters"
        autoCorrect="off"
        spellCheck={false}
        value={code}
        onChange={event => (setCode(event.target.value), setFault(undefined))}
      />
      <ButtonRow>
        <Button type="submit" busy={busy} busyLabel={t('button.busy')}>
          {t('undo.button')}
        </Button>
      </ButtonRow>
    </form>
  )
}
