import { afterAll, afterEach } from 'vitest'
import { closeContexts } from './chromium.ts'
import { expectNoViolations } from './csp-guard.ts'

// Vitest runs a setup file once for each test file; it loads other modules once for each process.
afterEach(expectNoViolations)
afterAll(async () => {
  await closeContexts()
  // Violations that came too late for their own test.
  expectNoViolations()
})
