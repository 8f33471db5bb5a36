import { describe, expect, it } from 'vitest'
import { digestOf, formatAnswerMark } from '#contract/answer-mark.ts'
import { answerMarkHeader } from '#contract/codes.ts'
import { isWholeList } from '../../sw/whole-lists.ts'

const list = '{"data":{"data":[{"id":"1","name":"Avocat"}]}}'

async function respond(body: string, { markOf, ...init }: ResponseInit & { markOf?: string } = {}) {
  const headers = new Headers({ 'content-type': 'application/json; charset=utf-8' })
  if (markOf !== undefined) {
    const digest = await digestOf(new TextEncoder().encode(markOf))
    headers.set(answerMarkHeader, formatAnswerMark({ release: '1', epoch: 'e', digest }))
  }
  return new Response(body, { headers, ...init })
}

describe('a list that the service worker caches (D35, D60)', () => {
  it('has the mark of its own body, or no mark on a server that gives none', async () => {
    expect(await isWholeList(await respond(list, { markOf: list }))).toBe(true)
    expect(await isWholeList(await respond(list))).toBe(true)
  })

  it('does not have the mark of another body: the portal would refuse such a list for a day', async () => {
    expect(await isWholeList(await respond(list, { markOf: 'another body' }))).toBe(false)
  })

  it.each<[string, string, ResponseInit]>([
    ['JSON that was cut off', list.slice(0, 20), {}],
    ['JSON without data', '{"login":"need"}', {}],
    ['a refusal', list, { status: 503 }],
    ['a page', list, { headers: { 'content-type': 'text/html' } }],
  ])('is not %s', async (_, body, init) => {
    expect(await isWholeList(await respond(body, init))).toBe(false)
  })
})
