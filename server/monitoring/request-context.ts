import { AsyncLocalStorage } from 'node:async_hooks'

/** The id of the request for which the code runs now; undefined outside requests. It is in each log line. */
export const requestIds = new AsyncLocalStorage<string>()
