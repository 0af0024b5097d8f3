/**
 * Node's module `http`. An `import` would read every export of the module. Reading `WebSocket` loads all of undici, which costs 25 ms
 * and 4 MB at the start.
 */
export const http = process.getBuiltinModule('node:http')
