import type { BrowserContext } from 'playwright-core'
import { expect } from 'vitest'

const violations: string[] = []

/**
 * What the page's own policy stopped: scripts, styles, addresses, texts that Trusted Types forbids. A single one
 * fails the test in which it happened (browser-setup.ts).
 */
export async function failOnCspViolations(context: BrowserContext): Promise<void> {
  await context.exposeBinding('tellViolation', (_, words: string) => void violations.push(words))
  await context.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', event => {
      const words = `${event.effectiveDirective} ${event.blockedURI} ${event.sample} at ${location.pathname}`
      // Bound above, and unknown to the compiler.
      Reflect.get(window, 'tellViolation')(words)
    })
  })
}

/** For the one test that wants a violation. */
export function collectViolations(): string[] {
  return violations.splice(0)
}

export function expectNoViolations(): void {
  expect(collectViolations(), 'what the Content-Security-Policy stopped').toEqual([])
}
