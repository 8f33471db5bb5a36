// @vitest-environment happy-dom
import { expect, it } from 'vitest'
import { createQueryClient } from '#api/queries.ts'
import type { LoadedServices, Services } from '#app/services.ts'
import { watchSessionStart } from '#app/on-session-start.ts'
import { createLanguage } from '#i18n/language.ts'
import { eventually } from '#support/eventually.ts'
import { createFakeDevice } from '#support/providers/fake-device.ts'

it('reads the personal data again when a page that started offline gets its token (D23)', async () => {
  const queryClient = createQueryClient()
  const personal = [
    ['applications', 'ap-1'],
    ['application-data', 'app-1'],
    ['appointment', 'app-1', 'fr'],
    ['last-successful-payment', 'app-1'],
    ['payment-attempts', 'app-1'],
  ]
  for (const queryKey of [...personal, ['countries', 'fr']]) queryClient.setQueryData(queryKey, [])
  const page: { token?: string; listener: () => void } = { listener: () => {} }
  const session = {
    token: () => page.token,
    subscribe(listener: () => void) {
      page.listener = listener
      return () => {}
    },
  } as Services['session']
  watchSessionStart({
    device: createFakeDevice(),
    session,
    openQueries: async () => ({ queryClient }) as LoadedServices,
    language: await createLanguage('fr', () => {}),
  } as unknown as Services) // the only parts that the function uses
  page.token = 'token'
  page.listener()
  await eventually(() => {
    const outdated = queryClient.getQueryCache().findAll({ predicate: ({ state }) => state.isInvalidated })
    expect(outdated.map(({ queryKey }) => queryKey)).toEqual(personal)
  })
})
