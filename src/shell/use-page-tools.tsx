import { type ReactNode, useEffect, useState } from 'react'
import { loadOnce, loadWithRetry } from '#device/load-with-retry.ts'
import { loadFullStyleSheet, whenHydrated } from '#device/prerendered.ts'
import { useServices } from '#app/services.ts'

/**
 * The tools that load after hydration: the button that reads a page aloud, where the device has voices, and the strip of
 * a kiosk. When a load fails, the page stays usable without the tool.
 */
export function usePageTools(): { listen: ReactNode; kiosk: ReactNode } {
  const { device, deviceUse, language } = useServices()
  const [listen, setListen] = useState<ReactNode>(null)
  const [kiosk, setKiosk] = useState<ReactNode>(null)

  // Voices and files arrive outside React.
  useEffect(() => {
    const loadShared = async () => {
      await whenHydrated()
      await Promise.all([loadFullStyleSheet(), language.loadMessages('tools')])
    }
    const loadListen = loadOnce(async () => {
      await loadShared()
      const [{ ListenButton }, speech] = await Promise.all([
        loadWithRetry(() => import('./listen-button.tsx')),
        device.loadSpeech(),
      ])
      // A new element at each call, because the device may have other voices then.
      return () => <ListenButton speech={speech} />
    })
    const loadKiosk = async (officeId: string) => {
      await loadShared()
      const { KioskStrip } = await loadWithRetry(() => import('./kiosk-strip.tsx'))
      setKiosk(<KioskStrip officeId={officeId} />)
    }
    const use = deviceUse.current()
    if (use.kind === 'kiosk') loadKiosk(use.officeId).catch(doNothing)
    return device.onVoices(() => void loadListen().then(create => setListen(create()), doNothing))
  }, [device, deviceUse, language])

  return { listen, kiosk }
}

function doNothing(): void {}
