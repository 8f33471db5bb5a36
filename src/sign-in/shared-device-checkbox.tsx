import { useSyncExternalStore } from 'react'
import { useText } from '#i18n/intl.ts'
import { useServices } from '#app/services.ts'
import { Checkbox } from '#ui/checkbox.tsx'

/** The applicant says that others use this device too (D31); on a kiosk there is nothing to say. */
export function SharedDeviceCheckbox() {
  const t = useText()
  const { deviceUse } = useServices()
  const use = useDeviceUse()
  if (use.kind === 'kiosk') return null
  return (
    <Checkbox
      name="sharedDevice"
      label={t('signIn.shared')}
      hint={t('signIn.sharedDetail')}
      checked={use.kind === 'shared'}
      onChange={event => deviceUse.choose(event.target.checked)}
    />
  )
}

export function useDeviceUse() {
  const { deviceUse } = useServices()
  return useSyncExternalStore(deviceUse.subscribe, deviceUse.current, deviceUse.current)
}
