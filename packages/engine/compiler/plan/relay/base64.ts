/** Decodes base64. As in Hasura, invalid characters are skipped, as are incomplete bytes at the end. */
export function base64Bytes(text: string): Buffer {
  return Buffer.from(text.replace(/[^A-Za-z0-9+/=]/g, ''), 'base64')
}
