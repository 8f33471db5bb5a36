/**
 * Writes brotli and gzip copies of the text files, so that the server only selects one. Plain JavaScript, because
 * server/start/start.mjs, which imports it, runs from the sources.
 */
import { copyFile, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const encodings = [
  {
    ending: '.br',
    compress: bytes =>
      promisify(brotliCompress)(bytes, {
        params: {
          [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
          [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
          // Blocks of 1 MiB: each file but the worker of pdf.js fits into one, which compresses it a little better than two.
          [constants.BROTLI_PARAM_LGBLOCK]: 20,
        },
      }),
  },
  { ending: '.gz', compress: bytes => promisify(gzip)(bytes, { level: 9 }) },
]
const texts = /\.(?:m?js|css|html|svg|json|txt|webmanifest)$/
/** A file with a hash in its name: its copies in the previous build are still valid. */
const hashed = /-[\w-]{8}\.\w+$/
/** A smaller file fits into one packet anyway. */
const minCompressedBytes = 500

/**
 * Compresses the text files of a folder. Reuses the compressed copies of the previous build that are still valid.
 *
 * @param {string} folder the folder of the new build
 * @param {string} previousFolder the folder of the previous build; it may be missing
 */
export async function compressFiles(folder, previousFolder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter(entry => entry.isFile() && texts.test(entry.name))
  await Promise.all(
    files.flatMap(({ parentPath, name }) =>
      encodings.map(encoding =>
        writeCopy(join(parentPath, name), encoding, join(previousFolder, parentPath.slice(folder.length))),
      ),
    ),
  )
}

async function writeCopy(path, { ending, compress }, previousFolder) {
  if ((await stat(path)).size < minCompressedBytes) return
  if (hashed.test(path) && (await reuseCopy(join(previousFolder, basename(path) + ending), path + ending)))
    return
  await writeFile(path + ending, await compress(await readFile(path)))
}

async function reuseCopy(from, to) {
  try {
    await copyFile(from, to)
    return true
  } catch (error) {
    if (error.code === 'ENOENT') return false // this file is new
    throw error
  }
}
