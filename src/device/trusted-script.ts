/// <reference types="trusted-types" />

/** What a script's address has to be where Trusted Types are in force; a plain text elsewhere. */
export type ScriptAddress = TrustedScriptURL | string

/** The service worker, and the worker of the PDF viewer: nothing else of ours is ever started by its address. */
const ownScripts = /^\/(?:sw\.js|assets\/pdf\.worker[\w.-]*\.mjs)$/

let policy: Pick<TrustedTypePolicy, 'createScriptURL'> | undefined

/** The CSP names this one policy, and lets it be made once. */
export function trustScript(url: string): ScriptAddress {
  policy ??= window.trustedTypes?.createPolicy('sw-url', { createScriptURL: refuseOthers })
  return policy ? policy.createScriptURL(url) : refuseOthers(url)
}

function refuseOthers(url: string): string {
  if (!ownScripts.test(url)) throw new TypeError('not a script of the portal')
  return url
}
