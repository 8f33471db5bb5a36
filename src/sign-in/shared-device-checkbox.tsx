import { useText } from '#i18n/intl.ts'
import { useServices } from '#app/services.ts'
import { Checkbox } from '#ui/checkbox.tsx'
import { useSnapshot } from '#ui/use-snapshot.ts'

/** Lets the applicant mark this device as shared (D31). Absent on a kiosk, which is always shared. */
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
  return useSnapshot(deviceUse.subscribe, deviceUse.current)
}
