import * as z from 'zod/mini'
import { ApplicantId } from './ids.ts'

const contact = {
  msisdn: z._default(z.nullable(z.string().check(z.maxLength(40))), ''),
  email: z._default(z.nullable(z.string().check(z.maxLength(120))), ''),
}

export const ContactBody = z.object({
  ...contact,
  gRecaptchaResponse: z._default(z.nullable(z.string().check(z.maxLength(8_000))), ''),
})

/** `otherChannel`: the code is to go to the other contact of whoever has this one, if there is one (F6). */
export const AuthBody = z.extend(ContactBody, { otherChannel: z._default(z.boolean(), false) })

/** `seconds`, beside a refusal: a code can be asked for again after them, and no captcha makes them fewer (D20). */
export const CodeAnswer = z.object({
  data: z.object({
    statusCode: z._default(z.nullable(z.number()), 0),
    seconds: z.optional(z.number()),
  }),
})

export const LoginBody = z.object({ ...contact, otp: z.string().check(z.maxLength(40)) })

/** Either a bare reCAPTCHA site key or our own proof of work (D24). */
export const CaptchaOffer = z.union([
  z.string(),
  z.object({ provider: z.literal('altcha'), challengeUrl: z.string() }),
  z.object({ provider: z.literal('off') }),
])
export type CaptchaOffer = z.output<typeof CaptchaOffer>

/** `draftKey`: the secret under which drafts are sealed on the device (D31). */
export const LoginAnswer = z.object({
  token: z.string(),
  applicantId: ApplicantId,
  draftKey: z.optional(z.string()),
})
export const RefreshAnswer = z.object({ token: z.string(), draftKey: z.optional(z.string()) })

/** The claims of the access token (SES03); times are seconds. */
export const TokenClaims = z.object({
  msisdn: z._default(z.nullable(z.string()), ''),
  email: z._default(z.nullable(z.string()), ''),
  applicantId: ApplicantId,
  exp: z.number(),
  iat: z.number(),
  inactivity: z.optional(z.nullable(z.number())),
})
export type TokenClaims = z.output<typeof TokenClaims>

export const ServerInfo = z.object({
  version: z.string(),
  otpTtl: z.optional(z.number()),
  features: z._default(z.array(z.string()), []),
  /** Origins that a card form may be sent to: the portal sends it nowhere else. */
  cardGateways: z.optional(z.array(z.string())),
  time: z.optional(z.string()),
  /** The Ed25519 key that proves receipts, 32 bytes in base64url: public, and of use without the line (F7). */
  receiptKey: z.optional(z.string()),
})
export type ServerInfo = z.output<typeof ServerInfo>
