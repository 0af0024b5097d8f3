/**
 * Node's `http`. An import of it reads all that it exports, and its `WebSocket` then loads the whole of undici:
 * 25 ms and 4 MB of a start.
 */
export const http = process.getBuiltinModule('node:http')
