/** How Firefox marks its compressed JSON files, whatever their names: `.jsonlz4`, `.baklz4`, `.mozlz4`. */
const magic = Buffer.from('mozLz40\0')
const headerBytes = magic.length + 4
const minMatchBytes = 4

/** Returns the content of a file that Firefox compressed with LZ4. Undefined for any other file. */
export function readMozLz4(file: Buffer): Buffer | undefined {
  if (!file.subarray(0, magic.length).equals(magic)) return undefined
  return decodeBlock(file.subarray(headerBytes), file.readUInt32LE(magic.length))
}

/** Decodes one LZ4 block: sequences of literal bytes, each but the last followed by a copy of earlier output. */
function decodeBlock(block: Buffer, outputBytes: number): Buffer {
  const output = Buffer.alloc(outputBytes)
  let read = 0
  let written = 0

  /** A length of 15 continues in the next bytes, up to one that is less than 255. */
  function readLength(first: number): number {
    let length = first
    for (let byte = first === 15 ? 255 : 0; byte === 255; length += byte) byte = block.readUInt8(read++)
    return length
  }

  while (read < block.length) {
    const token = block.readUInt8(read++)
    const literals = readLength(token >> 4)
    written += block.copy(output, written, read, read + literals)
    read += literals
    if (read >= block.length) break
    const distance = block.readUInt16LE(read)
    read += 2
    // The copy may overlap what it writes, so it goes byte by byte.
    for (let left = readLength(token & 15) + minMatchBytes; left > 0; left -= 1, written += 1)
      output[written] = output[written - distance] ?? 0
  }
  return output.subarray(0, written)
}
