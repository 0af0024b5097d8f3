import { IncomingMessage, type ServerOptions, ServerResponse } from 'node:http'
import type { Express } from 'express'

type Messages = Required<Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'>>

/**
 * Options of an HTTP server whose requests and responses have Express's prototypes from the beginning.
 *
 * Express otherwise changes the prototype of each one. V8 then treats each as a type of its own, looks up
 * properties the slow way, and keeps the objects until the next full collection: a small request took
 * twice as long (docs/decisions/services/0085-express-prototypes.md).
 */
export function expressPrototypes({ request, response }: Express): Messages {
  return {
    IncomingMessage: withPrototype(IncomingMessage, request),
    ServerResponse: withPrototype(ServerResponse, response),
  }
}

/** A class like `base`, but with another prototype for its instances. */
function withPrototype<Class extends typeof IncomingMessage | typeof ServerResponse>(
  base: Class,
  prototype: object,
): Class {
  function Made(...args: unknown[]): object {
    return Reflect.construct(base, args, Made)
  }
  Made.prototype = prototype
  return Made as unknown as Class
}
