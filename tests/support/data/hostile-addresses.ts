/** The origin of the portal in these tests, and a valid return address. */
export const ownOrigin = 'https://portal.example'
export const ownReturnUrl = `${ownOrigin}/payment/0190a0c0-0000-7000-8000-000000000001/PP-2026-000001`

const foreignHosts = ['evil.example', 'portal.example.evil.example', 'notportal.example', 'evil.example:443']
const paths = ['', '/', '/payment/1/PP-1', '/payResult/1/PP-1/2?status=SUCCESS']

/** Spellings that may lead to another host; `{host}` and `{path}` are replaced. */
const disguises = [
  'https://{host}{path}',
  'http://{host}{path}',
  '//{host}{path}',
  '\\\\{host}{path}',
  '/\\{host}{path}',
  'https:/{host}{path}',
  'https:{host}{path}',
  'https:\\\\{host}{path}',
  ' https://{host}{path}',
  'https://portal.example@{host}{path}',
  'https://portal.example:443@{host}{path}',
  'https://portal.example%40{host}{path}',
  'https://{host}\\@portal.example{path}',
]

/** Addresses that resemble the portal's, addresses without a host, and other schemes. */
const others = [
  '',
  ' ',
  '/',
  '/payment/1/PP-1',
  'payment/1/PP-1',
  '?status=SUCCESS',
  '#',
  'portal.example/payment/1/PP-1',
  'http://portal.example/payment/1/PP-1',
  'https://portal.example:8443/payment/1/PP-1',
  'https://portal.example./payment/1/PP-1',
  'https://www.portal.example/payment/1/PP-1',
  'https://portal.exаmple/payment/1/PP-1',
  'https://portal。example.evil.example/payment/1',
  'https://xn--prtal-jua.example/payment/1/PP-1',
  'https://portal.example\t.evil.example/',
  'https://portal.example\n.evil.example/',
  'https://portal.example\r\nLocation: https://evil.example/',
  'https://portal.example\u0000.evil.example/',
  'https://portal.example\u2028/',
  'https://portal.example/\u202Etxt.exe',
  'https://portal.example /payment/1/PP-1',
  'https://@portal.example/payment/1/PP-1',
  'https://:@portal.example/payment/1/PP-1',
  'https://payer@portal.example/payment/1/PP-1',
  'https://payer:pin@portal.example/payment/1/PP-1',
  'https://[portal.example]/',
  'https://portal.example:99999/',
  'https:///portal.example.evil.example/',
  'https://%70ortal.example.evil.example/',
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  'java\tscript:alert(1)',
  ' javascript:alert(1)',
  'javascript://portal.example/%0aalert(1)',
  'data:text/html,<script>alert(1)</script>',
  'data:text/html;base64,PHNjcmlwdD4=',
  'vbscript:msgbox(1)',
  'blob:https://portal.example/0a1b',
  'filesystem:https://portal.example/temporary/x',
  'file:///etc/passwd',
  'ftp://portal.example/',
  'ws://portal.example/',
  'wss://portal.example/',
  'tel:+237670000000',
  'mailto:payer@evil.example',
  'intent://portal.example/#Intent;scheme=https;end',
  'about:blank',
  'view-source:https://portal.example/',
  'null',
  'undefined',
  '{"url":"https://portal.example/"}',
]

/**
 * More than 200 addresses that the portal refuses: as the target of a card form, as the card page that the server names, and,
 * except '', as a return address. Some lead to the portal, but are not written as the portal writes its own.
 */
export const hostileAddresses: readonly string[] = [
  ...new Set([
    ...disguises.flatMap(disguise =>
      foreignHosts.flatMap(host =>
        paths.map(path => disguise.replace('{host}', host).replace('{path}', path)),
      ),
    ),
    ...others,
  ]),
]
