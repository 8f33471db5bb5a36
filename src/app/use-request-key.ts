import { useRef } from 'react'
import { useServices } from './services.ts'

/**
 * The idempotency key of the last request (D13). The same request keeps its key until `forget`, which the screen calls
 * after an answer that ends the intent, or until another request.
 */
export function useRequestKey() {
  const { device } = useServices()
  const last = useRef({ request: '', key: '' })
  return {
    of(request: unknown): string {
      const text = JSON.stringify(request)
      if (last.current.request !== text) last.current = { request: text, key: device.randomId() }
      return last.current.key
    },
    forget() {
      last.current = { request: '', key: '' }
    },
  }
}
