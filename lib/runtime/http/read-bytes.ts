/** A body is longer than it may be. */
export class BodyTooLong extends Error {
  override readonly name = 'BodyTooLong'
}

/**
 * Reads the body of an answer that another server gave.
 *
 * @throws BodyTooLong as soon as more than `maxBytes` have come
 */
export async function readBytes({ body }: Response, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let length = 0
  const stream: AsyncIterable<Uint8Array> | [] = body ?? []
  for await (const chunk of stream) {
    length += chunk.length
    if (length > maxBytes) throw new BodyTooLong(`more than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
