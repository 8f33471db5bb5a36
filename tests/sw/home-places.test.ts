import { describe, expect, it } from 'vitest'
import { isFresh, isHomePlaces, splitHomePlaces } from '../../sw/home-places.ts'

const url = new URL('https://portal.example/api/v1/dictionary/home-places?lg=en')
const answer = {
  data: {
    data: [
      {
        code: 'WEST',
        name: 'West',
        departments: [
          { code: 'MIFI', name: 'Mifi', localities: [{ id: 7, name: 'Bafoussam 1st', aka: 'B' }] },
        ],
      },
      { code: 'SOUTH', name: 'South', departments: [] },
    ],
  },
}

describe('the response with all places of the home country (D35)', () => {
  it('is split into the lists of the single endpoints', () => {
    const lists = splitHomePlaces(url, answer)
    expect(
      Object.fromEntries(lists.map(({ address, items }) => [address.split('/dictionary/')[1], items])),
    ).toEqual({
      'regions?lg=en': [
        { code: 'WEST', name: 'West' },
        { code: 'SOUTH', name: 'South' },
      ],
      'departments?lg=en&region=WEST': [{ code: 'MIFI', name: 'Mifi' }],
      'departments?lg=en&region=SOUTH': [],
      'localities?department=MIFI&lg=en&region=WEST': [{ id: 7, name: 'Bafoussam 1st', aka: 'B' }],
    })
  })

  it.each([undefined, 'sign in to the Wi-Fi', { data: { data: {} } }, { data: { data: [] } }])(
    'gives no list for the body %j',
    body => expect(splitHomePlaces(url, body)).toEqual([]),
  )

  it('is fresh for a day', () => {
    const response = new Response('', { headers: { date: 'Mon, 15 Jun 2026 09:00:00 GMT' } })
    const sentAt = Date.parse('2026-06-15T09:00:00Z')
    expect(isFresh(response, sentAt + 24 * 60 * 60 * 1_000 - 1)).toBe(true)
    expect(isFresh(response, sentAt + 24 * 60 * 60 * 1_000)).toBe(false)
    expect(isFresh(response, sentAt - 1)).toBe(false)
    expect(isFresh(new Response(''), sentAt)).toBe(false)
  })

  it('is recognised by its URL, without unknown parameters', () => {
    expect(isHomePlaces(url)).toBe(true)
    expect(isHomePlaces(new URL(`${url.href}&token=secret`))).toBe(false)
    expect(isHomePlaces(new URL('https://portal.example/api/v1/dictionary/regions?lg=en'))).toBe(false)
  })
})
