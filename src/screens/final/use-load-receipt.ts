import { useLanguage } from '#i18n/use-language.ts'
import { useServices } from '#app/services.ts'
import { loadReceipt } from '#sync/receipts.ts'
import { useFinalParams } from './final-route.ts'

/**
 * Returns a function that loads the receipt of the shown appointment in the language of the page. When it cannot load
 * the receipt, it resolves to the cached file, perhaps in another language, or to undefined (`loadReceipt`).
 */
export function useLoadReceipt(): () => Promise<Blob | undefined> {
  const services = useServices()
  const language = useLanguage()
  const { appId, appointmentId } = useFinalParams()
  return () => loadReceipt(services, { appId, appointmentId, language })
}
