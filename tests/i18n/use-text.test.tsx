import { renderToStaticMarkup } from 'react-dom/server'
import { IntlProvider } from 'react-intl'
import { describe, expect, it } from 'vitest'
import { useText } from '#i18n/intl.ts'

const noBreakSpace = '\u00a0'

describe('a text on the screen', () => {
  it.each([
    ['Code envoyé à +237 6 71 23 45 67.', 'Code envoyé à +237_6_71_23_45_67.'],
    ['Jusqu’au 28 novembre 2026 à 21:59', 'Jusqu’au 28_novembre 2026 à 21:59'],
    ['Il reste 3 fois 7 jours.', 'Il reste 3_fois 7_jours.'],
    ['Étape 1 sur 5 · Connexion', 'Étape 1_sur 5 · Connexion'],
    ['The fee is FCFA 110,000 for 10 years', 'The fee is FCFA 110,000_for 10_years'],
    ['Sans chiffre', 'Sans chiffre'],
  ])(
    'puts a no-break space between a number and a digit or an unaccented letter after it: %s (D134)',
    (text, shown) => {
      expect(show(text)).toBe(shown.replaceAll('_', noBreakSpace))
    },
  )
})

function show(text: string): string {
  return renderToStaticMarkup(
    <IntlProvider locale="fr" messages={{ 'app.name': [{ type: 0, value: text }] }}>
      <Text />
    </IntlProvider>,
  )
}

function Text() {
  return useText()('app.name')
}
