import { Fragment, type ReactNode } from 'react'
import type { IssueCode } from '#contract/issues.ts'
import { formatAmount } from '#i18n/format.ts'
import { useText } from '#i18n/intl.ts'
import { issueText } from '#i18n/issue-text.ts'
import { useLanguage } from '#i18n/use-language.ts'
import { TileGroup } from '#ui/tile.tsx'
import type { OfferedMethod, PayableType } from './offered-methods.ts'
import { operators } from './operators.ts'

type MethodChoiceProps = {
  methods: readonly OfferedMethod[]
  chosen: PayableType | ''
  issue: IssueCode | undefined
  onChoose: (type: PayableType) => void
  /** The fields of the chosen method, shown inside its tile. */
  children?: ReactNode
}

/** The payment methods as tiles (PAY03, S27). */
export function MethodChoice({ methods, chosen, issue, onChoose, children }: MethodChoiceProps) {
  const t = useText()
  return (
    <TileGroup
      id="type"
      name="type"
      label={t('payment.offer')}
      error={issueText(t, issue)}
      value={chosen}
      options={methods.map(method => ({
        value: method.type,
        label: t(`method.${method.type}`),
        detail: <MethodDetail method={method} />,
        content: method.type === chosen && children,
      }))}
      onChange={event => {
        const method = methods.find(({ type }) => type === event.target.value)
        if (method) onChoose(method.type)
      }}
    />
  )
}

function MethodDetail({ method }: { method: OfferedMethod }) {
  const t = useText()
  const language = useLanguage()
  const { type, fee, currency, hasOwnFee } = method
  return (
    <>
      {t(`methodDetail.${type}`)}
      {type === 'MOBILE' &&
        operators.map(({ name, ranges }) => (
          <Fragment key={name}>
            <br />
            {t('payment.operator', { name, ranges })}
          </Fragment>
        ))}
      {hasOwnFee && (
        <>
          <br />
          <strong>{t('payment.ownFee', { amount: formatAmount(fee, currency, language) })}</strong>
        </>
      )}
    </>
  )
}
