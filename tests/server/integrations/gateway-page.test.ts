import { describe, expect, it } from 'vitest'
import { readGatewayPage } from '#server/integrations/read-gateway-page.ts'

const page = (inside: string) => `<!doctype html><html><body>${inside}</body></html>`
const field = (name: string, attributes = '') =>
  `<input type="hidden" name="${name}" value="1" ${attributes}>`
const posts = 'method="post" action="https://bank.example/p"'
const form = (fields = field('a'), attributes = posts) => `<form ${attributes}>${fields}</form>`

describe('a bank’s page', () => {
  it('gives its only form in unusual spellings of HTML (S12)', () => {
    const written = page(
      `<FORM name=pay METHOD='POST' action='https://bank.example/p?x=1&amp;y=2'>
        <input type=hidden name=a value="1 &quot;&lt;&#39;&#xe9;"/><INPUT value='' name="b.c[0]" TYPE="HIDDEN">
        <input type="submit" name="go"></FORM><script>document.forms[0].submit()</script>`,
    )
    expect(readGatewayPage(written)).toMatchObject({
      url: 'https://bank.example/p?x=1&y=2',
      fields: [
        { name: 'a', value: '1 "<\'é' },
        { name: 'b.c[0]', value: '' },
      ],
    })
  })

  it.each([
    ['no form', page('hello')],
    ['two forms', page(form() + form())],
    ['a form by GET', page(form(undefined, 'method="get" action="https://bank.example"'))],
    ['a form without a method', page(form(undefined, 'action="https://bank.example"'))],
    ['a form to nowhere', page(form(undefined, 'method="post"'))],
    ['a form to our own server', page(form(undefined, 'method="post" action="/api/v1/logout"'))],
    ['a form to a script', page(form(undefined, 'method="post" action="javascript:alert(1)"'))],
    ['a form to data', page(form(undefined, 'method="post" action="data:text/html,x"'))],
    ['a base', page(`<base href="https://evil.example">${form()}`)],
    ['a field to type in', page(form('<input name="card">'))],
    ['a password', page(form('<input type="password" name="p">'))],
    ['a text area', page(form('<textarea name="x"></textarea>'))],
    ['a choice', page(form('<select name="x"></select>'))],
    ['no fields', page(form(''))],
    ['a field with a strange name', page(form('<input type="hidden" name="a b" value="">'))],
    ['a form in a comment', page(`<!-- ${form()} -->`)],
    ['a form in a script', page(`<script>'${form()}'</script>`)],
    ['a form in a template', page(`<template>${form()}</template>`)],
    ['very many fields', page(form('<input type="hidden" name="a" value="1">'.repeat(100)))],
  ])('gives nothing when it has %s (S12)', (_, html) => {
    expect(readGatewayPage(html)).toBeUndefined()
  })

  it.each([
    ['a disabled field', form(`${field('b', 'disabled')}${field('a')}`)],
    ['a field of a disabled group', form(`<fieldset disabled>${field('b')}</fieldset>${field('a')}`)],
    ['a field before the form', `${field('b')}${form()}`],
    ['a field after the form', `${form()}${field('b')}`],
    ['a field of another form', form(`${field('b', 'form="x"')}${field('a')}`)],
  ])('gives only the fields that a browser sends when it has %s (S12)', (_, inside) => {
    expect(readGatewayPage(page(inside))?.fields).toEqual([{ name: 'a', value: '1' }])
  })

  it.each([
    ['is in a table', `<table>${form(`<tr><td>${field('a')}</td></tr>`)}</table>`],
    ['closes outside the element in which it opens', `<div>${form(`</div>${field('a')}`)}`],
    ['is named by a field outside', `${form('', `${posts} id="pay"`)}${field('a', 'form="pay"')}`],
  ])('gives the fields of a form that %s (S12)', (_, inside) => {
    expect(readGatewayPage(page(inside))?.fields).toEqual([{ name: 'a', value: '1' }])
  })

  it.each([
    ['tags that never end', '<a "'],
    ['tags that are opened and not closed', '<div>'],
    ['an unfinished tag with many attributes', '<input name=a '],
    ['elements in the wrong place of a table', '<table><br>'],
    ['comments in comments', '<!--'],
    ['scripts that never end', '<script>'],
  ])('is read in time proportional to its length when it is hostile: %s (S12)', (_, part) => {
    const shortMs = measureReadingMs(part, hostileChars / 16)
    const longMs = measureReadingMs(part, hostileChars)
    // Linear reading gives a ratio of 16, quadratic reading one of 256.
    expect(longMs / Math.max(shortMs, leastMs)).toBeLessThan(64)
  })

  it('keeps text that looks like a tag as a part of its value', () => {
    const read = readGatewayPage(page(form('<input type="hidden" name="a" value="</form><form action=x>">')))
    expect(read?.fields).toEqual([{ name: 'a', value: '</form><form action=x>' }])
  })
})

const hostileChars = 1_000_000
/** Below this, the start-up costs of a run are larger than the reading. */
const leastMs = 10

/**
 * Returns the CPU time of the fastest of three runs, in milliseconds. Other processes do not change it. The other threads of
 * this process do, for example when they still clean up after an earlier test file.
 */
function measureReadingMs(part: string, chars: number): number {
  const html = part.repeat(chars / part.length)
  const runs = Array.from({ length: 3 }, () => {
    const start = process.cpuUsage()
    readGatewayPage(html)
    const { user, system } = process.cpuUsage(start)
    return (user + system) / 1_000
  })
  return Math.min(...runs)
}
