import type { BrowserContext } from 'playwright-core'
import { expect } from 'vitest'

const violations: string[] = []

/**
 * Collects the violations of the CSP of the page: scripts, styles, addresses, and texts that Trusted Types forbids. One
 * violation fails the test in which it happens (browser-setup.ts).
 */
export async function failOnCspViolations(context: BrowserContext): Promise<void> {
  await context.exposeBinding('reportViolation', (_, violation: string) => void violations.push(violation))
  await context.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', event => {
      const violation = `${event.effectiveDirective} ${event.blockedURI} ${event.sample} at ${location.pathname}`
      // The binding from above, which the compiler does not know.
      Reflect.get(window, 'reportViolation')(violation)
    })
  })
}

/** Returns the violations and forgets them, for a test that expects some. */
export function collectViolations(): string[] {
  return violations.splice(0)
}

export function expectNoViolations(): void {
  expect(collectViolations(), 'violations of the Content-Security-Policy').toEqual([])
}
