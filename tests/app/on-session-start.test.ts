// @vitest-environment happy-dom
import { expect, it } from 'vitest'
import { createQueryClient } from '#api/queries.ts'
import type { LoadedServices, Services } from '#app/services.ts'
import { watchSessionStart } from '#app/on-session-start.ts'
import { toApplicationId, toAppointmentId } from '#contract/id-text.ts'
import { createLanguage } from '#i18n/language.ts'
import { eventually } from '#support/eventually.ts'
import { createQueriesOnPhone } from '#support/fixtures/queries-on-phone.ts'
import { createFakeDevice } from '#support/providers/fake-device.ts'

it('marks the personal data, and no dictionary, to be read again when a page that started offline gets its token (D23)', async () => {
  const queryClient = createQueryClient()
  const { queries } = createQueriesOnPhone()
  const appId = toApplicationId('app-1')
  const personal = [
    queries.applications('ap-1'),
    queries.applicationData(appId),
    queries.appointment(toAppointmentId('visit-1'), 'fr'),
    queries.lastSuccessfulPayment(appId),
    queries.paymentAttempts(appId),
  ].map(({ queryKey }): readonly unknown[] => queryKey)
  for (const queryKey of [...personal, queries.countries('fr').queryKey])
    queryClient.setQueryData(queryKey, [])
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
    openQueries: async () => ({ queries, queryClient }) as LoadedServices,
    language: await createLanguage('fr', () => {}),
  } as unknown as Services) // without a service worker the function uses no other part
  page.token = 'token'
  page.listener()
  await eventually(() => {
    const outdated = queryClient.getQueryCache().findAll({ predicate: ({ state }) => state.isInvalidated })
    expect(outdated.map(({ queryKey }) => queryKey)).toEqual(personal)
  })
})
