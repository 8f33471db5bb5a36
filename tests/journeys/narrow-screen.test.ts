import { describe, expect, it } from 'vitest'
import type { Locator } from 'playwright-core'
import { languages } from '#contract/codes.ts'
import { walkThePortal } from '#support/walk.ts'

const walk = walkThePortal()

describe('the form on a screen of 320 × 640', () => {
  it.each(languages)('breaks no word of a tab and cuts no month, in %s (NAV25)', async language => {
    const { page, context, applicant } = await walk.meet(language, { width: 320, height: 640 })
    const { t, heading, named } = applicant
    await applicant.signInByPhone(language === 'fr' ? '675000321' : '675000322')
    await applicant.startApplication()
    for (const tab of ['tab.GeneralData', 'tab.PersonData', 'tab.ParentData', 'tab.NicData'] as const) {
      const address = page.url().replace(/\w+$/, tab.replace('tab.', ''))
      await page.goto(address)
      await heading(tab)
      const names = page.getByRole('navigation', { name: t('tab.label') }).getByRole('link')
      await names.nth(3).waitFor()
      for (const name of await names.all()) expect(await brokenWords(name)).toEqual([])
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320)
      if (tab === 'tab.PersonData') expect(await cutOptions(named('monthOfBirth'))).toEqual([])
    }
    await context.close()
  })
})

/** The words of an element that stand on more than one line. */
function brokenWords(element: Locator): Promise<string[]> {
  return element.evaluate(link => {
    const broken: string[] = []
    const texts = document.createTreeWalker(link, NodeFilter.SHOW_TEXT)
    for (let node = texts.nextNode(); node; node = texts.nextNode())
      for (const word of (node.textContent ?? '').matchAll(/[\p{L}\p{N}]+/gu)) {
        const range = document.createRange()
        range.setStart(node, word.index)
        range.setEnd(node, word.index + word[0].length)
        if (new Set([...range.getClientRects()].map(({ top }) => top)).size > 1) broken.push(word[0])
      }
    return broken
  })
}

/** The options of a closed list that are wider than its box. */
function cutOptions(select: Locator): Promise<string[]> {
  return select.evaluate((list: HTMLSelectElement) => {
    const { font, paddingLeft, paddingRight } = getComputedStyle(list)
    const pen = document.createElement('canvas').getContext('2d')
    if (!pen) throw new Error('no canvas')
    pen.font = font
    const room = list.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight)
    return [...list.options].map(({ text }) => text).filter(text => pen.measureText(text).width > room)
  })
}
