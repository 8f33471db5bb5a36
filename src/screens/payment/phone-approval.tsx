import type { Payment } from '#contract/payment.ts'
import { showShortened, shortenContact } from '#contract/short-contact.ts'
import { formatAmount } from '#i18n/format.ts'
import { useText } from '#i18n/intl.ts'
import { useLanguage } from '#i18n/use-language.ts'
import { VisuallyHidden } from '#ui/visually-hidden.tsx'
import { DialSentence } from './dial-sentence.tsx'
import { operatorOf } from './operators.ts'
import styles from './phone-approval.module.css'

/** The steps by which the payer approves the payment on the phone. `method`: the wallet; '' while it is unknown. */
export function PhoneApproval({ payment, method }: { payment: Payment; method: string }) {
  const t = useText()
  const language = useLanguage()
  const phone = payment.phoneNumber ?? ''
  const operator = operatorOf({ method, phone })
  const amount = formatAmount(payment.amount, payment.currency, language)
  return (
    <>
      {phone !== '' && <MaskedPhone phone={phone} />}
      {/* The button that reads the page aloud reads the steps because of `data-listen`. */}
      <ol className={styles.steps} data-listen>
        <li>{operator ? t('approval.open', { operator: operator.name }) : t('approval.openAny')}</li>
        <li>{t('approval.accept', { amount })}</li>
        <li>
          {operator ? <DialSentence text="approval.dial" code={operator.dial} /> : t('approval.dialAny')}
        </li>
      </ol>
    </>
  )
}

function MaskedPhone({ phone }: { phone: string }) {
  const t = useText()
  const short = shortenContact({ kind: 'phone', value: phone })
  return (
    <p className={styles.phone}>
      <span aria-hidden="true">{showShortened(short)}</span>
      <VisuallyHidden>{t('approval.phone', { end: short.end })}</VisuallyHidden>
    </p>
  )
}
