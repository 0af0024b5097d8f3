import { createReadStream } from 'node:fs'

/** The longest line: an action with a description of 4,096 characters, each escaped, is shorter. */
const LONGEST_LINE = 65_536
const NEWLINE = 0x0a

/** A line of a file; `number` counts from 1, and `end` is the position behind the line in bytes. */
export type Line = { number: number; text: string; end: number }

/**
 * Reads a file in portions of complete lines, so that the memory does not grow with the file. The last portion may end with
 * a line without a newline; its `end` is null.
 *
 * @throws an error that names the line if a line is too long or not UTF-8
 */
export async function* readLines(
  path: string,
): AsyncGenerator<(Line | (Omit<Line, 'end'> & { end: null }))[]> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let rest: Buffer = Buffer.alloc(0)
  let number = 0
  let position = 0
  const decode = (bytes: Buffer) => {
    number += 1
    if (bytes.length > LONGEST_LINE)
      throw new Error(`${path}, line ${number}: a line has at most ${LONGEST_LINE} bytes.`)
    try {
      return decoder.decode(bytes)
    } catch (cause) {
      throw new Error(`${path}, line ${number}: the line is not UTF-8.`, { cause })
    }
  }
  const chunks: AsyncIterable<Buffer> = createReadStream(path)
  for await (const chunk of chunks) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    const lines: Line[] = []
    let start = 0
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
      const text = decode(bytes.subarray(start, end))
      lines.push({ number, text, end: position + end + 1 })
      start = end + 1
    }
    position += start
    rest = bytes.subarray(start)
    if (rest.length > LONGEST_LINE) decode(rest)
    if (lines.length > 0) yield lines
  }
  if (rest.length > 0) {
    const text = decode(rest)
    yield [{ number, text, end: null }]
  }
}
