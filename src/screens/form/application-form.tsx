import { Outlet } from '@tanstack/react-router'
import { type FormEvent, type MouseEvent, useState, useSyncExternalStore } from 'react'
import { FormProvider, useForm } from 'react-hook-form'
import type { FormValues, RuleContext } from '#contract/application.ts'
import { useText } from '#i18n/intl.ts'
import { useServices } from '#portal/services.ts'
import type { Draft } from '#store/draft.ts'
import { Button, ButtonRow } from '#ui/button.tsx'
import { Page } from '#ui/page.tsx'
import styles from './application-form.module.css'
import { OpenChoice } from './choice-panel.tsx'
import { ElsewherePanel } from './elsewhere-panel.tsx'
import { FaultSummary } from './fault-summary.tsx'
import { useTab } from './form-route.ts'
import { createResolver, createRules } from './form-rules.ts'
import { lockedFields } from './form-start.ts'
import { FormTabs } from './form-tabs.tsx'
import { HandOver } from './hand-over.tsx'
import { useProven } from './proven.ts'
import { SubmitStanding } from './submit-standing.tsx'
import { TruthLine } from './truth-line.tsx'
import { useFormActions } from './use-form-actions.ts'
import { useKeeping } from './use-keeping.ts'

type ApplicationFormProps = { start: { values: FormValues; restored: boolean; known: Draft } }

/** One form for the whole application, whichever of its tabs is open. */
export function ApplicationForm({ start }: ApplicationFormProps) {
  const t = useText()
  const tab = useTab()
  const rules = useRules()
  const [resolver] = useState(() => createResolver(rules))
  const form = useForm<FormValues>({
    defaultValues: start.values,
    resolver,
    // What is shown while somebody types, and as a field is left, is the judge's to say.
    mode: 'onSubmit',
    reValidateMode: 'onSubmit',
    shouldFocusError: false,
  })
  const keeping = useKeeping({ form, rules, ...start })
  const { autosave, judge } = keeping
  const actions = useFormActions({ form, rules, keeping })
  const isElsewhere = useSyncExternalStore(keeping.holder.subscribe, keeping.holder.state) === 'elsewhere'
  const heading = t(`tab.${tab}`)
  const refused = actions.refusal?.tab === tab

  function leaveField() {
    judge.leave()
    void autosave.flush()
  }

  function submit(event: FormEvent) {
    event.preventDefault()
    if (!isElsewhere) void actions.goOn()
  }

  return (
    <FormProvider {...form}>
      <Page heading={heading}>
        <title>{t('app.title', { page: refused ? t('app.errorTitle', { page: heading }) : heading })}</title>
        <FormTabs judge={judge} />
        <TruthLine autosave={autosave} />
        {!actions.isLast && <SubmitStanding />}
        <HandOver autosave={autosave} />
        {isElsewhere && <ElsewherePanel onTakeBack={keeping.holder.take} />}
        {!isElsewhere && <OpenChoice onChosen={keeping.choose} />}
        {refused && <FaultSummary key={actions.refusal?.count} tab={tab} />}
        {/* eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- focus that leaves a field is heard here once for all */}
        <form noValidate onSubmit={submit} onPointerDown={judge.hold} onBlur={leaveField}>
          <fieldset className={styles.whole} disabled={isElsewhere}>
            <Outlet />
          </fieldset>
          <ButtonRow>
            <Button
              type="submit"
              onMouseDown={keepFocus}
              disabled={isElsewhere}
              busy={actions.busy}
              busyLabel={t('button.busy')}
            >
              {t(actions.isLast ? 'button.submit' : 'button.continue')}
            </Button>
            <Button variant="secondary" onMouseDown={keepFocus} onClick={() => void actions.goBack()}>
              {t(actions.isFirst ? 'button.cancel' : 'button.back')}
            </Button>
          </ButtonRow>
        </form>
        {/* Where it was pressed. */}
        {actions.isLast && <SubmitStanding />}
      </Page>
    </FormProvider>
  )
}

function useRules(): () => RuleContext {
  const services = useServices()
  const proven = useProven()
  const [locked] = useState(() => lockedFields(proven))
  const [rules] = useState(() => createRules(services, locked))
  return rules
}

/**
 * A field that loses the focus to a pressed button may get a message, which moves the button away from under the
 * pointer before it is released: the click would be lost. So the field keeps the focus until the click.
 */
function keepFocus(event: MouseEvent) {
  event.preventDefault()
}
