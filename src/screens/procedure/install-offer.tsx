import { useState, useSyncExternalStore } from 'react'
import { useText } from '#i18n/intl.ts'
import { useServices } from '#app/services.ts'
import { Button } from '#ui/button.tsx'
import { Panel } from '#ui/panel.tsx'
import { mayOfferInstall } from './may-offer-install.ts'
import styles from './install-offer.module.css'

const dismissedKey = 'install-offer'

/** Offers to install the portal (OFF01) once a form is confirmed, until the applicant dismisses it on this device. */
export function InstallOffer({ applications }: { applications: readonly { currentState: string }[] }) {
  const t = useText()
  const { device, deviceUse } = useServices()
  const method = useSyncExternalStore(
    listener => device.onInstallMethod(listener),
    () => device.installMethod(),
  )
  const [dismissed, setDismissed] = useState(() => device.readText(dismissedKey) !== undefined)
  if (!method || dismissed || !mayOfferInstall({ use: deviceUse.current(), applications })) return null

  function dismiss() {
    device.saveText(dismissedKey, 'dismissed')
    setDismissed(true)
  }

  async function install() {
    // Asks the browser not to delete the data of an installed portal by itself.
    void device.persistStorage()
    if (!(await device.install())) dismiss()
  }

  return (
    <div className={styles.place}>
      <Panel heading={t('install.heading')}>
        <p>{t(method === 'prompt' ? 'install.text' : 'install.byHand')}</p>
        <div className={styles.actions}>
          {method === 'prompt' && (
            <Button variant="secondary" onClick={() => void install()}>
              {t('install.now')}
            </Button>
          )}
          <Button
            variant="quiet"
            onClick={method === 'prompt' ? dismiss : () => (void device.persistStorage(), dismiss())}
          >
            {t(method === 'prompt' ? 'install.no' : 'install.understood')}
          </Button>
        </div>
      </Panel>
    </div>
  )
}
