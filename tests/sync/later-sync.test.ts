import { describe, expect, it } from 'vitest'
import { emptyForm } from '#contract/application.ts'
import { toApplicationId } from '#contract/id-text.ts'
import { ApplicantId } from '#contract/ids.ts'
import { createNotices } from '#portal/notices.ts'
import { passGate } from '#portal/pass-gate.ts'
import type { SessionState } from '#session/session.ts'
import { newDraft } from '#store/draft.ts'
import type { Sync } from '#sync/engine.ts'
import { createLaterSync } from '#sync/later-sync.ts'
import { localId } from '#sync/local-id.ts'
import { createWoundDevice } from '#support/wound-device.ts'

const appId = toApplicationId('app-1')
const known = newDraft({ values: emptyForm(), tab: 'GeneralData' })
const typed = { values: known.values, tab: known.tab, known }

/** A sync whose file the line keeps back until it is let through. */
function openLater() {
  const line = { letsThrough: false }
  let loads = 0
  let state: SessionState = { kind: 'signed-out' }
  const listeners = new Set<() => void>()
  const carried = { kind: 'none' } as const
  const engine: Sync = {
    subscribe: () => () => true,
    standing: () => carried,
    list: () => [{ applicationId: appId, standing: carried }],
    read: async () => carried,
    keep: async () => ({ kind: 'kept', draft: undefined }),
    look: () => undefined,
    submit: async () => carried,
    choose: async () => undefined,
    startLocal: async () => appId,
    flush: async () => carried,
    forget: async () => undefined,
    whereabouts: async () => toApplicationId('app-2'),
    originOf: () => localId('1'),
  }
  const sync = createLaterSync({
    load: async () => {
      loads += 1
      if (!line.letsThrough) throw new Error('no such file')
      return engine
    },
    session: {
      state: () => state,
      subscribe: listener => {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
    },
  })
  function signIn() {
    state = { kind: 'signed-in', claims }
    for (const listener of listeners) listener()
  }
  return { sync, line, signIn, loads: () => loads }
}

const claims = { applicantId: ApplicantId.parse('applicant-1'), msisdn: '', email: '', exp: 0, iat: 0 }

describe('what carries the work', () => {
  it('is fetched once somebody has signed in, and once for all who ask', async () => {
    const { sync, line, signIn, loads } = openLater()
    line.letsThrough = true
    let told = 0
    sync.subscribe(() => (told += 1))
    expect(sync.list()).toEqual([])
    expect(sync.originOf(appId)).toBe(appId)
    expect(loads()).toBe(0)
    signIn()
    expect(await sync.read(appId)).toEqual({ kind: 'none' })
    expect(sync.list()).toHaveLength(1)
    expect(sync.originOf(appId)).toBe(localId('1'))
    expect(told).toBe(1)
  })

  it('tells whoever types that nothing was kept while it cannot be had, and is asked for again', async () => {
    const { sync, line, signIn } = openLater()
    signIn()
    expect(await sync.keep(appId, typed)).toMatchObject({ kind: 'not-kept' })
    expect(await sync.submit(appId, typed)).toEqual({ kind: 'not-kept' })
    expect(await sync.read(appId)).toEqual({ kind: 'not-kept' })
    expect(await sync.startLocal('key')).toBeUndefined()
    line.letsThrough = true
    expect(await sync.keep(appId, typed)).toMatchObject({ kind: 'kept' })
  })

  it('is not needed to find an application of the server', async () => {
    const { sync, loads } = openLater()
    expect(await sync.whereabouts(appId)).toBe(appId)
    expect(loads()).toBe(0)
    await expect(sync.whereabouts(localId('1'))).rejects.toThrow('no such file')
  })

  it('holds up confirming, paying and booking, in words, until it is there (OFF08, OFF09)', async () => {
    const { sync, line } = openLater()
    const said: unknown[] = []
    const notices = {
      ...createNotices(createWoundDevice(0)),
      raise: (...words: unknown[]) => said.push(words),
    }
    const up = { isDown: () => false, subscribe: () => () => true, reached: () => undefined }
    const pass = () => passGate({ line: up, notices, sync }, appId)
    expect(await pass()).toBe(false)
    expect(said).toEqual([['warning', { key: 'notice.offline' }]])
    line.letsThrough = true
    expect(await pass()).toBe(true)
  })
})
