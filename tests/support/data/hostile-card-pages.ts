/** The only gateway to which the portal of the tests may post a card form. */
export const gateway = 'https://gateway.example'
export const cardAction = `${gateway}/pay`

const fields =
  '<input type="hidden" name="signature" value="s"><input type="hidden" name="cpm_amount" value="110000">' +
  '<input type="hidden" name="cpm_currency" value="XAF"><input type="hidden" name="cpm_trans_id" value="PO-1">'

export function cardPage({ action = cardAction, attributes = '', inside = '', around = '', head = '' } = {}) {
  return (
    `<!doctype html><html><head><title>Pay</title>${head}</head><body>${around}` +
    `<form method="POST" action="${action}"${attributes}>${fields}${inside}<input type="submit" value="Pay"></form>` +
    '</body></html>'
  )
}

/** Counts its runs in `window.taken`. The portal must never run it. */
const script = 'window.taken=(window.taken||0)+1'
const evil = 'https://evil.example'

/** Card pages of an attacker in the network, at the gateway or in the database. The portal must refuse all. */
export const hostileCardPages: readonly (readonly [string, string])[] = [
  ['no form', '<p>Pay at the desk</p>'],
  ['nothing at all', ''],
  ['only blanks', ' \n\t '],
  ['a script alone', `<script>${script}</script>`],
  ['two forms', cardPage() + cardPage()],
  ['a second form that is empty', cardPage({ around: '<form></form>' })],
  ['a form in a template beside the form', cardPage({ around: `<template>${cardPage()}</template>` })],
  ['the form itself in a template', `<template>${cardPage()}</template>`],
  ['templates in templates', `<template><template><template>${cardPage()}</template></template></template>`],
  [
    'a shadow root',
    cardPage({ around: `<div><template shadowrootmode="open">${cardPage()}</template></div>` }),
  ],
  ['a form sent by GET', cardPage().replace('POST', 'GET')],
  ['a form sent by a dialog', cardPage().replace('POST', 'dialog')],
  ['a form without a method', cardPage().replace('method="POST"', '')],
  ['a button with another method', cardPage({ inside: '<input type="submit" formmethod="get">' })],
  ['no address', cardPage({ action: '' })],
  ['an address of script', cardPage({ action: `javascript:${script}` })],
  ['an address of script with blanks in front', cardPage({ action: `&#1;&#32; javascript:${script}` })],
  ['an address of script in entities', cardPage({ action: `&#106;&#97;vascript&colon;${script}` })],
  ['an address of script with a line break', cardPage({ action: `java&NewLine;script:${script}` })],
  ['an address of script with a tab', cardPage({ action: `java&Tab;script:${script}` })],
  ['an address of data', cardPage({ action: `data:text/html,<script>${script}</script>` })],
  ['an address of a blob', cardPage({ action: 'blob:https://gateway.example/0a1b' })],
  ['an address of the portal', cardPage({ action: '/api/v1/refresh-token/logout' })],
  ['an address without a scheme', cardPage({ action: '//gateway.example/pay' })],
  ['plain http', cardPage({ action: 'http://gateway.example/pay' })],
  ['another host', cardPage({ action: `${evil}/pay` })],
  ['another port', cardPage({ action: 'https://gateway.example:8443/pay' })],
  ['a host that begins like the gateway', cardPage({ action: 'https://gateway.example.evil.example/pay' })],
  ['a host that ends like the gateway', cardPage({ action: 'https://notgateway.example/pay' })],
  ['a host with a dot at its end', cardPage({ action: 'https://gateway.example./pay' })],
  ['a look-alike host', cardPage({ action: 'https://gаteway.example/pay' })], // a Cyrillic а
  ['the gateway’s host as a user name', cardPage({ action: 'https://gateway.example@evil.example/pay' })],
  ['a user name at the gateway’s host', cardPage({ action: 'https://payer:pin@gateway.example/pay' })],
  [
    'the gateway’s host after a backslash',
    cardPage({ action: 'https://evil.example\\@gateway.example/pay' }),
  ],
  ['the gateway’s host after a hash', cardPage({ action: `${evil}/#@gateway.example/pay` })],
  ['a base address', cardPage({ head: `<base href="${evil}/">` })],
  ['a base target', cardPage({ head: '<base target="bank">' })],
  ['a refresh', cardPage({ head: `<meta http-equiv="refresh" content="0;url=${evil}/">` })],
  ['a refresh in odd letters', cardPage({ head: `<meta http-equiv=" ReFresh" content="0;url=${evil}/">` })],
  [
    'a refresh for browsers without script',
    cardPage({ around: `<noscript><meta http-equiv="refresh" content="0;url=${evil}/"></noscript>` }),
  ],
  [
    'a policy of its own',
    cardPage({ head: '<meta http-equiv="content-security-policy" content="default-src *">' }),
  ],
  ['a frame', cardPage({ around: `<iframe src="${evil}/"></iframe>` })],
  [
    'a frame with a page in it',
    cardPage({ around: `<iframe srcdoc="<script>${script}</script>"></iframe>` }),
  ],
  ['an object', cardPage({ around: `<object data="${evil}/"></object>` })],
  ['an embedded thing', cardPage({ around: `<embed src="${evil}/">` })],
  ['a drawing with script', cardPage({ around: `<svg onload="${script}"><script>${script}</script></svg>` })],
  [
    'a drawing with markup hidden in it',
    cardPage({ around: `<svg><style><img src=x onerror="${script}"></style></svg>` }),
  ],
  [
    'a formula with markup hidden in it',
    cardPage({ around: `<math><mtext><table><mglyph><style><img src=x onerror="${script}">` }),
  ],
  ['a button that posts to another host', cardPage({ inside: `<button formaction="${evil}/">Pay</button>` })],
  ['a button of script', cardPage({ inside: `<button formaction="javascript:${script}">Pay</button>` })],
  [
    'an image button that posts to another host',
    cardPage({ inside: `<input type="image" formaction="${evil}/">` }),
  ],
  ['a button into another window', cardPage({ inside: '<button formtarget="bank">Pay</button>' })],
  ['another window', cardPage({ attributes: ' target="bank"' })],
  ['the parent window as target', cardPage({ attributes: ' target="_parent"' })],
  ['files instead of fields', cardPage({ attributes: ' enctype="multipart/form-data"' })],
  ['plain text instead of fields', cardPage({ attributes: ' enctype="text/plain"' })],
  ['a field without a name', cardPage({ inside: '<input type="hidden" value="4">' })],
  ['a field that is shown', cardPage({ inside: '<input type="text" name="apikey">' })],
  ['a field without a type', cardPage({ inside: '<input name="apikey">' })],
  ['a field for a file', cardPage({ inside: '<input type="file" name="apikey">' })],
  ['a field for a PIN', cardPage({ inside: '<input type="password" name="cpm_designation">' })],
  ['a button that is a field', cardPage({ inside: '<button type="reset" name="apikey">Pay</button>' })],
  ['a list to choose from', cardPage({ inside: '<select name="apikey"><option>1</select>' })],
  ['a box for text', cardPage({ inside: '<textarea name="apikey">1</textarea>' })],
  ['an output element', cardPage({ inside: '<output name="apikey">1</output>' })],
  ['a field twice', cardPage({ inside: '<input type="hidden" name="signature" value="t">' })],
  ['a field outside the form', cardPage({ around: '<input name="pin">' })],
  ['a field of another form', cardPage({ inside: '<input type="hidden" name="apikey" form="other">' })],
  [
    'a field of another form that looks like a plain meta element',
    cardPage({ inside: '<input type="hidden" name="apikey" form="other" http-equiv="content-type">' }),
  ],
  [
    'a field with a name of two hundred letters',
    cardPage({ inside: `<input type="hidden" name="${'n'.repeat(200)}">` }),
  ],
  [
    'two hundred fields',
    cardPage({
      inside: Array.from({ length: 200 }, (_, index) => `<input type="hidden" name="n${index}">`).join(''),
    }),
  ],
  ['no field', `<form method="post" action="${cardAction}"></form>`],
  [
    'forms with the names of a method and a property of the document',
    `<form name="querySelectorAll"><form name="forms">${cardPage()}`,
  ],
  [
    'a field of half a megabyte',
    cardPage({ inside: `<input type="hidden" name="apikey" value="${'a'.repeat(500_000)}">` }),
  ],
  [
    'a field of five thousand letters',
    cardPage({ inside: `<input type="hidden" name="apikey" value="${'a'.repeat(5_000)}">` }),
  ],
  ['a hundred thousand boxes in boxes', '<div>'.repeat(100_000) + cardPage()],
  [
    'a return address at another host',
    cardPage({ inside: `<input type="hidden" name="return_url" value="${evil}/">` }),
  ],
  [
    'a return address with script',
    cardPage({ inside: `<input type="hidden" name="cancel_url" value="javascript:${script}">` }),
  ],
  [
    'a second payment address',
    cardPage({ inside: `<input type="hidden" name="payment_url" value="${evil}/">` }),
  ],
  ['a frame set', `<frameset><frame src="${evil}/"></frameset>${cardPage()}`],
  ['a custom element', cardPage({ around: '<pay-now></pay-now>' })],
  ['a button that is a custom element', cardPage({ inside: '<button is="pay-now">Pay</button>' })],
]

const pageWithField = (name: string, value = 'v') =>
  [
    `a page with the field ${name}`,
    cardPage({ inside: `<input type="hidden" name="${name}" value="${value}">` }),
    { name, value },
  ] as const

/** Valid card pages whose last field is not in the specification. Some names are those of a form's own properties. */
export const cardPagesWithOtherNames = [
  pageWithField('order.reference', 'PO-1'),
  pageWithField('merchant[id]'),
  pageWithField('submit'),
  pageWithField('action'),
  pageWithField('append'),
  pageWithField('getAttribute'),
  pageWithField('parentNode'),
  pageWithField('__proto__'),
]

/** Valid card pages with scripts, style sheets or links: the portal uses the form and ignores everything else. */
export const cardPagesWithScript: readonly (readonly [string, string])[] = [
  ['a script that sends it', cardPage({ around: `<script>${script};document.forms[0].submit()</script>` })],
  ['a script of another host', cardPage({ head: `<script src="${evil}/x.js"></script>` })],
  [
    'a script when it has loaded',
    cardPage().replace('<body>', `<body onload="${script};document.forms[0].submit()">`),
  ],
  ['a script before it is sent', cardPage({ attributes: ` onsubmit="${script}"` })],
  ['a script at a picture that fails', cardPage({ around: `<img src=x onerror="${script}">` })],
  ['a script at a button', cardPage({ inside: `<button onclick="${script}">Pay</button>` })],
  [
    'a link of script',
    cardPage({ around: `<a href="javascript:${script}" autofocus onfocus="${script}">Pay</a>` }),
  ],
  [
    'a style sheet of another host',
    cardPage({ head: `<style>@import "${evil}/x.css"</style><link rel="stylesheet" href="${evil}/x.css">` }),
  ],
  [
    'a link that prepares a page',
    cardPage({
      head: `<link rel="prerender" href="${evil}/"><link rel="preload" as="script" href="${evil}/x.js">`,
    }),
  ],
  ['a comment that ends early', cardPage({ around: `<!--><img src=x onerror="${script}"> -->` })],
]
