/** Decodes base64. Like Hasura, skips invalid characters, and incomplete bytes at the end. */
export function base64Bytes(text: string): Buffer {
  return Buffer.from(text.replace(/[^A-Za-z0-9+/=]/g, ''), 'base64')
}
