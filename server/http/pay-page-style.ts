export const payPageStylePath = '/pay/page.css'

/** The two pages are read on phones too, in light and dark. */
export const payPageStyle = `
:root { color-scheme: light dark; font-family: system-ui, sans-serif; line-height: 1.5; }
body { margin: 0; padding: 1rem; border-top: 0.5rem solid #0b5a3c; }
main { max-width: 36rem; margin: 0 auto; }
section + section { margin-top: 2rem; padding-top: 1rem; border-top: 1px solid; }
h1 { font-size: 1.25rem; }
a { color: inherit; display: inline-block; padding: 0.5rem 0; }
button, .button { font: inherit; font-weight: 600; min-height: 28px; padding: 0.5rem 1rem; border: 2px solid #0b5a3c;
  border-radius: 0.5rem; background: #0b5a3c; color: #fff; text-decoration: none; }
button:focus-visible, a:focus-visible { outline: 3px solid #1d70b8; outline-offset: 2px; }
`.trim()
