/** Variables whose address needs another rule: PostgreSQL, mail, and the pages in which payers type card numbers. */
const otherRules = /^(?:DATABASE|SMTP|SMTP_FALLBACK|\w+_PAGE)_URL$/

/**
 * Returns a fault for each gateway to which production would send keys and personal data without TLS. By the name of the
 * variable, so that the rule also holds for a gateway that is added later.
 */
export function plainTextFaults(variables: Record<string, unknown>): string[] {
  return Object.entries(variables)
    .filter(([name, value]) => name.endsWith('_URL') && !otherRules.test(name) && isPlain(value))
    .map(([name]) => `${name} must be an https address: keys and personal data are sent there.`)
}

/**
 * Returns a fault when production would talk to PostgreSQL on another machine without TLS. `sslmode=disable` is for a
 * private network: a host name without a dot, as containers have, or a private address (RFC 1918, RFC 4193). `defaultHost`:
 * the value of PGHOST, which the driver uses when the address has no host.
 */
export function databaseFaults(databaseUrl: string | undefined, defaultHost = ''): string[] {
  if (!databaseUrl?.startsWith('postgres') || !URL.canParse(databaseUrl)) return []
  const { hostname, searchParams } = new URL(databaseUrl)
  // As the driver reads them: the last of several values counts, and an empty `host=` counts as none.
  const valueOf = (name: string) => searchParams.getAll(name).at(-1) ?? ''
  const host = valueOf('host') || hostname || defaultHost
  if (host === '' || host.startsWith('/') || isThisMachine(host)) return []
  const mode = valueOf('sslmode')
  if (encryptedModes.includes(mode) || (mode === 'disable' && isPrivateHost(host))) return []
  return [
    'DATABASE_URL must have sslmode=verify-full (verify-ca and require are accepted too): personal data are sent to PostgreSQL on another machine. sslmode=disable is accepted only in a private network: a host name without a dot, or a private address.',
  ]
}

const encryptedModes = ['verify-full', 'verify-ca', 'require']

const privateAddress = /^(?:(?:10\.\d+|192\.168|172\.(?:1[6-9]|2\d|3[01]))\.\d+\.\d+$|\[?f[cd][\da-f]{2}:)/i

function isPrivateHost(host: string): boolean {
  return privateAddress.test(host) || /^[\w-]+$/.test(host)
}

export type MailServer = {
  url: string
  /** Mail may only be sent over TLS: in production, unless the mail server runs on this machine. */
  needsTls: boolean
}

type MailVariables = {
  PROFILE: string
  SMTP_URL?: string | undefined
  SMTP_FALLBACK_URL?: string | undefined
}

/** The mail server, and the one that is used when it fails. */
export function mailServersOf({ PROFILE, SMTP_URL, SMTP_FALLBACK_URL }: MailVariables): MailServer[] {
  return [SMTP_URL, SMTP_FALLBACK_URL].flatMap(url =>
    url === undefined
      ? []
      : [{ url, needsTls: PROFILE === 'production' && !isThisMachine(new URL(url).hostname) }],
  )
}

function isPlain(value: unknown): boolean {
  if (typeof value !== 'string' || !URL.canParse(value)) return false
  const { protocol, hostname } = new URL(value)
  return protocol === 'http:' && !isThisMachine(hostname)
}

/** `host`: of an address, which has brackets around IPv6, or the value of `host=` in DATABASE_URL, which has none. */
function isThisMachine(host: string): boolean {
  return ['localhost', '[::1]', '::1'].includes(host) || /^127(?:\.\d+){3}$/.test(host)
}
