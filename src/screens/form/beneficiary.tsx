import { useQuery } from '@tanstack/react-query'
import { useText } from '#i18n/intl.ts'
import { useLoadedServices } from '#app/services.ts'
import { useFormParams } from './form-route.ts'
import styles from './spaced-button.module.css'
import type { Beneficiary } from './take-over-rules.ts'

/** Whom the open application is for; undefined when this device does not know it (LST14). */
export function useBeneficiary(): Beneficiary | undefined {
  const services = useLoadedServices()
  const { appId } = useFormParams()
  const { data } = useQuery({
    queryKey: ['beneficiary', appId],
    queryFn: async () => toBeneficiary(await (await services.openStore()).lastSeen.read(`for ${appId}`)),
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  })
  return data ?? undefined
}

function toBeneficiary(value: unknown): Beneficiary | null {
  return value === 'me' || value === 'child' || value === 'other' ? value : null
}

/** Says whose data the Person tab asks for, when these are not the account holder's. */
export function BeneficiaryHint() {
  const t = useText()
  const beneficiary = useBeneficiary()
  if (beneficiary !== 'child' && beneficiary !== 'other') return null
  return <p className={styles.place}>{t(`forHint.${beneficiary}`)}</p>
}
