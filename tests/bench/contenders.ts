import type { Browser } from 'playwright-core'
import type { Portal } from '#support/servers/portal.ts'
import { pageNames } from './figures/page-names.ts'
import type { Figures } from './figures/rounds.ts'
import {
  type Certificate,
  forwardTo,
  type HttpsServer,
  serveFiles,
  startHttpsServer,
} from './https-server.ts'
import { measureForm } from './measure-form.ts'
import { measureFirstVisit, type MeasuredPage, measurePage } from './measure-page.ts'
import { buildPeers } from './peers.ts'
import { buildReactPage, type PageFiles, staticPage, staticPageUnderWorker } from './reference-pages.ts'

export type Contender = {
  name: string
  /** A page that takes long and needs no precision is only in the first, third and fifth round. */
  isInEveryRound: boolean
  measure: (round: number) => Promise<Figures>
}

type Setup = { certificate: Certificate; portal: Portal; browser: Browser }

/** Opens everything that the bench measures. The portal and the form stand beside the pages that they are compared with. */
export async function openContenders(setup: Setup): Promise<{ contenders: Contender[]; close: () => void }> {
  const { certificate, portal, browser } = setup
  const servers: HttpsServer[] = []
  const open = async (answer: Parameters<typeof startHttpsServer>[1]) => {
    const server = await startHttpsServer(certificate, answer)
    servers.push(server)
    return server
  }
  const fixed = async (files: PageFiles, hasWorker: boolean): Promise<MeasuredPage> => ({
    path: '/',
    server: await open(serveFiles(files)),
    hasWorker,
    field: '[name=phoneNumber]',
  })
  const whole = (name: string, page: MeasuredPage): Contender => ({
    name,
    isInEveryRound: true,
    measure: () => measurePage(browser, page),
  })
  const signIn = { path: '/mobile', server: await open(forwardTo(portal.origin)), hasWorker: true }
  const contenders = [
    whole(pageNames.react, await fixed(await buildReactPage(), false)),
    whole(pageNames.portal, { ...signIn, field: '[name=phoneNumber]' }),
    whole(pageNames.worker, await fixed(staticPageUnderWorker, true)),
    whole(pageNames.page, await fixed(staticPage, false)),
    {
      name: pageNames.form,
      isInEveryRound: false,
      measure: (round: number) => measureForm(portal, String(671_999_001 + round)),
    },
  ]
  for (const { name, field, files } of await buildPeers()) {
    const page = { ...(await fixed(files, false)), field }
    contenders.push({ name, isInEveryRound: false, measure: () => measureFirstVisit(browser, page) })
  }
  return {
    contenders,
    close() {
      for (const server of servers) server.close()
    },
  }
}
