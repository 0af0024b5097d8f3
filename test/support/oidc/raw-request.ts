import { connect } from 'node:net'
import { text } from 'node:stream/consumers'

/** Sends a method and a target that ordinary clients cannot send; resolves with the raw response. */
export async function rawRequest(url: string, line: string): Promise<string> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.write(`${line} HTTP/1.1\r\nhost: evil.example\r\nconnection: close\r\n\r\n`)
  return text(socket)
}
