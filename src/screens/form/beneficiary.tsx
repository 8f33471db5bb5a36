import { useQuery } from '@tanstack/react-query'
import type { Beneficiary } from '#contract/beneficiary.ts'
import { useText } from '#i18n/intl.ts'
import { useLoadedServices } from '#app/services.ts'
import { useFormParams } from './form-route.ts'
import styles from './space-below.module.css'

/** Whom the open application is for; undefined when this device does not know it, or has not read it yet (LST14). */
export function useBeneficiary(): Beneficiary | undefined {
  const services = useLoadedServices()
  const { appId } = useFormParams()
  const { data } = useQuery({
    queryKey: ['beneficiary', appId],
    queryFn: async () => (await (await services.openStore()).beneficiaries.read(appId)) ?? null,
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  })
  return data ?? undefined
}

/** Says whose data the Person tab asks for; absent unless the application is for a child or for another person. */
export function BeneficiaryHint() {
  const t = useText()
  const beneficiary = useBeneficiary()
  if (beneficiary !== 'child' && beneficiary !== 'other') return null
  return (
    <p className={styles.spaceBelow} data-listen>
      {t(`forHint.${beneficiary}`)}
    </p>
  )
}
