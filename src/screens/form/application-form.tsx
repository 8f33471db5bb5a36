import { Outlet } from '@tanstack/react-router'
import { type FormEvent, type MouseEvent, useState, useSyncExternalStore } from 'react'
import { FormProvider, useForm } from 'react-hook-form'
import type { FormValues, RuleContext } from '#contract/application.ts'
import { useText } from '#i18n/intl.ts'
import { useServices } from '#app/services.ts'
import type { Draft } from '#store/draft.ts'
import { Button, ButtonRow } from '#ui/button.tsx'
import { Page } from '#ui/page.tsx'
import styles from './application-form.module.css'
import { ConflictPanel } from './conflict-panel.tsx'
import { LockedPanel } from './locked-panel.tsx'
import { FormErrorSummary } from './form-error-summary.tsx'
import { useTab } from './form-route.ts'
import { createResolver, createRules } from './form-rules.ts'
import { verifiedFields } from './form-start.ts'
import { FormTabs } from './form-tabs.tsx'
import { HandOver } from './hand-over.tsx'
import { useVerifiedContact } from './verified-contact.ts'
import { SubmitStatus } from './submit-status.tsx'
import { SaveStatus } from './save-status.tsx'
import { useFormActions } from './use-form-actions.ts'
import { useFormPersistence } from './use-form-persistence.ts'

type ApplicationFormProps = { start: { values: FormValues; restored: boolean; lastKnown: Draft } }

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
  const persistence = useFormPersistence({ form, rules, ...start })
  const { autosave, validation } = persistence
  const actions = useFormActions({ form, rules, persistence })
  const isLocked =
    useSyncExternalStore(persistence.tabLock.subscribe, persistence.tabLock.state) === 'elsewhere'
  const heading = t(`tab.${tab}`)
  const refused = actions.refusal?.tab === tab

  function leaveField() {
    validation.fieldLeft()
    void autosave.flush()
  }

  function submit(event: FormEvent) {
    event.preventDefault()
    if (!isLocked) void actions.goOn()
  }

  return (
    <FormProvider {...form}>
      <Page heading={heading}>
        <title>{t('app.title', { page: refused ? t('app.errorTitle', { page: heading }) : heading })}</title>
        <FormTabs validation={validation} />
        <SaveStatus autosave={autosave} />
        {!actions.isLast && <SubmitStatus />}
        <HandOver autosave={autosave} />
        {isLocked && <LockedPanel onTakeBack={persistence.tabLock.acquire} />}
        {!isLocked && <ConflictPanel onResolved={persistence.resolveConflicts} />}
        {refused && <FormErrorSummary key={actions.refusal?.count} tab={tab} />}
        {/* eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- focus that leaves a field is heard here once for all */}
        <form noValidate onSubmit={submit} onPointerDown={validation.pressStarted} onBlur={leaveField}>
          <fieldset className={styles.whole} disabled={isLocked}>
            <Outlet />
          </fieldset>
          <ButtonRow>
            <Button
              type="submit"
              onMouseDown={keepFocus}
              disabled={isLocked}
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
        {actions.isLast && <SubmitStatus />}
      </Page>
    </FormProvider>
  )
}

function useRules(): () => RuleContext {
  const services = useServices()
  const verifiedContact = useVerifiedContact()
  const [verified] = useState(() => verifiedFields(verifiedContact))
  const [rules] = useState(() => createRules(services, verified))
  return rules
}

/**
 * A field that loses the focus to a pressed button may get a message, which moves the button away from under the
 * pointer before it is released: the click would be lost. So the field keeps the focus until the click.
 */
function keepFocus(event: MouseEvent) {
  event.preventDefault()
}
