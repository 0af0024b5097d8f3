/**
 * The bytes of a base64 text. As in Hasura, characters of no meaning are skipped, and so is what is left over at the end.
 */
export function base64Bytes(text: string): Buffer {
  return Buffer.from(text.replace(/[^A-Za-z0-9+/=]/g, ''), 'base64')
}
