// @vitest-environment happy-dom
import { afterEach, describe, expect, it } from 'vitest'
import { toWire } from '#contract/application.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { textsOf } from '#support/data/texts.ts'
import { openPortal, type PortalOptions, type Portal } from '#support/fixtures/open-portal.tsx'

const t = textsOf('fr')
let portal: Portal

afterEach(() => portal.close())

async function open(opening: Partial<PortalOptions> = {}) {
  portal = await openPortal({ path: '/form/app-1/PP-1/PersonData', ...opening })
  await portal.see(() => expect(portal.main().querySelector('form [name]')).not.toBeNull())
}

function toggle(id: string) {
  return document.querySelector<HTMLButtonElement>(`#${id}-heading button`)
}

function isFolded(id: string): boolean {
  return document.getElementById(id)?.hidden === true
}

describe('the groups of the Person tab', () => {
  it('are three, each with a heading', async () => {
    await open()
    const headings = [...portal.main().querySelectorAll('form section h2')].map(each => each.textContent)
    expect(headings).toHaveLength(3)
    expect(headings[0]).toBe(t('section.identity'))
    expect(headings[1]).toContain(t('section.contact'))
    expect(headings[2]).toBe(t('section.residence'))
  })

  it('can be folded only while they are complete, and keep their answers', async () => {
    await open()
    expect(toggle('residence')).toBeNull()
    await portal.close()
    await open({ data: toWire(firstPassport) })
    expect(toggle('residence')?.getAttribute('aria-expanded')).toBe('true')
    toggle('residence')?.click()
    await portal.see(() => expect(isFolded('residence')).toBe(true))
    expect(toggle('residence')?.getAttribute('aria-expanded')).toBe('false')
    expect(toggle('residence')?.textContent).toBe(`${t('section.residence')}, ${t('tab.valid')}`)
    expect(portal.named('resAddressStreet').value).toBe(firstPassport.resAddressStreet)
    toggle('residence')?.click()
    await portal.see(() => expect(isFolded('residence')).toBe(false))
  })

  it('unfold when the server finds an issue inside, and stay unfolded after its correction', async () => {
    let isRefusing = true
    await open({
      data: toWire(firstPassport),
      answer: ({ method }) =>
        method === 'POST' && isRefusing
          ? {
              status: 422,
              json: { statusCode: 422, errors: [{ field: 'resAddressStreet', message: 'not-valid' }] },
            }
          : undefined,
    })
    toggle('residence')?.click()
    await portal.see(() => expect(isFolded('residence')).toBe(true))
    portal.button(t('button.continue')).click()
    await portal.heading(t('tab.ParentData'))
    portal.button(t('button.continue')).click()
    await portal.heading(t('tab.NicData'))
    portal.button(t('button.submit')).click()
    await portal.heading(t('tab.PersonData'))
    await portal.see(() => expect(portal.fault('resAddressStreet')).toBe(t('issue.not-valid')))
    expect(isFolded('residence')).toBe(false)
    isRefusing = false
    portal.answer('resAddressStreet', 'Rue 1')
    await portal.see(() => expect(portal.fault('resAddressStreet')).toBeUndefined())
    expect(isFolded('residence')).toBe(false)
  })

  it('unfold when an answer inside becomes wrong', async () => {
    await open({ data: toWire(firstPassport) })
    toggle('residence')?.click()
    await portal.see(() => expect(isFolded('residence')).toBe(true))
    portal.answer('resAddressStreet', '')
    await portal.see(() => expect(isFolded('residence')).toBe(false))
    expect(toggle('residence')).toBeNull()
  })
})
