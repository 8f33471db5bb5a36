import { setFlagsFromString } from 'node:v8'
import { isFullRun } from '#support/test-tier.ts'

/**
 * PGlite is WebAssembly. V8 would compile the functions that a test uses much a second time, for speed. In the few seconds of
 * a daily test that costs more CPU than it saves: a start and 2,000 statements took 1.5 s instead of 3.2 s.
 */
if (!isFullRun) setFlagsFromString('--liftoff-only')
