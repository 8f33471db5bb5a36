import { describe, expect, it } from 'vitest'
import { findBorderFaults } from './borders.ts'
import { readImports } from './imports.ts'
import { listFiles, listFolders, readSources, readText } from './source-tree.ts'
import {
  countEffects,
  findBarrels,
  findFetchFaults,
  findKeyFaults,
  findNameFaults,
  findUnmappedFolders,
  findForbiddenSyntax,
} from './style-faults.ts'

describe('the source files', () => {
  const portal = readSources('src')
  const product = [...portal, ...readSources('sw', 'server')]
  const all = [...product, ...readSources('tests')]

  it('of the product have no import that the table in borders.ts forbids', () => {
    expect(findBorderFaults(product)).toEqual([])
  })

  it('of the portal call fetch only in src/api/client.ts', () => {
    expect(findFetchFaults(portal)).toEqual([])
  })

  it('write no key of a query twice', () => {
    expect(findKeyFaults(all)).toEqual([])
  })

  it('have no barrel, which is a file that only re-exports', () => {
    expect(findBarrels(all)).toEqual([])
  })

  it('have file and folder names that state their subject', () => {
    expect(findNameFaults(['src', 'sw', 'server', 'tests'].flatMap(listFiles))).toEqual([])
  })

  it('have no default exports, enums or any', () => {
    expect(findForbiddenSyntax(all)).toEqual([])
  })

  it('have at most 1.5 React effects for each 1,000 lines', () => {
    const { effects, allowed, places } = countEffects(portal)
    expect(
      effects,
      `compute values in render and act in handlers; the effects are in\n${places.join('\n')}`,
    ).toBeLessThanOrEqual(allowed)
  })

  it('are in folders that the map of the README names', () => {
    const folders = ['src', 'server'].flatMap(root => listFolders(root).map(name => `${root}/${name}`))
    expect(findUnmappedFolders(folders, readText('README.md'))).toEqual([])
  })
})

describe('readImports', () => {
  it.each([
    ["import { a } from '#contract/ids.ts'", 'src/contract/ids.ts'],
    ["import {\n  a,\n  b,\n} from './ids.ts'", 'src/store/ids.ts'],
    ["import './sheet.css'", 'src/store/sheet.css'],
    ["const page = () => import('#screens/form/form-screen.tsx')", 'src/screens/form/form-screen.tsx'],
    ["export { a } from '#app/services.ts'", 'src/app/services.ts'],
    ["import url from './worker.ts?worker&url'", 'src/store/worker.ts'],
  ])('finds %j', (text, file) => {
    expect(readImports({ path: 'src/store/drafts.ts', text }).map(found => found.file)).toEqual([file])
  })

  it('ignores comments, strings and methods', () => {
    const text = "// import { a } from 'b'\nconst c = \"import 'd'\"\nbook.import('e')"
    expect(readImports({ path: 'src/store/drafts.ts', text })).toEqual([])
  })

  it('distinguishes type imports from others', () => {
    const text = "import type { A, exportRows } from './a.ts'\nimport { b } from './b.ts'"
    expect(readImports({ path: 'src/store/c.ts', text }).map(found => found.typeOnly)).toEqual([true, false])
  })
})

describe('findBorderFaults', () => {
  it.each([
    ['src/contract/person.ts', "import { place } from './place.ts'"],
    ['src/contract/person.ts', "import * as z from 'zod/mini'"],
    ['src/store/drafts.ts', "import Dexie from 'dexie'"],
    ['src/api/queries.ts', "import { queryOptions } from '@tanstack/react-query'"],
    ['src/screens/form/form-screen.tsx', "import { useLiveQuery } from 'dexie-react-hooks'"],
    ['src/screens/form/form-screen.tsx', "import type { Drafts } from '#store/drafts.ts'"],
    ['src/screens/form/form-screen.tsx', "import { mayPay } from '#sync/check-synced.ts'"],
    ['src/shell/footer.tsx', "import { useServices } from '#app/services.ts'"],
    ['src/shell/update.tsx', "import { update } from '#device/service-worker.ts'"],
    ['src/app/routes.tsx', "import('#screens/form/form-screen.tsx')"],
    ['sw/worker.ts', "import { languages } from '#contract/codes.ts'"],
    [
      'server/features/session/sign-in.ts',
      "import { endpoints } from '#contract/endpoints.ts'\nimport { db } from '#server/database/connect.ts'\nimport { join } from 'node:path'",
    ],
  ])('allows in %s: %j', (path, text) => {
    expect(findBorderFaults([{ path, text }])).toEqual([])
  })

  it.each([
    ['src/contract/person.ts', "import { clock } from '#device/clock.ts'"],
    ['src/contract/person.ts', "import { z } from 'zod'"],
    ['src/store/drafts.ts', "import { useState } from 'react'"],
    ['src/store/drafts.ts', "import { call } from '#api/client.ts'"],
    ['src/sync/engine.ts', "import { useLiveQuery } from 'dexie-react-hooks'"],
    ['src/sync/engine.ts', "import { steps } from '#shell/steps.tsx'"],
    ['src/api/client.ts', "import { useQuery } from '@tanstack/react-query'"],
    ['src/ui/button.tsx', "import { words } from '#i18n/intl.tsx'"],
    ['src/summary/summary-sections.ts', "import { drafts } from '#store/drafts.ts'"],
    [
      'src/screens/form/form-screen.tsx',
      "import { PaymentScreen } from '#screens/payment/payment-screen.tsx'",
    ],
    ['src/screens/form/form-screen.tsx', "import { liveQuery } from 'dexie'"],
    ['src/screens/form/form-screen.tsx', "import { drafts } from '#store/drafts.ts'"],
    ['src/screens/form/form-screen.tsx', "import { start } from '#sync/engine.ts'"],
    ['src/screens/form/form-screen.tsx', "import { readFile } from 'node:fs'"],
    ['src/shell/footer.tsx', "import { FormScreen } from '#screens/form/form-screen.tsx'"],
    ['src/api/client.ts', "import { handler } from '#server/start/app.ts'"],
    ['src/api/client.ts', "import { world } from '#support/world.ts'"],
    ['sw/worker.ts', "import { open } from '#store/database.ts'"],
    ['server/start/app.ts', "import { shown } from '#summary/summary-sections.ts'"],
    ['server/start/app.ts', "import { createElement } from 'react'"],
    ['server/features/session/sign-in.ts', "import { db } from '../../database/connect.ts'"],
    ['src/store/drafts.ts', "import { seal } from './seal'"],
    ['src/portal.ts', ''],
  ])('forbids in %s: %j', (path, text) => {
    expect(findBorderFaults([{ path, text }])).toHaveLength(1)
  })
})

describe('findBarrels', () => {
  it.each(["export * from './a.ts'", "export { a } from './a.ts'\nexport type { B } from './b.ts'"])(
    'finds %j',
    text => {
      expect(findBarrels(storeFile(text))).toHaveLength(1)
    },
  )

  it('ignores a file with its own code, and one that only loads another', () => {
    expect(findBarrels(storeFile("export { a } from './a.ts'\nexport const b = 1"))).toEqual([])
    expect(findBarrels(storeFile("import './a.css'"))).toEqual([])
  })
})

describe('findForbiddenSyntax and findFetchFaults', () => {
  it.each(['export default 1', 'enum Colour { Red }', 'let a: any', 'b as any', 'let c: Map<any, string>'])(
    'find %j',
    text => {
      expect(findForbiddenSyntax(storeFile(text))).toHaveLength(1)
    },
  )

  it('ignore comments and strings', () => {
    expect(findForbiddenSyntax(storeFile("// export default\nconst a = 'enum Colour { as any }'"))).toEqual(
      [],
    )
    expect(findFetchFaults(storeFile("refetch()\nclient.fetchQuery()\n'fetch('"))).toEqual([])
  })

  it.each(['fetch(url)', 'window.fetch(url)', 'new XMLHttpRequest()', 'navigator.sendBeacon(url)'])(
    'find %j outside src/api/client.ts',
    text => {
      expect(findFetchFaults(storeFile(text))).toHaveLength(1)
      expect(findFetchFaults([{ path: 'src/api/client.ts', text }])).toEqual([])
    },
  )
})

describe('findKeyFaults', () => {
  it.each([
    "client.invalidateQueries({ queryKey: ['applications'] })",
    "client.removeQueries({ queryKey: ['application-data', id] })",
    "client.getQueryData<Payment>(['payment', id])",
    "client.getQueriesData<Attempt[]>({ queryKey: ['payment-attempts', id] })",
    "client.setQueryData(['form-start', id], undefined)",
  ])('finds %s', text => {
    expect(findKeyFaults(storeFile(text))).toHaveLength(1)
  })

  it('ignores the definition of a query, and a key that comes from one', () => {
    expect(findKeyFaults(storeFile("queryOptions({ queryKey: ['account'] })"))).toEqual([])
    expect(findKeyFaults(storeFile('invalidateQueries({ queryKey: queries.keyOf(name, id) })'))).toEqual([])
  })
})

describe('findNameFaults', () => {
  it.each(['src/utils/a.ts', 'src/store/helpers.ts', 'src/form-utils.ts', 'src/ui/Button.tsx'])(
    'finds %s',
    path => {
      expect(findNameFaults([path])).toHaveLength(1)
    },
  )
})

describe('countEffects', () => {
  it('counts the calls of effect hooks, but not their imports, and allows six in few lines', () => {
    const count = countEffects(
      storeFile("import { useEffect } from 'react'\nuseEffect(() => {})\nReact.useLayoutEffect(f)"),
    )
    expect(count).toMatchObject({ effects: 2, allowed: 6 })
  })
})

describe('findUnmappedFolders', () => {
  it('finds a folder that the README names only outside the map', () => {
    const readme = 'The store/ is good.\n```\nsrc/\n  api/   asking\n```\n'
    expect(findUnmappedFolders(['src/api', 'src/store'], readme)).toHaveLength(1)
  })
})

/** Returns a source file with this text, at a path without exceptions. */
function storeFile(text: string) {
  return [{ path: 'src/store/drafts.ts', text }]
}
