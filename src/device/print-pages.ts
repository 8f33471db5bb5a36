/** The style sheet shows this place on paper alone, and then nothing else. */
const containerId = 'print'
const printingClass = 'printing'

/** Prints pictures, a page each; what was put into the page for it is taken out again. */
export async function printPages(pages: readonly Blob[]): Promise<void> {
  const addresses = pages.map(page => URL.createObjectURL(page))
  const container = document.createElement('div')
  container.id = containerId
  container.append(...addresses.map(showPicture))
  document.body.append(container)
  document.body.classList.add(printingClass)
  try {
    await Promise.all([...container.querySelectorAll('img')].map(picture => picture.decode()))
    await print()
  } finally {
    document.body.classList.remove(printingClass)
    container.remove()
    for (const address of addresses) URL.revokeObjectURL(address)
  }
}

function showPicture(address: string): HTMLImageElement {
  const picture = document.createElement('img')
  picture.alt = ''
  picture.src = address
  return picture
}

/** Some browsers print while the page goes on, and say when they are done; others stop the page meanwhile. */
function print(): Promise<void> {
  return new Promise(resolve => {
    window.addEventListener('afterprint', () => resolve(), { once: true })
    window.print()
    setTimeout(resolve, 60_000)
  })
}
