/// <reference types="trusted-types" />

/** A script URL: a TrustedScriptURL where the browser supports Trusted Types, otherwise a string. */
export type ScriptAddress = TrustedScriptURL | string

/**
 * The service worker and the worker of the PDF viewer. The script of reCAPTCHA has a policy of its own (recaptcha.ts).
 */
const workerScripts = /^\/(?:sw\.js|assets\/pdf\.worker[\w.-]*\.mjs)$/

let policy: Pick<TrustedTypePolicy, 'createScriptURL'> | undefined

/**
 * Returns the URL for `new Worker` or `register`. Creates the policy only once, because the CSP of a page without
 * reCAPTCHA refuses a second policy of the same name.
 *
 * @throws TypeError for a URL that is not a worker of the portal
 */
export function trustScript(url: string): ScriptAddress {
  policy ??= window.trustedTypes?.createPolicy('sw-url', { createScriptURL: refuseOthers })
  return policy ? policy.createScriptURL(url) : refuseOthers(url)
}

function refuseOthers(url: string): string {
  if (!workerScripts.test(url)) throw new TypeError(`${url} is not a worker of the portal`)
  return url
}
