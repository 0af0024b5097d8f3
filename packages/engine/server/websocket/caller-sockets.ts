import type { WebSocket } from 'ws'

/** The sockets of each caller, who share some bounds. */
export type CallerSockets = {
  /** Counts a socket as one of a caller's, until it closes; false when they have too many. */
  join(caller: string, socket: WebSocket): boolean
  /** How many bytes a caller has left unread, on all their sockets. */
  unreadBytes(caller: string): number
}

/** @param max how many sockets a caller may have */
export function createCallerSockets(max: number): CallerSockets {
  const sockets = new Map<string, Set<WebSocket>>()
  return {
    join(caller, socket) {
      const own = sockets.get(caller) ?? new Set()
      if (own.size >= max) return false
      sockets.set(caller, own.add(socket))
      socket.once('close', () => {
        own.delete(socket)
        if (own.size === 0 && sockets.get(caller) === own) sockets.delete(caller)
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
