import { AsyncLocalStorage } from 'node:async_hooks'

/** The id of the request for which the code runs now; undefined outside requests. Each log line of a request has it. */
export const requestIds = new AsyncLocalStorage<string>()
