/// <reference types="trusted-types" />

const scriptUrl = 'https://www.google.com/recaptcha/api.js?render=explicit&onload=recaptchaIsReady'

/** The part of Google's API that the portal uses. `callback` gets the token that the server verifies. */
type Recaptcha = {
  render(container: HTMLElement, options: { sitekey: string; callback: (token: string) => void }): number
}

declare global {
  interface Window {
    grecaptcha?: Recaptcha
    recaptchaIsReady?: () => void
  }
}

/**
 * Shows reCAPTCHA v2 in a container. Loads Google's script at the first call, not with the page (S46). `callback` gets
 * the token of each solved challenge. Resolves to false when the script cannot be loaded.
 */
export async function showRecaptcha(
  container: HTMLElement,
  options: { sitekey: string; callback: (token: string) => void },
): Promise<boolean> {
  if (!window.grecaptcha && !(await loadScript())) return false
  window.grecaptcha?.render(container, options)
  return true
}

function loadScript(): Promise<boolean> {
  return new Promise(resolve => {
    const script = document.createElement('script')
    window.recaptchaIsReady = () => resolve(true)
    script.addEventListener('error', () => resolve(false))
    script.async = true
    try {
      script.src = trustedUrl()
      document.head.append(script)
    } catch {
      resolve(false) // The CSP forbids the script when the server is not configured for reCAPTCHA.
    }
  })
}

function trustedUrl(): string {
  const policy = window.trustedTypes?.createPolicy('recaptcha-url', { createScriptURL: url => url })
  // TypeScript's DOM library accepts only strings.
  return policy ? (policy.createScriptURL(scriptUrl) as unknown as string) : scriptUrl
}
