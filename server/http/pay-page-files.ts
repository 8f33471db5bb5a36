import { cardFormDelayMs, cardReturnDelayMs, deviceUseStorageKey, sessionFlagKey } from '#contract/codes.ts'
import tokens from '#ui/tokens.css?raw'

export const payPageStylePath = '/pay/page.css'
export const cardScriptPath = '/pay/card.js'
export const returnScriptPath = '/pay/return.js'
export const sharedScriptPath = '/pay/shared.js'

/** The look of the portal, with its colours and sizes, for a page of few elements. */
const payPageStyle = `${tokens}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: var(--text) / 1.5 var(--font);
  text-wrap: pretty; overflow-wrap: break-word; -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body > p, header { margin: 0; padding: 0.125rem max(var(--gutter), calc((100% - 60rem) / 2 + var(--gutter))); }
body > p { background: var(--paper); font-size: var(--text-tiny); font-weight: 600; }
header { display: flex; align-items: center; min-height: 4rem; border-bottom: 4px solid var(--warm);
  background: var(--band); color: var(--on-band); font-weight: 700; line-height: 1.2; }
svg { flex: none; width: 2.25rem; margin-right: var(--space-3); fill: none; stroke: var(--warm); stroke-width: 2.25;
  stroke-linecap: round; stroke-linejoin: round; }
main { max-width: calc(var(--page) + 2 * var(--gutter)); margin: 0 auto;
  padding: var(--space-5) var(--gutter) var(--space-7); background: var(--paper); }
main > * { max-width: var(--measure); }
h1 { margin: 0 0 var(--space-5); font-size: min(var(--text-title), 11vw); line-height: calc(34 / 28);
  text-wrap: balance; }
p { margin: 0 0 var(--space-4); }
a { display: inline-block; padding: var(--space-2) 0; color: var(--accent); }
form + p { margin-top: var(--space-4); }
button, .button { display: block; width: 100%; min-height: var(--target); padding: 0.625rem 1.25rem; border: 2px solid var(--accent);
  border-radius: var(--radius); background: var(--accent); color: var(--on-accent); font: inherit; font-weight: 600;
  text-align: center; text-decoration: none; }
button:focus-visible, a:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; }
@media (min-width: 48rem) {
  body { background: var(--ground); }
  header { min-height: 5.25rem; }
  button, .button { display: inline-block; width: auto; }
  main { margin-top: var(--space-6); padding: var(--space-7) 3.5rem 3.5rem; border: 1px solid var(--line);
    border-radius: var(--radius-large); }
}
`.trim()

/**
 * Sends the form of the card page after the delay of PAY20, unless the payer presses the button first. A field may have
 * the name `submit` and hide that method of its form.
 */
const cardScript = `
const form = document.querySelector('form')
const send = () => HTMLFormElement.prototype.submit.call(form)
const timer = form && setTimeout(send, ${cardFormDelayMs})
addEventListener('submit', () => clearTimeout(timer))
`.trim()

/**
 * On a shared device, replaces the links to a result by the portal's card page, which finds the payment of its tab. The
 * browser's history would keep the ids in the address of a result (D31).
 */
const sharedScript = `
if (localStorage.getItem('${deviceUseStorageKey}') !== null)
  for (const link of document.querySelectorAll('a[href^="/payResult/"]')) link.href = '/cardPayment'
`.trim()

/**
 * Opens the result after the delay, where this browser has a session. In another browser the portal would ask for a
 * sign-in: there the page stays, because it tells a payer who began in the installed app to go back to it. Runs after the
 * script for shared devices.
 */
const returnScript = `
const link = document.querySelector('a.button')
const flag = sessionStorage.getItem('${sessionFlagKey}') ??
  (localStorage.getItem('${deviceUseStorageKey}') === null ? localStorage.getItem('${sessionFlagKey}') : null)
if (flag !== null) {
  document.querySelector('[hidden]').hidden = false
  setTimeout(() => location.replace(link.href), ${cardReturnDelayMs})
}
`.trim()

/** The path, type and text of each file that the pages load. */
export const payPageFiles = [
  [payPageStylePath, 'text/css', payPageStyle],
  [cardScriptPath, 'text/javascript', cardScript],
  [returnScriptPath, 'text/javascript', returnScript],
  [sharedScriptPath, 'text/javascript', sharedScript],
] as const
