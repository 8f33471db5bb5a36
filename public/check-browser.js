/* D65, D66. ES5. See server/build/unsupported-notices.ts. */
;(function () {
  function findReason() {
    if (window.isSecureContext === false) return 'insecure'
    return 'noModule' in HTMLScriptElement.prototype &&
      'at' in Array.prototype &&
      'allSettled' in Promise &&
      'randomUUID' in crypto &&
      'subtle' in crypto
      ? ''
      : 'old'
  }

  var reason = findReason()
  if (!reason) return
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
