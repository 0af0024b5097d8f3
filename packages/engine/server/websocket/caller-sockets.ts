import type { WebSocket } from 'ws'

/** The open sockets of each caller. The limits apply to all sockets of a caller together. */
export type CallerSockets = {
  /** Counts a socket for a caller until it closes. Returns false if the caller has too many sockets. */
  join(caller: string, socket: WebSocket): boolean
  /** Returns the number of bytes that a caller has not read, on all its sockets. */
  unreadBytes(caller: string): number
}

/** @param max the maximum number of sockets of a caller */
export function createCallerSockets(max: number): CallerSockets {
  const sockets = new Map<string, Set<WebSocket>>()
  return {
    join(caller, socket) {
      const ofCaller = sockets.get(caller) ?? new Set()
      if (ofCaller.size >= max) return false
      sockets.set(caller, ofCaller.add(socket))
      socket.once('close', () => {
        ofCaller.delete(socket)
        if (ofCaller.size === 0 && sockets.get(caller) === ofCaller) sockets.delete(caller)
      })
      return true
    },
    unreadBytes(caller) {
      let bytes = 0
      for (const { bufferedAmount } of sockets.get(caller) ?? []) bytes += bufferedAmount
      return bytes
    },
  }
}
