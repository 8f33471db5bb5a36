import type { ReactNode } from 'react'
import { listDialCodes } from '#contract/dial-codes.ts'
import type { IssueCode } from '#contract/issues.ts'
import { walletName } from '#contract/wallet-name.ts'
import { codeKind } from '#contract/payer-input.ts'
import { useText } from '#i18n/intl.ts'
import { useServices } from '#app/services.ts'
import { issueText } from '#i18n/issue-text.ts'
import { useLanguage } from '#i18n/use-language.ts'
import { Button } from '#ui/button.tsx'
import { PhoneField } from '#ui/phone-field.tsx'
import { SelectField } from '#ui/select-field.tsx'
import { TextField } from '#ui/text-field.tsx'
import { DialSentence } from './dial-sentence.tsx'
import type { OfferedMethod } from './offered-methods.ts'
import type { PaymentAnswers, PaymentField } from './payment-answers.ts'
import styles from './payer-fields.module.css'

type PayerFieldsProps = {
  method: OfferedMethod
  answers: PaymentAnswers
  /** The issue that the form shows at a field; undefined when there is none, or it is too early to show it. */
  issueOf: (field: PaymentField) => IssueCode | undefined
  onAnswer: (next: Partial<PaymentAnswers>) => void
  onLeave: (field: PaymentField) => void
}

export function hasFields({ type }: OfferedMethod): boolean {
  return type === 'MOBILE' || type === 'AGGREGATOR'
}

/** The fields of the chosen method (PAY08, PAY11); most methods have none. */
export function PayerFields(props: PayerFieldsProps) {
  const t = useText()
  if (props.method.type === 'MOBILE') return <PayerPhone {...props} label={t('payment.phone')} />
  return props.method.type === 'AGGREGATOR' ? <AggregatorFields {...props} /> : null
}

function AggregatorFields(props: PayerFieldsProps) {
  const t = useText()
  const { deviceUse } = useServices()
  const { method, answers, issueOf, onAnswer, onLeave } = props
  return (
    <>
      <SelectField
        name="paymentMethod"
        label={t('payment.aggregatorMethod')}
        placeholder={t('select.choose')}
        options={method.operators.map(name => ({ value: name, label: walletName(name) }))}
        value={answers.paymentMethod}
        error={issueText(t, issueOf('paymentMethod'))}
        onChange={event => onAnswer({ paymentMethod: event.target.value })}
        onBlur={() => onLeave('paymentMethod')}
      />
      <TextField
        name="name"
        autoComplete={deviceUse.isShared() ? 'off' : 'name'}
        label={t('payment.aggregatorName')}
        value={answers.name}
        error={issueText(t, issueOf('name'))}
        onChange={event => onAnswer({ name: event.target.value })}
        onBlur={() => onLeave('name')}
      />
      <PayerPhone {...props} label={t('payment.aggregatorPhone')} />
      <OperatorCode {...props} />
    </>
  )
}

function PayerPhone({ label, answers, issueOf, onAnswer, onLeave }: PayerFieldsProps & { label: string }) {
  const t = useText()
  const language = useLanguage()
  const { deviceUse } = useServices()
  return (
    <PhoneField
      id="phone"
      name="phone"
      autoComplete={deviceUse.isShared() ? 'off' : undefined}
      dialCodeName="dialCode"
      label={label}
      dialCodeLabel={t('field.dialCode')}
      dialCodes={listDialCodes(language)}
      value={{ dialCode: answers.dialCode, number: answers.phone }}
      error={issueText(t, issueOf('phone'))}
      onChange={({ dialCode, number }) => onAnswer({ dialCode, phone: number })}
      onBlur={() => onLeave('phone')}
    />
  )
}

/** Orange Money sends a one-time code to a payer who dials `orangeUssdCode`; Yoomee Money asks for its PIN (PAY15). */
function OperatorCode({ answers, issueOf, onAnswer, onLeave }: PayerFieldsProps) {
  const t = useText()
  const kind = codeKind(answers.paymentMethod)
  if (kind === 'none') return null
  return (
    <TextField
      name="otp"
      type={kind === 'yoomee' ? 'password' : 'text'}
      inputMode="numeric"
      autoComplete="off"
      width="short"
      label={t(kind === 'yoomee' ? 'payment.aggregatorPin' : 'payment.aggregatorCode')}
      hint={kind === 'orange' ? <DialForCode /> : undefined}
      value={answers.otp}
      error={issueText(t, issueOf('otp'))}
      onChange={event => onAnswer({ otp: event.target.value })}
      onBlur={() => onLeave('otp')}
    />
  )
}

/** What a payer with Orange Money dials (USSD) to get the one-time code. */
const orangeUssdCode = '#150*4*4#'

/** The sentence with the USSD code, and a button that copies this code. */
function DialForCode(): ReactNode {
  const t = useText()
  const { device, notices } = useServices()

  async function copy() {
    const copied = await device.copy(orangeUssdCode)
    notices.raise(copied ? 'success' : 'warning', { key: copied ? 'notice.copied' : 'notice.notCopied' })
  }

  return (
    <>
      <DialSentence text="payment.dialCode" code={orangeUssdCode} />
      <span className={styles.copy}>
        <Button variant="secondary" onClick={() => void copy()}>
          {t('payment.copyCode')}
        </Button>
      </span>
    </>
  )
}
