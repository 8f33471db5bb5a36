import * as z from 'zod/mini'
import { ApplicantId } from './ids.ts'

/** A call has one contact: the phone number (digits with the dial code, S42) if it is not empty, else the e-mail address. */
const contact = {
  msisdn: z._default(z.nullable(z.string().check(z.maxLength(40))), ''),
  email: z._default(z.nullable(z.string().check(z.maxLength(120))), ''),
}

export const ContactBody = z.object({
  ...contact,
  gRecaptchaResponse: z._default(z.nullable(z.string().check(z.maxLength(8_000))), ''),
})

/** `otherChannel`: send the code to the other contact of the applicant with this contact, if there is one (F6). */
export const AuthBody = z.extend(ContactBody, { otherChannel: z._default(z.boolean(), false) })

/**
 * `seconds` in a refusal: time until the next code can be requested. A captcha does not shorten it (D20). `work` in a
 * demand for a captcha: how hard a puzzle the portal must request (D91). `message`: a text that the portal shows instead
 * of its own, or beside a captcha. Another back end may send null for the seconds and the message (D67).
 */
export const CodeAnswer = z.object({
  data: z.object({
    statusCode: z._default(z.nullable(z.number()), 0),
    seconds: z.nullish(z.number()),
    work: z.optional(z.number()),
    message: z.nullish(z.string()),
  }),
})

export const LoginBody = z.object({ ...contact, otp: z.string().check(z.maxLength(40)) })

/** A reCAPTCHA site key as text, or the proof of work of this server (D24). `off`: the server has no captcha. */
export const CaptchaOffer = z.union([
  z.string(),
  z.object({ provider: z.literal('altcha'), challengeUrl: z.string() }),
  z.object({ provider: z.literal('off') }),
])
export type CaptchaOffer = z.output<typeof CaptchaOffer>

/**
 * `draftKey`: the secret for encrypting drafts on the device (D31). `previousDraftKey`: while the operator changes the key, a
 * second secret, which only decrypts: first that of the new key, then that of the old one (D110).
 */
export const RefreshAnswer = z.object({
  token: z.string(),
  draftKey: z.optional(z.string()),
  previousDraftKey: z.optional(z.string()),
})
export type RefreshAnswer = z.output<typeof RefreshAnswer>
export const LoginAnswer = z.extend(RefreshAnswer, { applicantId: ApplicantId })
export type LoginAnswer = z.output<typeof LoginAnswer>

/** The claims of the access token (SES03); times are in seconds. */
export const TokenClaims = z.object({
  msisdn: z._default(z.nullable(z.string()), ''),
  email: z._default(z.nullable(z.string()), ''),
  applicantId: ApplicantId,
  exp: z.number(),
  iat: z.number(),
  inactivity: z.optional(z.nullable(z.number())),
  /** When the account is deleted unless its owner keeps it (D112); an ISO text. */
  deletesAt: z.optional(z.nullable(z.string())),
})
export type TokenClaims = z.output<typeof TokenClaims>

export const ServerInfo = z.object({
  version: z.string(),
  /** Lifetime of a sign-in code, in seconds. Another back end may send null (D67). */
  otpTtl: z.nullish(z.number()),
  features: z._default(z.array(z.string()), []),
  /** A random word that changes when the server's database was restored from a backup (D62). */
  epoch: z.optional(z.string()),
  /** The only origins to which the portal sends a card form. */
  cardGateways: z.optional(z.array(z.string())),
  /** The time of the server when it answered, an ISO text in UTC. */
  time: z.optional(z.string()),
  /** Public Ed25519 key for checking receipts offline, 32 bytes in base64url (F7). */
  receiptKey: z.optional(z.string()),
  /** `receiptKey`, and the keys before it, which signed receipts that are still in use (D110). */
  receiptKeys: z.optional(z.array(z.string())),
  /** The contacts of the help desk. */
  help: z.optional(z.object({ phone: z.string(), email: z.string() })),
  /** Who is responsible for the service; an empty text means that the operator has configured none. */
  issuer: z.optional(
    z.object({
      state: z.string(),
      authority: z.string(),
      address: z.string(),
      host: z.string(),
      /** The path of an image beside the names. */
      emblem: z.optional(z.string()),
    }),
  ),
  /** The server has the demo profile: no passport comes of an application. */
  isDemo: z.optional(z.boolean()),
  /** The fee of an application, in whole units of the currency. */
  fee: z.optional(z.object({ amount: z.number(), currency: z.string() })),
})
export type ServerInfo = z.output<typeof ServerInfo>

/** What the server says about its operator. The device saves it for pages without a connection (NAV26, NAV28). */
export type PublicInfo = Pick<ServerInfo, 'help' | 'issuer' | 'isDemo' | 'fee'>
