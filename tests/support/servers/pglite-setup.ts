import { setFlagsFromString } from 'node:v8'
import { isFullRun } from '#support/test-tier.ts'

/**
 * PGlite is WebAssembly. V8 would compile a function that is called often a second time, for speed. In the few seconds
 * of a test of the daily run this costs more CPU than it saves: without it a start and 2,000 statements took 1.5 s,
 * not 3.2 s.
 */
if (!isFullRun) setFlagsFromString('--liftoff-only')
