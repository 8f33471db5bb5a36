import * as z from 'zod/mini'
import { describe, expect, it } from 'vitest'
import { endpoints } from '#contract/endpoints.ts'
import { decodeAnswer, decodeFailure } from '#api/decode.ts'

const Schema = z.object({ data: z.object({ statusCode: z.number() }) })

describe('decodeAnswer', () => {
  it('accepts the envelope of the specification and the same content without it (D10, S01)', () => {
    const value = { data: { statusCode: 0 } }
    expect(decodeAnswer(Schema, value)).toEqual({ kind: 'value', value })
    expect(decodeAnswer(Schema, { statusCode: 0 })).toEqual({ kind: 'value', value })
  })

  it('reads true or false for a confirmed appointment, bare or in its envelope (S31)', () => {
    const { answer } = endpoints.confirmAppointment
    for (const outcome of [true, false])
      for (const body of [outcome, { data: outcome }])
        expect(decodeAnswer(answer, body)).toEqual({ kind: 'value', value: { data: outcome } })
  })

  it('returns "unreadable" for another shape', () => {
    expect(decodeAnswer(Schema, '<html>')).toEqual({ kind: 'unreadable' })
  })
})

describe('decodeFailure', () => {
  it('takes the code inside data, then the one at the top level, then the HTTP status (D11)', () => {
    expect(decodeFailure(400, { statusCode: 7, data: { statusCode: 13 } })).toMatchObject({ statusCode: 13 })
    expect(decodeFailure(400, { statusCode: 2 })).toMatchObject({
      kind: 'refused',
      status: 400,
      statusCode: 2,
    })
    expect(decodeFailure(409, { message: 'no' })).toMatchObject({ statusCode: 409, message: 'no' })
  })

  it('takes the message and the errors inside data when the top level has none, as it takes the code (D11, ERR18, ERR20)', () => {
    const errors = [{ message: 'full' }]
    const data = { statusCode: 13, message: 'taken', errors }
    expect(decodeFailure(400, { data })).toMatchObject({ statusCode: 13, message: 'taken', errors })
    expect(decodeFailure(400, { message: 'no', data })).toMatchObject({ message: 'no' })
  })

  it('returns "broken" for a 502 without a readable body (ERR11)', () => {
    expect(decodeFailure(502, undefined)).toMatchObject({ kind: 'broken', status: 502 })
  })

  it('returns "broken" while an earlier attempt with the same key is running (D13)', () => {
    const body = { statusCode: 409, reason: 'in-flight' }
    expect(decodeFailure(409, body)).toMatchObject({ kind: 'broken', status: 409 })
  })

  it('returns undefined below 500 when the service did not send the body (D34)', () => {
    expect(decodeFailure(403, '<html>')).toBeUndefined()
  })
})
