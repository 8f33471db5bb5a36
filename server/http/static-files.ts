import { existsSync } from 'node:fs'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { networkPagePath } from '#contract/codes.ts'
import { sendRefusal } from './failures.ts'
import { languageAskedFor, prerenderedFile } from './prerendered-pages.ts'

const oneYear = 'public, max-age=31536000, immutable'
const revalidate = 'no-cache'

/** Serves the built portal from `root`. Without a build (development, tests) it does not serve the portal. */
export function registerStaticFiles(app: FastifyInstance, root: string | undefined): void {
  const hasBuild = root !== undefined && existsSync(join(root, 'index.html'))
  if (hasBuild)
    app.register(fastifyStatic, {
      root,
      wildcard: true,
      index: false,
      redirect: false,
      preCompressed: true,
      // The build has no hidden file; one that lies there by mistake may hold secrets.
      dotfiles: 'ignore',
      cacheControl: false,
      setHeaders: (response, path) => {
        response.setHeader(
          'vary',
          /[\\/]pages[\\/]/.test(path) ? 'accept-encoding, cookie' : 'accept-encoding',
        )
        response.setHeader('cache-control', /[\\/]assets[\\/]/.test(path) ? oneYear : revalidate)
      },
    })
  if (hasBuild) app.get('/', (request, reply) => sendPage(root, request, reply))
  // A captive portal answers this address with its own page. Once the network is open, the applicant gets the portal.
  app.get(networkPagePath, (_request, reply) => reply.header('cache-control', 'no-store').redirect('/', 302))
  // A payment provider may redirect the payer with a POST; 303 makes the browser read the result page with a GET.
  app.register(async redirects => {
    redirects.removeAllContentTypeParsers()
    redirects.addContentTypeParser('*', (_request, payload, done) => {
      payload.resume()
      done(null)
    })
    redirects.post('/payResult/*', (request, reply) => reply.redirect(pathOf(request), 303))
  })
  app.setNotFoundHandler((request, reply) => {
    if (!hasBuild || !isPage(request)) return sendRefusal(request, reply, { refused: 'not-found' })
    return sendPage(root, request, reply)
  })
}

/**
 * Whether the path can be a page of the portal: no file extension, no hidden folder, not under /api, /assets or /metrics.
 */
function isPage(request: FastifyRequest): boolean {
  if (request.method !== 'GET' && request.method !== 'HEAD') return false
  const path = pathOf(request)
  if (/^\/(?:api|assets|metrics)(?:\/|$)/.test(path)) return false
  return !/\.\w+$|\/(?:\.|%2e)/i.test(path)
}

/** Drops the query, which a provider may have added. Replaces a leading `//`, which would mean another host. */
function pathOf(request: FastifyRequest): string {
  return (request.url.split('?')[0] ?? '/').replace(/^\/+/, '/')
}

/** Sends the prerendered page in the applicant's language, else index.html. */
function sendPage(root: string, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const prerendered = prerenderedFile(root, pathOf(request), languageAskedFor(request))
  return reply
    .code(200)
    .header('cache-control', revalidate)
    .sendFile(prerendered ?? 'index.html')
}
