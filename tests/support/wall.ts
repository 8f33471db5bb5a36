import type { BrowserContext } from 'playwright-core'
import { afterAll, afterEach, expect } from 'vitest'

const violations: string[] = []

/**
 * What the page's own policy stopped: scripts, styles, addresses, texts that Trusted Types forbids. In a file that
 * watches one page of these, a single one fails the test in which it happened.
 */
export async function watchTheWall(context: BrowserContext): Promise<void> {
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
export function takeViolations(): string[] {
  return violations.splice(0)
}

afterEach(expectNone)
// What came too late for its own test.
afterAll(expectNone)

function expectNone() {
  expect(takeViolations(), 'what the Content-Security-Policy stopped').toEqual([])
}
