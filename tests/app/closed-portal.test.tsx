// @vitest-environment happy-dom
import { expect, it } from 'vitest'
import { openPortal } from '#support/fixtures/open-portal.tsx'

it('a late answer to the portal of an earlier test does not open another page in the next test', async () => {
  const earlier = await openPortal({ path: '/procedure' })
  await earlier.close()
  const path = '/form/app-1/PP-1/PersonData'
  const portal = await openPortal({ path })
  await portal.see(() => portal.named('surname'))
  void earlier.services.navigation.go('/help')
  await portal.see(() => portal.named('surname'))
  expect(location.pathname).toBe(path)
  await portal.close()
})
