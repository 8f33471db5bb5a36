import * as z from 'zod/mini'
import { defaultLanguage, languages } from './codes.ts'
import {
  AuthBody,
  CaptchaOffer,
  CodeAnswer,
  LoginAnswer,
  LoginBody,
  RefreshAnswer,
  ServerInfo,
} from './session.ts'

/**
 * The definition of one call. `row`: the id of its requirement, feature or decision. `access`: open to all, or only with the
 * refresh cookie, the applicant's bearer token, or a ticket in the body. Only a log-out succeeds also without its cookie.
 * `answer`: the JSON body of a success, as the specification has it (D10); 'file' means bytes. Calls with `writes` accept an
 * idempotency key (D13). `mayBeEmpty`: the specification describes no content of a success, so a back end that speaks only
 * the specification may send none (D67).
 * `fitsRefusal`: every field of the answer may be absent, so its schema accepts the body of a refusal too. Then the
 * code in the body decides whether the call was refused, also with a status of success (D11).
 * `saysShared`: the call says whether other people use this device. If they do, the server stores cookies for a shorter time
 * (D31), clears the site data at log-out, and does not remember the browser for the contact (D90).
 */
export type Endpoint = {
  row: string
  method: 'GET' | 'POST'
  path: string
  access: 'open' | 'cookie' | 'applicant' | 'ticket'
  writes: boolean
  params: z.ZodMiniType
  query: z.ZodMiniType
  body: z.ZodMiniType
  answer: z.ZodMiniType | 'file'
  mayBeEmpty?: true
  fitsRefusal?: true
  saysShared?: true
}

export const lg = z._default(z.enum(languages), defaultLanguage)
export const nothing = z.object({})
export const inLanguage = z.object({ lg })

export const data = <Shape extends z.ZodMiniType>(shape: Shape) => z.object({ data: shape })

export const getCall = {
  method: 'GET',
  access: 'applicant',
  writes: false,
  params: nothing,
  query: nothing,
  body: nothing,
} as const
export const postCall = {
  method: 'POST',
  access: 'applicant',
  writes: true,
  params: nothing,
  query: nothing,
  body: nothing,
} as const

/** Paths of the lists that are the same for all callers. The service worker caches them (D35). */
export const publicListPath = /\/(?:dictionary\/[a-z-]+|countries|cities|offices)$/

/**
 * The calls of the sign-in pages, and those that renew and end a session. A list of their own, because the sign-in pages load
 * only these.
 */
export const signInEndpoints = {
  auth: {
    ...postCall,
    row: 'API01',
    path: '/auth',
    access: 'open',
    query: inLanguage,
    body: AuthBody,
    answer: CodeAnswer,
    saysShared: true,
    writes: false,
  },
  getSiteKey: { ...getCall, row: 'API02', path: '/getSiteKey', access: 'open', answer: data(CaptchaOffer) },
  login: {
    ...postCall,
    row: 'API03',
    path: '/login',
    access: 'open',
    query: inLanguage,
    body: LoginBody,
    answer: data(LoginAnswer),
    saysShared: true,
    writes: false,
  },
  refreshToken: {
    ...postCall,
    row: 'API04',
    path: '/refresh-token',
    access: 'cookie',
    answer: data(RefreshAnswer),
    saysShared: true,
    writes: false,
  },
  logout: {
    ...postCall,
    row: 'API05',
    path: '/refresh-token/logout',
    access: 'cookie',
    answer: nothing,
    mayBeEmpty: true,
    saysShared: true,
    writes: false,
  },
  version: { ...getCall, row: 'API06', path: '/version', access: 'open', answer: data(ServerInfo) },
  captchaChallenge: {
    ...getCall,
    row: 'D24',
    path: '/captcha/challenge',
    access: 'open',
    // `work`: the value that the server sent when it demanded the captcha (`CodeAnswer`, D91).
    query: z.object({ work: z.optional(z.string().check(z.regex(/^[1248]$/))) }),
    answer: z.looseObject({}),
  },
} as const satisfies Record<string, Endpoint>
