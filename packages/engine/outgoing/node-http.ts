/**
 * Node's `http`. An `import` would read every export, and `WebSocket` loads all of undici: 25 ms and 4 MB at the start.
 */
export const http = process.getBuiltinModule('node:http')
