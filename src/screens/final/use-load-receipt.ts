import { useLanguage } from '#i18n/use-language.ts'
import { useServices } from '#app/services.ts'
import { useFinalParams } from './final-route.ts'

/** Returns a function that loads the receipt of the shown appointment in the language of the page; undefined when it fails. */
export function useLoadReceipt(): () => Promise<Blob | undefined> {
  const { receipts } = useServices()
  const language = useLanguage()
  const { appId, appointmentId } = useFinalParams()
  return () => receipts.load({ appId, appointmentId, language })
}
