import { useQuery } from '@tanstack/react-query'
import { type Beneficiary, beneficiaryRowName, toBeneficiary } from '#contract/beneficiary.ts'
import { useText } from '#i18n/intl.ts'
import { type LoadedServices, useLoadedServices } from '#app/services.ts'
import { useFormParams } from './form-route.ts'
import styles from './spaced-button.module.css'

/** Whom the open application is for; undefined when this device does not know it (LST14). */
export function useBeneficiary(): Beneficiary | undefined {
  const services = useLoadedServices()
  const { appId } = useFormParams()
  const { data } = useQuery({
    queryKey: ['beneficiary', appId],
    queryFn: async () => (await readBeneficiary(services, appId)) ?? null,
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  })
  return data ?? undefined
}

/** The answer may have been saved under the local id with which the application began (D33). */
async function readBeneficiary(services: LoadedServices, appId: string): Promise<Beneficiary | undefined> {
  const { drafts, lastSeen } = await services.openStore()
  const localIds = [...(await drafts.moves())].flatMap(([localId, id]) => (id === appId ? [localId] : []))
  for (const id of [appId, ...localIds]) {
    const found = toBeneficiary(await lastSeen.read(beneficiaryRowName(id)))
    if (found) return found
  }
  return undefined
}

/** Says whose data the Person tab asks for, when these are not the account holder's. */
export function BeneficiaryHint() {
  const t = useText()
  const beneficiary = useBeneficiary()
  if (beneficiary !== 'child' && beneficiary !== 'other') return null
  return <p className={styles.place}>{t(`forHint.${beneficiary}`)}</p>
}
