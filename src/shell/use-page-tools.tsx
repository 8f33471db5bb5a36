import { type ReactNode, useEffect, useState } from 'react'
import { loadOnce, loadWithRetry } from '#device/load-with-retry.ts'
import { loadFullStyleSheet, whenHydrated } from '#device/prerendered.ts'
import { cachePart, whenWorkerControls } from '#device/service-worker.ts'
import { useServices } from '#app/services.ts'
import { doNothing } from '#device/do-nothing.ts'

type KioskTools = { office: ReactNode; action: ReactNode }

/** After the retries of `loadWithRetry` have failed. */
const kioskRetryDelayMs = 5_000

/**
 * The tools that load after hydration: the button that reads a page aloud, where the device has voices, and the parts of
 * a kiosk in the header. When a load fails, the page stays usable without the tool; those of a kiosk
 * load again until they are there.
 */
export function usePageTools(): { listen: ReactNode; kiosk: KioskTools } {
  const { device, deviceUse, language } = useServices()
  const [listen, setListen] = useState<ReactNode>(null)
  const [kiosk, setKiosk] = useState<KioskTools>({ office: null, action: null })

  // Voices and files arrive outside React.
  useEffect(() => {
    const loadShared = async () => {
      await whenHydrated()
      await Promise.all([loadFullStyleSheet(), language.loadMessages('tools')])
      // Only a device that has voices, or is a kiosk, caches the tools.
      void whenWorkerControls().then(() => cachePart('tools'))
    }
    const loadListen = loadOnce(async () => {
      await loadShared()
      const [{ ListenButton }, speech] = await Promise.all([
        loadWithRetry(() => import('./listen-button.tsx')),
        device.loadSpeech(),
      ])
      // A new element at each report of voices, so that the button looks for a voice again.
      return () => <ListenButton speech={speech} />
    })
    const loadKiosk = async (officeId: string) => {
      await loadShared()
      const { KioskFinish, KioskOffice } = await loadWithRetry(() => import('./kiosk-tools.tsx'))
      setKiosk({ office: <KioskOffice officeId={officeId} />, action: <KioskFinish /> })
      if (!deviceUse.isEndRequested()) return
      const { EndKiosk } = await loadWithRetry(() => import('./end-kiosk.tsx'))
      const action = (
        <>
          <KioskFinish />
          <EndKiosk />
        </>
      )
      setKiosk({ office: <KioskOffice officeId={officeId} />, action })
    }
    // A visitor of a kiosk has no other log-out.
    const keepLoadingKiosk = (officeId: string): Promise<unknown> =>
      loadKiosk(officeId).catch(() => device.after(kioskRetryDelayMs, () => void keepLoadingKiosk(officeId)))
    const use = deviceUse.current()
    if (use.kind === 'kiosk') void keepLoadingKiosk(use.officeId)
    return device.onVoices(() => void loadListen().then(create => setListen(create()), doNothing))
  }, [device, deviceUse, language])

  return { listen, kiosk }
}
