import { describe, expect, it } from 'vitest'
import { variableNames } from '#server/config/config.ts'
import { describeUnread } from '#server/config/unread-variables.ts'

describe('describeUnread (D2)', () => {
  it.each([
    ['SMTP_ULR', 'SMTP_URL'],
    ['SMPT_URL', 'SMTP_URL'],
    ['DATABSE_URL', 'DATABASE_URL'],
    ['DATBASE_ULR', 'DATABASE_URL'],
    ['DATABASE-URL', 'DATABASE_URL'],
    // Three typing errors: too many for a proposal.
    ['TRUSTED_PROXY', undefined],
    ['PROFIL', 'PROFILE'],
    ['PORTS', 'PORT'],
    ['port', 'PORT'],
    ['JOB', 'JOBS'],
    ['VITE_CARD_ORIGIN', 'VITE_CARD_ORIGINS'],
    ['OTEL_TRACE_EXPORTER', 'OTEL_TRACES_EXPORTER'],
  ])('reports %s by its name, with the setting that is probably meant, if there is one', (name, meant) => {
    const lines = describeUnread({ [name]: 'x' })
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatch(new RegExp(`^${name} is not read.+\\.$`))
    expect(/(\w+) is probably meant\./.exec(lines[0] ?? '')?.[1]).toBe(meant)
  })

  it('names the settings that begin with the same word', () => {
    expect(describeUnread({ SMTP_HOST: 'mail.example.cm' })).toEqual([
      'SMTP_HOST is not read, because no setting has this name: the settings that begin with the same word are SMTP_URL, SMTP_FALLBACK_URL. Correct it, or remove it if no other program needs it.',
    ])
  })

  it('does not name the value, which may be a secret', () => {
    expect(describeUnread({ TOKEN_KYE: 'hunter2' }).join()).not.toContain('hunter2')
  })

  it.each([
    ['HOME', '/home/portal'],
    ['HOST', 'example.cm'],
    ['BASE_URL', '/'],
    ['PATH', '/usr/bin'],
    ['TZ', 'UTC'],
    ['PGDATABASE', 'portal'],
    ['NODE_ENV', 'production'],
    ['npm_config_cache', '/tmp'],
    ['SESSION_MANAGER', 'local/host:@/tmp/.ICE-unix/1'],
    ['VITE_RELEASE', '0.1.0'],
    ['OTEL_SERVICE_NAME', 'portal'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'a=b'],
    ['DATABASE_SERVICE_HOST', '10.0.0.1'],
    ['DATABASE_PORT', 'tcp://10.0.0.1:5432'],
    ['DATABASE_PORT_5432_TCP_ADDR', '10.0.0.1'],
    ['SMTP_ULR', ''],
  ])(
    'does not report a variable of another program or of the build, nor one without a value: %s',
    (name, value) => {
      expect(describeUnread({ [name]: value })).toEqual([])
    },
  )

  it('does not report a variable that is a setting', () => {
    expect(describeUnread(Object.fromEntries(variableNames().map(name => [name, 'x'])))).toEqual([])
  })
})
