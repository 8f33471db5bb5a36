import { useIntl } from 'react-intl'
import { useWatch } from 'react-hook-form'
import type { FormValues } from '#contract/application.ts'
import { genderOfParent } from '#contract/codes.ts'
import { isBlank } from '#contract/fields.ts'
import { useText } from '#i18n/intl.ts'
import { CopyOffers } from './copy-offers.tsx'
import { useApplicationForm } from './form-hooks.ts'

const parents = ['mother', 'father'] as const
type Parent = (typeof parents)[number]

/**
 * Copies the name and the gender of a parent into the representative (REP16): often a parent represents the child.
 * Offered for each parent with a surname, while the representative has no name.
 */
export function SameAsParent() {
  const t = useText()
  const form = useApplicationForm()
  const listParts = usePartList()
  useWatch<FormValues>({ name: ['reprSurname', 'reprGivenName', ...parents.flatMap(namesOf)] })
  const values = form.getValues()
  const isNamed = !isBlank(values.reprSurname) || !isBlank(values.reprGivenName)
  const namedParents = isNamed ? [] : parents.filter(parent => !isBlank(values[namesOf(parent)[0]]))
  const offers = namedParents.map(parent => {
    const [surname, givenName] = namesOf(parent)
    const hasGivenName = !isBlank(values[givenName])
    return {
      key: parent,
      label: t('sameAs.button', { parent, groups: listParts(hasGivenName) }),
      done: <Done parent={parent} hasGivenName={hasGivenName} />,
      answers: {
        reprSurname: values[surname],
        ...(hasGivenName && { reprGivenName: values[givenName] }),
        reprGender: genderOfParent[parent],
      },
    }
  })
  return <CopyOffers offers={offers} />
}

/** A component, because the language of the page may change after the press. */
function Done({ parent, hasGivenName }: { parent: Parent; hasGivenName: boolean }) {
  const t = useText()
  return t('sameAs.done', { parent, groups: usePartList()(hasGivenName) })
}

function usePartList(): (hasGivenName: boolean) => string {
  const t = useText()
  const intl = useIntl()
  return hasGivenName =>
    intl.formatList([
      t('sameAs.surname'),
      ...(hasGivenName ? [t('sameAs.givenName')] : []),
      t('sameAs.gender'),
    ])
}

function namesOf(parent: Parent) {
  return [`${parent}Surname`, `${parent}GivenName`] as const
}
