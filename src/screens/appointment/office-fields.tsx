import type { UseQueryResult } from '@tanstack/react-query'
import type { City, Country, Office } from '#contract/dictionary.ts'
import { useText } from '#i18n/intl.ts'
import { stateOfList } from '#summary/list-state.ts'
import { SelectField, type SelectState } from '#ui/select-field.tsx'
import type { Level, Picks } from './booking-selection.ts'
import styles from './appointment.module.css'

type OfficeLists = {
  countries: UseQueryResult<Country[]>
  cities: UseQueryResult<City[]>
  offices: UseQueryResult<Office[]>
}

type OfficeFieldsProps = OfficeLists & {
  /** The applicant's picks, and the only city or office of a list where the applicant picked none (APT08, APT10). */
  chosen: Picks
  errorOf: (level: Level) => string | undefined
  onPick: (level: Level, value: string) => void
}

/** Country, city and office, and the address of the office (APT01, APT02). */
export function OfficeFields({ countries, cities, offices, chosen, errorOf, onPick }: OfficeFieldsProps) {
  const t = useText()
  const office = offices.data?.find(({ id }) => id === chosen.officeId)
  const fieldProps = (level: Level) => ({
    name: level,
    value: chosen[level],
    error: errorOf(level),
    placeholder: t('select.choose'),
    onChange: (event: { target: { value: string } }) => onPick(level, event.target.value),
  })
  return (
    <>
      <div className={styles.pair}>
        <SelectField
          {...fieldProps('country')}
          label={t('appointment.country')}
          options={optionsOf(countries.data)}
          state={stateOfList(t, countries)}
        />
        <SelectField
          {...fieldProps('city')}
          label={t('appointment.city')}
          options={optionsOf(cities.data)}
          state={
            chosen.country === '' ? waitingState(t('select.firstSelectCountry')) : stateOfList(t, cities)
          }
        />
      </div>
      <SelectField
        {...fieldProps('officeId')}
        label={t('appointment.office')}
        options={optionsOf(offices.data)}
        state={chosen.city === '' ? waitingState(t('select.firstSelectCity')) : stateOfList(t, offices)}
      />
      {office && (
        <p className={styles.address}>
          <span className={styles.term}>{t('appointment.address')}</span>{' '}
          {office.address || t('appointment.addressUnknown')}
        </p>
      )}
    </>
  )
}

function optionsOf(items: readonly { id: string; name: string }[] | undefined) {
  return (items ?? []).map(({ id, name }) => ({ value: id, label: name }))
}

function waitingState(text: string): SelectState {
  return { kind: 'waiting', text }
}
