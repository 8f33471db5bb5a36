import * as z from 'zod/mini'
import { describe, expect, it } from 'vitest'
import { endpoints } from '#contract/endpoints.ts'
import { decodeAnswer, decodeFailure } from '#api/decode.ts'

const Schema = z.object({ data: z.object({ statusCode: z.number() }) })

describe('a success', () => {
  it('is read as the specification writes it, or one level higher (D10, S01)', () => {
    const value = { data: { statusCode: 0 } }
    expect(decodeAnswer(Schema, value)).toEqual({ kind: 'value', value })
    expect(decodeAnswer(Schema, { statusCode: 0 })).toEqual({ kind: 'value', value })
  })

  it('of a confirmed appointment is true or false, bare or in its envelope (S31)', () => {
    const { answer } = endpoints.confirmAppointment
    for (const outcome of [true, false])
      for (const body of [outcome, { data: outcome }])
        expect(decodeAnswer(answer, body)).toEqual({ kind: 'value', value: { data: outcome } })
  })

  it('of another shape is not read', () => {
    expect(decodeAnswer(Schema, '<html>')).toEqual({ kind: 'unreadable' })
  })
})

describe('a failure', () => {
  it('is routed by the code inside data before the one at the top, and by its status without either (D11)', () => {
    expect(decodeFailure(400, { statusCode: 7, data: { statusCode: 13 } })).toMatchObject({ statusCode: 13 })
    expect(decodeFailure(400, { statusCode: 2 })).toMatchObject({
      kind: 'refused',
      status: 400,
      statusCode: 2,
    })
    expect(decodeFailure(409, { message: 'no' })).toMatchObject({ statusCode: 409, message: 'no' })
  })

  it('of status 500 and above is one whatever its body (ERR11)', () => {
    expect(decodeFailure(502, undefined)).toMatchObject({ kind: 'broken', status: 502 })
  })

  it('is no refusal while an earlier try of the same intent is at work (D13)', () => {
    const body = { statusCode: 409, reason: 'in-flight' }
    expect(decodeFailure(409, body)).toMatchObject({ kind: 'broken', status: 409 })
  })

  it('below 500 that is not the service’s is none (D34)', () => {
    expect(decodeFailure(403, '<html>')).toBeUndefined()
  })
})
