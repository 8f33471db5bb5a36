import { generateKeyPairSync, randomBytes } from 'node:crypto'

/** A key as `openssl rand -base64 32` writes it. */
export const newKey = (): string => randomBytes(32).toString('base64')

/** The settings without which production does not start (docs/deploy.md), except DATABASE_URL. No payment provider. */
export const productionSettings = {
  PROFILE: 'production',
  PUBLIC_ORIGIN: 'https://passeport.example.cm',
  SMTP_URL: 'smtp://mail:587',
  MAIL_FROM: 'Passeport <no-reply@passeport.example.cm>',
  TRUSTED_PROXIES: 'loopback',
  SMS_URL: 'https://sms.example.cm/send',
  TOKEN_KEY: newKey(),
  CODE_KEY: newKey(),
  DATA_KEY: newKey(),
  DRAFT_KEY: newKey(),
  CAPTCHA_KEY: newKey(),
  RECEIPT_PRIVATE_KEY: generateKeyPairSync('ed25519')
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString(),
}
