import { describe, expect, it } from 'vitest'
import type { Locator, Page } from 'playwright-core'
import { tabs } from '#contract/application.ts'
import en from '#i18n/en.json'
import fr from '#i18n/fr.json'
import {
  fontFamilies,
  narrowestFamily,
  setFont,
  triedFamilies,
  widestFamily,
} from '#support/browsers/font-families.ts'
import { openPaidApplication } from '#support/browsers/application-by-calls.ts'
import { freshPhone } from '#support/data/fresh-phone.ts'
import { joinBrowserFixture } from '#support/browsers/browser-fixture.ts'
import { isFullRun, testedLanguages } from '#support/test-tier.ts'

const fixture = joinBrowserFixture()

describe('the form on screens 320 and 360 px wide', () => {
  it.runIf(isFullRun).each(testedLanguages)(
    'breaks no word of a tab link, cuts no month of birth, and does not scroll sideways with a wide or narrow font and 200 % text, in %s (NAV25)',
    async language => {
      const { page, context, applicant } = await fixture.openWelcome(language, { width: 320, height: 640 })
      const { t, heading, named } = applicant
      await applicant.signInByPhone(freshPhone())
      await applicant.startApplication()
      const found: string[] = []
      for (const tab of tabs) {
        await page.goto(page.url().replace(/\w+$/, tab))
        await heading(`tab.${tab}`)
        const links = page.getByRole('navigation', { name: t('tab.label') }).getByRole('link')
        await links.nth(3).waitFor()
        for await (const setting of eachSetting(page)) {
          const faults = await links.evaluateAll(findTabFaults)
          if (tab === 'PersonData') faults.push(...(await cutOptions(named('monthOfBirth'))))
          found.push(...faults.map(fault => `${tab}, ${setting}: ${fault}`))
        }
      }
      expect(found).toEqual([])
      await context.close()
    },
  )
})

describe('the calendar of the appointment on screens 320 and 360 px wide', () => {
  it.runIf(isFullRun)(
    'shows each day in one line with a wide or narrow font and 200 % text (NAV25)',
    async () => {
      const { page, context, applicant } = await fixture.openWelcome('fr', { width: 320, height: 640 })
      await openPaidApplication(applicant, freshPhone())
      await page.getByRole('link', { name: applicant.t('procedure.open.appointment') }).click()
      await applicant.heading('appointment.heading')
      await applicant.choosePlace()
      const days = page.getByRole('gridcell').getByRole('button')
      await days.nth(20).waitFor()
      const found: string[] = []
      for await (const setting of eachSetting(page))
        for (const day of await days.evaluateAll(findBrokenNumbers)) found.push(`${setting}: ${day}`)
      expect(found).toEqual([])
      await context.close()
    },
  )
})

describe('the application number on a screen 360 px wide, with 200 % text', () => {
  it('stays on one line of the form, although it has hyphens (NAV25)', async () => {
    const { page, context, applicant } = await fixture.openWelcome('fr', { width: 360, height: 640 })
    await applicant.signInByPhone(freshPhone())
    await applicant.startApplication()
    await page.waitForURL('**/PP-*/GeneralData')
    const number = await applicant.applicationNumber()
    await page.getByText(number).waitFor()
    await page.evaluate(() => void (document.documentElement.style.fontSize = '200%'))
    expect(await page.evaluate(countLines, number)).toBe(1)
    await context.close()
  })
})

describe('the sign-in on a narrow screen, with 200 % text', () => {
  it('shows all digits of the phone number and of the code at 320 px (NAV25)', async () => {
    const { page, context, applicant } = await fixture.openWelcome('fr', { width: 320, height: 640 })
    const { heading, named } = applicant
    const phone = freshPhone()
    const enlarge = () => page.evaluate(() => void (document.documentElement.style.fontSize = '200%'))
    await page.goto('/mobile')
    await heading('mobile.heading')
    await enlarge()
    await named('phoneNumber').fill(phone)
    expect(await hasRoom(named('phoneNumber'))).toBe(true)
    await applicant.button('button.continue').click()
    await heading('password.heading')
    await named('otp').fill('888888')
    expect(await hasRoom(named('otp'))).toBe(true)
    await context.close()
  })

  it('does not leave the field that has the focus under the notice of a wrong code at 360 px (WCAG 2.4.11, D51)', async () => {
    const { page, context, applicant } = await fixture.openWelcome('fr', { width: 360, height: 640 })
    const { heading, named } = applicant
    await page.goto('/mobile')
    await heading('mobile.heading')
    await page.evaluate(() => void (document.documentElement.style.fontSize = '200%'))
    await named('phoneNumber').fill(freshPhone())
    await applicant.button('button.continue').click()
    await heading('password.heading')
    // An on-screen keyboard leaves 240 px, which have no room for the notice and the field.
    for (const height of [640, 240]) {
      await page.setViewportSize({ width: 360, height })
      await named('otp').fill('888888')
      await page.evaluate(watchCover)
      await applicant.button('button.continue').click()
      await expect
        .poll(() => page.evaluate('lastCover'), { timeout: 60_000 })
        .toEqual({ text: applicant.t('notice.codeWrong'), focused: 'otp', isCovered: false })
    }
    await context.close()
  })
})

describe('the fonts of the layout tests', () => {
  it('replace the fonts of the machine, and are ordered by their width for the texts of the portal', async () => {
    const { page, context } = await fixture.open()
    const texts = [fr, en].flatMap(catalogue => Object.values(catalogue)).join(' ')
    const widths = await page.evaluate(measure, { families: ['system-ui', ...fontFamilies], texts })
    const [system, ...own] = widths
    expect(own.map(({ family }) => family)).toEqual(
      own.toSorted((one, other) => one.em - other.em).map(({ family }) => family),
    )
    expect([own.at(0)?.family, own.at(-1)?.family]).toEqual([narrowestFamily, widestFamily])
    expect(system?.em).toBe(own.at(-1)?.em)
    expect(new Set(own.map(({ em }) => em)).size).toBe(fontFamilies.length)
    await context.close()
  })
})

/** Runs in the page: on how many lines this text is. */
function countLines(text: string): number {
  const walker = document.createTreeWalker(
    document.querySelector('main') ?? document.body,
    NodeFilter.SHOW_TEXT,
  )
  while (walker.nextNode()) {
    const start = walker.currentNode.textContent?.indexOf(text) ?? -1
    if (start < 0) continue
    const range = document.createRange()
    range.setStart(walker.currentNode, start)
    range.setEnd(walker.currentNode, start + text.length)
    return range.getClientRects().length
  }
  return 0
}

/**
 * Runs in the page: sets `lastCover` at each frame with a notice: whether the notice covers the focused element. Forgets
 * that of an earlier size of the page.
 */
function watchCover() {
  Object.assign(globalThis, { lastCover: undefined })
  const check = () => {
    const focused = document.activeElement
    const notice = document.querySelector('section [role="status"] > *, section [role="alert"] > *')
    if (focused && notice) {
      const [field, cover] = [focused.getBoundingClientRect(), notice.getBoundingClientRect()]
      const isCovered = field.top < cover.bottom && field.bottom > cover.top
      Object.assign(globalThis, { lastCover: { text: notice.textContent, focused: focused.id, isCovered } })
    }
    requestAnimationFrame(check)
  }
  check()
}

/** Shows the page in each width, font and text size, and yields a description of each setting. */
async function* eachSetting(page: Page): AsyncGenerator<string> {
  for (const width of [360, 320]) {
    await page.setViewportSize({ width, height: 640 })
    for (const family of triedFamilies) {
      await setFont(page, family)
      for (const textSize of ['100%', '200%']) {
        await page.evaluate(size => void (document.documentElement.style.fontSize = size), textSize)
        yield `${family}, ${width} px, text at ${textSize}`
      }
    }
  }
}

/** Runs in the page: returns the numbers that take more than one line. */
function findBrokenNumbers(buttons: Element[]): string[] {
  return buttons.flatMap(button => {
    const range = document.createRange()
    range.selectNodeContents(button)
    const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)))
    return lines.size > 1 ? [button.textContent] : []
  })
}

/** Runs in the page: finds link words that break or leave the screen, and a page that scrolls sideways. */
function findTabFaults(links: Element[]): string[] {
  const { scrollWidth, clientWidth } = document.documentElement
  const faults = scrollWidth > clientWidth ? [`the page is ${scrollWidth} px wide`] : []
  for (const link of links) {
    const texts = document.createTreeWalker(link, NodeFilter.SHOW_TEXT)
    for (let node = texts.nextNode(); node; node = texts.nextNode()) {
      // Texts for screen readers only are in a box of one pixel.
      if (node.parentElement?.closest('span')?.clientWidth === 1) continue
      for (const word of (node.textContent ?? '').matchAll(/[\p{L}\p{N}]+/gu)) {
        const range = document.createRange()
        range.setStart(node, word.index)
        range.setEnd(node, word.index + word[0].length)
        const rects = [...range.getClientRects()]
        if (new Set(rects.map(({ top }) => top)).size > 1) faults.push(`broken: ${word[0]}`)
        if (rects.some(({ left, right }) => left < 0 || right > clientWidth))
          faults.push(`off the screen: ${word[0]}`)
      }
    }
  }
  return faults
}

/** Whether a field shows all its characters. */
function hasRoom(field: Locator): Promise<boolean> {
  return field.evaluate(input => input.scrollWidth <= input.clientWidth)
}

/** Finds options of a closed list that are wider than its box. */
function cutOptions(select: Locator): Promise<string[]> {
  return select.evaluate((list: HTMLSelectElement) => {
    const { font, paddingLeft, paddingRight } = getComputedStyle(list)
    const pen = document.createElement('canvas').getContext('2d')
    if (!pen) throw new Error('The browser has no 2D canvas')
    pen.font = font
    const room = list.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight)
    return [...list.options]
      .filter(({ text }) => pen.measureText(text).width > room)
      .map(({ text }) => `cut: ${text}`)
  })
}

/** Runs in the page: the average width of a character in em, over the normal and the bold font together. */
function measure({ families, texts }: { families: string[]; texts: string }) {
  const pen = document.createElement('canvas').getContext('2d')
  if (!pen) throw new Error('The browser has no 2D canvas')
  return families.map(family => {
    const total = [400, 700].reduce((sum, weight) => {
      pen.font = `${weight} 100px ${family === 'system-ui' ? family : `'${family}'`}`
      return sum + pen.measureText(texts).width
    }, 0)
    return { family, em: total / 200 / texts.length }
  })
}
