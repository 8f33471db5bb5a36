import type { CardTarget } from './card-page.ts'

/**
 * Posts the form, so that the browser leaves for the gateway. Methods of the form are called through their prototype,
 * because a field may have the name of a method, such as `submit`, and would hide that method of its form.
 */
export function sendCardForm({ url, fields }: CardTarget): void {
  const form = document.createElement('form')
  form.method = 'post'
  form.action = url
  form.acceptCharset = 'utf-8'
  form.hidden = true
  document.body.append(form)
  Element.prototype.append.call(form, ...fields.map(toInput))
  HTMLFormElement.prototype.submit.call(form)
  // The browser may show this page again when the payer goes back.
  Element.prototype.remove.call(form)
}

function toInput({ name, value }: CardTarget['fields'][number]): HTMLInputElement {
  const input = document.createElement('input')
  input.type = 'hidden'
  input.name = name
  input.value = value
  return input
}
