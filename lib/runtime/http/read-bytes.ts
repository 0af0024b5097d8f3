/** An error: the body exceeds the limit. */
export class BodyTooLong extends Error {
  override readonly name = 'BodyTooLong'
}

/**
 * Reads the body of another server's response.
 *
 * @throws BodyTooLong as soon as the body exceeds `maxBytes`
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
