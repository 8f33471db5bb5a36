import { expect } from 'vitest'
import { toWire } from '#contract/application.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { openPortal, type Portal, type PortalOptions } from '#support/fixtures/open-portal.tsx'

/** Opens a tab of the form of `app-1` and waits for its fields. Call `close` of the portal after the test. */
export async function openForm(tab: string, options: Partial<PortalOptions> = {}): Promise<Portal> {
  const portal = await openPortal({ path: `/form/app-1/PP-1/${tab}`, ...options })
  try {
    await portal.see(() => expect(portal.main().querySelector('form [name]')).not.toBeNull())
    return portal
  } catch (error) {
    // The test has no portal that it could close.
    await portal.close()
    throw error
  }
}

/** The server has a complete form. */
export const complete = { data: { ...toWire(firstPassport), additionalData: 'kept' } }

/** The server refuses every form because of this field. */
export function serverRefusing(field: string): NonNullable<PortalOptions['answer']> {
  const refusal = { status: 422, json: { statusCode: 422, errors: [{ field, message: 'not-in-list' }] } }
  return ({ method }) => (method === 'POST' ? refusal : undefined)
}

/** Advances the fake clock by the debounce of the validation. */
export async function waitForDebounce({ device }: Portal): Promise<void> {
  // Let the handlers of earlier events run first.
  await new Promise(resolve => setTimeout(resolve))
  await device.advance(250)
}

/** The links of the summary of the errors. */
export function summaryLinks(): string[] {
  return [...document.querySelectorAll('main [role="alert"] a')].map(link => link.textContent)
}
