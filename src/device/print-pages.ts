/** The print style sheet shows only this container. */
const containerId = 'print'
const printingClass = 'printing'
const afterPrintTimeoutMs = 60_000

/** Prints each picture on a page of its own. Adds the pictures to the document and removes them afterwards. */
export async function printPages(pages: readonly Blob[]): Promise<void> {
  const urls = pages.map(page => URL.createObjectURL(page))
  const container = document.createElement('div')
  container.id = containerId
  container.append(...urls.map(createPicture))
  document.body.append(container)
  document.body.classList.add(printingClass)
  try {
    await Promise.all([...container.querySelectorAll('img')].map(picture => picture.decode()))
    await print()
  } finally {
    document.body.classList.remove(printingClass)
    container.remove()
    for (const url of urls) URL.revokeObjectURL(url)
  }
}

function createPicture(url: string): HTMLImageElement {
  const picture = document.createElement('img')
  picture.alt = ''
  picture.src = url
  return picture
}

/** Some browsers return from `print()` at once and dispatch `afterprint` later; others block the page. */
function print(): Promise<void> {
  return new Promise(resolve => {
    window.addEventListener('afterprint', () => resolve(), { once: true })
    window.print()
    setTimeout(resolve, afterPrintTimeoutMs)
  })
}
