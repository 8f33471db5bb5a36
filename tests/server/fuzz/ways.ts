import { apiRoot } from '#contract/codes.ts'
import { type EndpointName, endpoints } from '#contract/endpoints.ts'
import type { Configuration } from '#server/config/config.ts'
import { buildRequest } from './changed-requests.ts'
import { faultOfCall } from './faults.ts'
import { createOtherWays } from './other-ways.ts'
import { validRequests } from './valid-requests.ts'
import type { Way } from './way.ts'

const names = Object.keys(endpoints) as EndpointName[] // keys of the contract

const calls: readonly Way[] = names.map(name => ({
  name,
  routes: [`${endpoints[name].method} ${apiRoot}${endpoints[name].path}`],
  build: parts => buildRequest(name, validRequests(parts.subject, parts.random)[name], parts),
  faultOf: response => faultOfCall(endpoints[name], response),
}))

/** Returns all ways to send requests to a server: the calls of the contract, and all its other routes. */
export function createWays(config: Pick<Configuration, 'emblem'>): readonly Way[] {
  return [...calls, ...createOtherWays(config)]
}
