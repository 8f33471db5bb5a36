import { apiRoot } from '#contract/codes.ts'
import { type EndpointName, endpoints } from '#contract/endpoints.ts'
import type { Configuration } from '#server/config/config.ts'
import { changeRequest } from './changed-requests.ts'
import { faultOfCall } from './faults.ts'
import { createOtherWays } from './other-ways.ts'
import { validRequests } from './valid-requests.ts'
import type { Way } from './way.ts'

const names = Object.keys(endpoints) as EndpointName[] // keys of the contract

const calls: readonly Way[] = names.map(name => ({
  name,
  routes: [`${endpoints[name].method} ${apiRoot}${endpoints[name].path}`],
  build: parts => changeRequest(name, validRequests(parts.of, parts.random)[name], parts),
  faultOf: response => faultOfCall(endpoints[name], response),
}))

/** Returns all ways to send requests to a server: the calls of the contract, and all its other routes. */
export function createWays(config: Configuration): readonly Way[] {
  return [...calls, ...createOtherWays(config)]
}
