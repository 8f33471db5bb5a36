// @vitest-environment happy-dom
import { afterEach, describe, expect, it } from 'vitest'
import { toWire } from '#contract/application.ts'
import { deviceUseStorageKey } from '#contract/codes.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { textsOf } from '#support/data/texts.ts'
import { openPortal, type Portal } from '#support/fixtures/open-portal.tsx'

const t = textsOf('fr')
let portal: Portal
afterEach(() => portal.close())

const appointment = {
  id: 'visit-1',
  appointmentDate: '2026-12-01T09:30:00',
  city: 'Yaoundé',
  country: 'Cameroun',
  nameOffice: 'DGSN',
  addressOffice: 'Rue 1',
  holdSeconds: 500,
}
const schedule = {
  path: '/schedule/app-1/PP-1/visit-1',
  state: 'PAYMENT_DONE',
  heading: 'schedule.heading',
} as const
const final = {
  path: '/final/app-1/PP-1/visit-1',
  state: 'APPOINTMENT_SCHEDULED',
  heading: 'final.heading',
} as const

const labelled = (key: 'listen.start' | 'listen.stop') =>
  portal.main().querySelector<HTMLElement>(`button[aria-label="${t(key)}"]`)

/** Opens the screen on a kiosk or on the applicant's own device, presses the button, and returns the spoken sentences. */
async function readAloud({ path, state, heading }: typeof schedule | typeof final, device: 'own' | 'kiosk') {
  portal = await openPortal({
    path: '/help',
    state,
    data: toWire(firstPassport),
    answer: ({ url }) =>
      url.includes('/appointments/visit-1') ? { json: { data: appointment } } : undefined,
  })
  await portal.heading(t('help.heading'))
  if (device === 'kiosk') portal.device.saveText(deviceUseStorageKey, 'kiosk:3')
  await portal.router.navigate({ href: path })
  await portal.heading(t(heading))
  await portal.see(() => expect(portal.main().textContent).toContain('09:30'))
  portal.device.addVoices('fr')
  // Presses again if the speech has stopped: in development React mounts a component twice, and its first unmount stops it.
  await portal.see(() => {
    if (!portal.device.spoken()) labelled('listen.start')?.click()
    expect(labelled('listen.stop')).not.toBeNull()
    expect(portal.device.spoken()?.sentences).toContain(t(heading))
  })
  return portal.device.spoken()?.sentences ?? []
}

describe('the listen button of the screens with an appointment (NAV30)', () => {
  it('reads day, time and office, then the main button, before the appointment is confirmed', async () => {
    const heard = await readAloud(schedule, 'own')
    expect(heard.join(' · ')).toContain('mardi 1er décembre 2026 · 09:30')
    expect(heard).toContain('DGSN – Yaoundé, Cameroun')
    expect(heard.at(-1)).toBe(t('button.finalize'))
  })

  it('reads day, time and office on the screen after the booking', async () => {
    const heard = (await readAloud(final, 'own')).join(' · ')
    expect(heard).toContain('mardi 1er décembre 2026, 09:30 · DGSN')
    expect(heard).not.toContain('PP-1')
  })

  it.each([schedule, final])('reads neither day, time nor office on a kiosk, at $path', async screen => {
    const heard = (await readAloud(screen, 'kiosk')).join(' · ')
    expect(heard).not.toMatch(/décembre|09:30|DGSN/)
  })
})
