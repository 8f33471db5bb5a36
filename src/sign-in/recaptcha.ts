/// <reference types="trusted-types" />

import type { Device } from '#device/device.ts'

const scriptUrl = 'https://www.google.com/recaptcha/api.js?render=explicit&onload=recaptchaIsReady'

/** Google's script loads a second one, whose failure causes no event: after this time it counts as lost. */
const timeoutMs = 30_000

/**
 * The part of Google's API that the portal uses. `callback` gets the token that the server verifies. `render` is
 * missing while Google's second script loads.
 */
type Recaptcha = {
  render?: (container: HTMLElement, options: { sitekey: string; callback: (token: string) => void }) => number
}

declare global {
  interface Window {
    grecaptcha?: Recaptcha
    recaptchaIsReady?: () => void
  }
}

let loading: Promise<unknown> | undefined

/**
 * Shows reCAPTCHA v2 in a container. Loads Google's script at the first call, not with the page (S46). `callback` gets
 * the token of each solved challenge. Resolves to false when the script does not load in time; the next call loads it
 * again.
 */
export async function showRecaptcha(
  device: Pick<Device, 'after'>,
  container: HTMLElement,
  options: { sitekey: string; callback: (token: string) => void },
): Promise<boolean> {
  if (!window.grecaptcha?.render) {
    loading ??= loadScript(device).finally(() => (loading = undefined))
    await loading
  }
  // React may attach the container twice, and reCAPTCHA renders only once into it.
  if (!container.hasChildNodes()) window.grecaptcha?.render?.(container, options)
  return window.grecaptcha?.render !== undefined
}

/** Resolves when the script is ready, has failed, or was probably lost. */
function loadScript(device: Pick<Device, 'after'>): Promise<void> {
  return new Promise(resolve => {
    device.after(timeoutMs, resolve)
    const script = document.createElement('script')
    window.recaptchaIsReady = () => resolve()
    script.addEventListener('error', () => resolve())
    script.async = true
    try {
      script.src = trustedUrl()
      document.head.append(script)
    } catch {
      resolve() // The CSP forbids the policy of `trustedUrl` when the server is not configured for reCAPTCHA.
    }
  })
}

function trustedUrl(): string {
  const policy = window.trustedTypes?.createPolicy('recaptcha-url', { createScriptURL: url => url })
  // TypeScript's DOM library accepts only strings.
  return policy ? (policy.createScriptURL(scriptUrl) as unknown as string) : scriptUrl
}
