import { IDBFactory } from 'fake-indexeddb'
import { beforeEach, describe, expect, it } from 'vitest'
import { createDurableTexts } from '#device/durable-texts.ts'

let localTexts: Map<string, string>
let factory: IDBFactory

beforeEach(() => {
  localTexts = new Map()
  factory = new IDBFactory()
})

/** One page of the browser, with its own copy of the module's state. */
function openPage(storage = localTexts, pageFactory = factory) {
  const write = (key: string, text: string | undefined) =>
    void (text === undefined ? storage.delete(key) : storage.set(key, text))
  const durable = createDurableTexts(
    ['lg', 'device-use', 'session'],
    { read: key => storage.get(key), write },
    () => pageFactory,
  )
  return {
    ...durable,
    choose(key: string, text: string | undefined) {
      write(key, text)
      durable.save(key)
    },
  }
}

/** A storage that opens nothing before `answer` is called. */
function createSlowFactory() {
  const slow = new IDBFactory()
  let answer: (() => void) | undefined
  slow.open = (...args) => {
    const request = new EventTarget() as IDBOpenDBRequest
    answer = () => {
      const opening = factory.open(...args)
      opening.addEventListener('success', () => {
        Object.assign(request, { result: opening.result })
        request.dispatchEvent(new Event('success'))
      })
    }
    return request
  }
  return { slow, answer: () => answer?.() }
}

/** Resolves when the copy in IndexedDB has exactly these texts. */
async function whenWritten(texts: Record<string, string>) {
  await expect
    .poll(async () => {
      const copy = new Map<string, string>()
      await openPage(copy).restored()
      copy.delete('settings-saved')
      return Object.fromEntries(copy)
    })
    .toEqual(texts)
}

describe('the texts of the device after a power cut (D64)', () => {
  it('come back when localStorage lost all of them', async () => {
    openPage().choose('lg', 'en')
    openPage().choose('device-use', 'kiosk:3')
    await whenWritten({ lg: 'en', 'device-use': 'kiosk:3' })
    localTexts.clear()
    void openPage()
    await expect.poll(() => localTexts.get('lg')).toBe('en')
    expect(localTexts.get('device-use')).toBe('kiosk:3')
  })

  it.each(['', 'NaN', 'null', '{', '-5', '1e308', 'Infinity'])(
    'are saved and come back all the same when the saved count is damaged: %j',
    async damaged => {
      openPage().choose('lg', 'fr')
      await whenWritten({ lg: 'fr' })
      localTexts.set('settings-saved', damaged)
      openPage().choose('lg', 'en')
      await whenWritten({ lg: 'en' })
      localTexts.clear()
      void openPage()
      await expect.poll(() => localTexts.get('lg')).toBe('en')
    },
  )

  it('come back when localStorage has older ones', async () => {
    const page = openPage()
    page.choose('lg', 'fr')
    const old = new Map(localTexts)
    page.choose('lg', 'en')
    await whenWritten({ lg: 'en' })
    void openPage(old)
    await expect.poll(() => old.get('lg')).toBe('en')
  })

  it('stay removed when localStorage has an older session flag', async () => {
    const page = openPage()
    page.choose('session', '1')
    const old = new Map(localTexts)
    page.choose('session', undefined)
    await whenWritten({})
    void openPage(old)
    await expect.poll(() => old.has('session')).toBe(false)
  })

  it('do not come back when localStorage is newer, as after a page that closed before the copy was written', async () => {
    openPage().choose('session', '1')
    await whenWritten({ session: '1' })
    const closed = new IDBFactory()
    openPage(localTexts, closed).choose('session', undefined)
    await openPage().restored()
    expect(localTexts.has('session')).toBe(false)
  })

  it('do not replace a text that the new page has saved before they were read', async () => {
    localTexts.set('device-use', 'kiosk:3')
    openPage().choose('lg', 'en')
    await whenWritten({ lg: 'en', 'device-use': 'kiosk:3' })
    localTexts.clear()
    const next = openPage()
    for (let time = 0; time < 3; time += 1) next.choose('device-use', undefined)
    await expect.poll(() => Object.fromEntries(localTexts)).toMatchObject({ lg: 'en' })
    expect(localTexts.has('device-use')).toBe(false)
    await whenWritten({ lg: 'en' })
  })

  it('do not bring back the session that another tab ends while this page waits for a slow storage (SES12)', async () => {
    const leaving = openPage()
    leaving.choose('session', '1')
    await whenWritten({ session: '1' })
    const { slow, answer } = createSlowFactory()
    const starting = openPage(localTexts, slow)
    leaving.choose('lg', 'en')
    await whenWritten({ session: '1', lg: 'en' })
    answer()
    // The copy without the session is not written yet.
    leaving.choose('session', undefined)
    await starting.restored()
    expect(Object.fromEntries(localTexts)).toMatchObject({ lg: 'en' })
    expect(localTexts.has('session')).toBe(false)
    await whenWritten({ lg: 'en' })
  })

  it.each(['after this page had started', 'before this page started'])(
    'leave in the end the text that another tab, which has not read the copy yet, has saved %s',
    async moment => {
      localTexts.set('session', '1')
      openPage().choose('lg', 'en')
      await whenWritten({ session: '1', lg: 'en' })
      localTexts.clear()
      const [forThis, forOther] = [createSlowFactory(), createSlowFactory()]
      const isEarlier = moment.startsWith('before')
      let page = isEarlier ? undefined : openPage(localTexts, forThis.slow)
      const other = openPage(localTexts, forOther.slow)
      other.choose('lg', 'fr')
      other.choose('session', undefined)
      page ??= openPage(localTexts, forThis.slow)
      forThis.answer()
      await page.restored()
      // If this page was open when the other tab saved, it keeps that text. Otherwise this page may replace the text until
      // the other tab has read the copy and writes its text again.
      if (!isEarlier) expect(localTexts.get('lg')).toBe('fr')
      forOther.answer()
      await other.restored()
      expect(localTexts.get('lg')).toBe('fr')
      expect(localTexts.has('session')).toBe(false)
    },
  )

  it('of an earlier release are copied at the next start', async () => {
    localTexts.set('lg', 'en')
    await openPage().restored()
    await whenWritten({ lg: 'en' })
  })

  it('stay as they are when the storage refuses or hangs, and are copied when it works again', async () => {
    localTexts.set('lg', 'en')
    const refused = new IDBFactory()
    refused.open = () => {
      throw new Error('refused')
    }
    const page = openPage(localTexts, refused)
    await page.restored()
    page.choose('device-use', 'shared')
    const hanging = new IDBFactory()
    hanging.open = () => new EventTarget() as IDBOpenDBRequest // this request never emits an event
    await openPage(localTexts, hanging).restored()
    const texts = { lg: 'en', 'device-use': 'shared' }
    expect(Object.fromEntries(localTexts)).toMatchObject(texts)
    await openPage().restored()
    await whenWritten(texts)
  })
})
