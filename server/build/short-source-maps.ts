import { decode, encode, type SourceMapSegment } from '@jridgewell/sourcemap-codec'
import type { Plugin } from 'vite'

/**
 * Shortens the source maps of the server. Node keeps each map in memory, and at the first stack of an error decodes it
 * and keeps the decoded map too: for the whole maps 8 MB, and then 21 MB more.
 */
export function shortenSourceMaps(): Plugin {
  return {
    name: 'shorten-source-maps',
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        for (const file of Object.values(bundle))
          if (file.type === 'asset' && file.fileName.endsWith('.map'))
            file.source = shortenMap(file.source.toString())
      },
    },
  }
}

/** What a shortened map keeps. */
type SourceMap = { version: number; sources: string[]; mappings: string }

/**
 * Returns the map without the texts of the sources and the names in them. Where entries of the same source line follow each
 * other in a line of the build, only the first one stays. So a stack names the right lines, but not always the right columns.
 */
export function shortenMap(json: string): string {
  // The bundler has just written this text.
  const { version, sources, mappings } = JSON.parse(json) as SourceMap
  return JSON.stringify({
    version,
    sources,
    names: [],
    mappings: encode(decode(mappings).map(firstOfEachLine)),
  })
}

function firstOfEachLine(segments: readonly SourceMapSegment[]): SourceMapSegment[] {
  const kept: [column: number, source: number, line: number, sourceColumn: number][] = []
  for (const segment of segments) {
    if (segment.length === 1) continue // Code of the bundler.
    const [column, source, line, sourceColumn] = segment
    const last = kept.at(-1)
    if (last?.[1] !== source || last[2] !== line) kept.push([column, source, line, sourceColumn])
  }
  return kept
}
