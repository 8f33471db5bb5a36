import { afterAll, afterEach } from 'vitest'
import { closeContexts } from './chromium.ts'
import { expectNoViolations } from './csp-guard.ts'

// These hooks are here because Vitest runs a setup file once for each test file, but loads other modules once for each process.
afterEach(expectNoViolations)
afterAll(async () => {
  await closeContexts()
  // Violations that came too late for their own test.
  expectNoViolations()
})
