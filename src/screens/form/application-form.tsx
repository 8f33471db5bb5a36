import { Outlet } from '@tanstack/react-router'
import { type ComponentProps, type FormEvent, useState, useSyncExternalStore } from 'react'
import { FormProvider, useForm } from 'react-hook-form'
import type { FormValues, RuleContext } from '#contract/application.ts'
import { useText } from '#i18n/intl.ts'
import { useServices, useAutoCompleteOfDevice } from '#app/services.ts'
import type { Draft } from '#store/draft.ts'
import { Button, ButtonRow } from '#ui/button.tsx'
import { keepFocus } from '#ui/keep-focus.ts'
import styles from './application-form.module.css'
import { ConflictPanel } from './conflict-panel.tsx'
import { EarlierAnswersButton } from './earlier-answers-button.tsx'
import { FormErrorSummary } from './form-error-summary.tsx'
import { useTab } from './form-route.ts'
import { createResolver, createRuleContext } from './form-rules.ts'
import type { FormOrigin } from './form-start.ts'
import { FormTabs } from './form-tabs.tsx'
import { HandOverForm } from './hand-over-form.tsx'
import { LockedPanel } from './locked-panel.tsx'
import { SaveStatus } from './save-status.tsx'
import { SubmitStatus, useSubmitStatus } from './submit-status.tsx'
import { TabLockContext } from './tab-lock-context.ts'
import { type FormActions, useFormActions } from './use-form-actions.ts'
import { useFormPersistence } from './use-form-persistence.ts'
import { ValidationContext } from './validation-context.ts'
import { createVerifiedFields } from './verified-contact.ts'

type ApplicationFormProps = {
  /**
   * `lastKnown`: the draft that the form starts from. `mayMissDraft`: the device may have a draft that it could not read when
   * the form started (D74).
   */
  start: { values: FormValues; origin: FormOrigin; lastKnown: Draft; mayMissDraft: boolean }
  /** The heading of the page, for its title. */
  heading: string
}

/** One form for all four tabs: it stays mounted while the applicant changes the tab. */
export function ApplicationForm({ start, heading }: ApplicationFormProps) {
  const t = useText()
  const tab = useTab()
  const context = useRuleContext()
  const [resolver] = useState(() => createResolver(context))
  const form = useForm<FormValues>({
    defaultValues: start.values,
    resolver,
    // `validation` decides when issues appear during typing and on blur.
    mode: 'onSubmit',
    reValidateMode: 'onSubmit',
    shouldFocusError: false,
  })
  const persistence = useFormPersistence({ form, context, ...start })
  const { autosave, tabLock, validation } = persistence
  const actions = useFormActions({ form, context, persistence })
  const lock = useSyncExternalStore(tabLock.subscribe, tabLock.state)
  const isLocked = lock !== 'this-tab'
  const showsIssues = actions.shownIssues?.tab === tab

  function handleBlur() {
    validation.fieldLeft()
    void autosave.flush()
  }

  function submit(event: FormEvent) {
    event.preventDefault()
    if (!isLocked) void actions.goForward()
  }

  return (
    <FormProvider {...form}>
      <title>
        {t('app.title', { page: showsIssues ? t('app.errorTitle', { page: heading }) : heading })}
      </title>
      <FormTabs validation={validation} />
      {lock !== 'deleted' && <SaveStatus autosave={autosave} mayMissDraft={start.mayMissDraft} />}
      {!actions.isLast && <SubmitStatus isLast={false} />}
      {!isLocked && <HandOverForm autosave={autosave} place="top" />}
      <LockedPanel lock={lock} onTakeBack={tabLock.acquire} />
      {!isLocked && <ConflictPanel onResolved={persistence.resolveConflicts} />}
      {showsIssues && <FormErrorSummary key={actions.shownIssues?.count} tab={tab} />}
      <FormElement onSubmit={submit} onPointerDown={validation.pressStarted} onBlur={handleBlur}>
        <fieldset className={styles.whole} disabled={isLocked}>
          <ValidationContext value={validation}>
            <TabLockContext value={tabLock}>
              <Outlet />
            </TabLockContext>
          </ValidationContext>
        </fieldset>
        <FormButtons actions={actions} isLocked={isLocked} />
      </FormElement>
      <AfterForm {...{ actions, persistence, isLocked }} />
    </FormProvider>
  )
}

function FormElement(
  props: Pick<ComponentProps<'form'>, 'children' | 'onSubmit' | 'onPointerDown' | 'onBlur'>,
) {
  return <form noValidate autoComplete={useAutoCompleteOfDevice()} {...props} />
}

type AfterFormProps = {
  actions: FormActions
  persistence: ReturnType<typeof useFormPersistence>
  isLocked: boolean
}

function AfterForm({ actions, persistence, isLocked }: AfterFormProps) {
  return (
    <>
      {/* On the last tab the submit status is below the buttons. */}
      {actions.isLast && <SubmitStatus isLast />}
      {!isLocked && <EarlierAnswersButton onRestore={persistence.restore} />}
      {/* Hands this form over to another phone (D38). */}
      {!isLocked && <HandOverForm autosave={persistence.autosave} place="end" />}
    </>
  )
}

function FormButtons({ actions, isLocked }: { actions: FormActions; isLocked: boolean }) {
  const t = useText()
  const isSubmitted = useSubmitStatus() === 'sent'
  return (
    <ButtonRow>
      <Button
        type="submit"
        variant={actions.isLast && isSubmitted ? 'secondary' : 'primary'}
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
  )
}

function useRuleContext(): () => RuleContext {
  const services = useServices()
  const [context] = useState(() => createRuleContext(services, createVerifiedFields(services)))
  return context
}
