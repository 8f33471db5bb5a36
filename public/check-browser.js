/* D65, D66, D88. ES5. See server/build/unsupported-notices.ts. */
;(function () {
  function findReason() {
    if (window.isSecureContext === false) return 'insecure'
    return 'noModule' in HTMLScriptElement.prototype &&
      'at' in Array.prototype &&
      'allSettled' in Promise &&
      'randomUUID' in crypto &&
      'subtle' in crypto &&
      'adoptedStyleSheets' in Document.prototype &&
      !(HTMLScriptElement.supports && !HTMLScriptElement.supports('importmap'))
      ? ''
      : 'old'
  }

  // A press on a language before the portal runs has no effect yet: src/device/prerendered.ts repeats it.
  function recordLanguage(event) {
    var root = document.querySelector('#root[data-painted]')
    var language = event.target.closest('button[aria-pressed]')
    if (root && language) root.setAttribute('data-pressed-language', language.lang)
  }

  // A submit before the portal runs would leave the page: src/device/prerendered.ts repeats it.
  function recordSubmit(event) {
    var root = document.querySelector('#root[data-painted]')
    if (!root) return
    event.preventDefault()
    root.setAttribute('data-pressed-submit', '')
    root.querySelector('[type=submit]').setAttribute('aria-disabled', 'true')
  }

  var reason = findReason()
  if (!reason) {
    document.addEventListener('submit', recordSubmit)
    var submit = document.querySelector('#root[data-painted] [type=submit]')
    if (submit) submit.disabled = false
    document.addEventListener('click', recordLanguage)
    return
  }
  document.documentElement.setAttribute('data-unsupported', reason)
  var address = '/pages/unsupported/' + reason + '.html'
  var request = new XMLHttpRequest()
  request.open('GET', address)
  request.responseType = 'document'
  request.onload = function () {
    var page = request.response
    document.head.appendChild(document.importNode(page.querySelector('style'), true))
    document.body = document.importNode(page.body, true)
  }
  request.onerror = function () {
    location.replace(address)
  }
  request.send()
})()
