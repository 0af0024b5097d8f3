import { IncomingMessage, type ServerOptions, ServerResponse } from 'node:http'
import type { Express } from 'express'

type Messages = Required<Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'>>

/**
 * Returns options for an HTTP server that creates requests and responses with Express's prototypes.
 *
 * Without these options, Express changes the prototype of each request and response. V8 then gives each object a
 * separate type, looks up its properties slowly, and frees it only in a full garbage collection. A small request took
 * twice as long (docs/decisions/services/0085-express-prototypes.md).
 */
export function expressPrototypes({ request, response }: Express): Messages {
  return {
    IncomingMessage: withPrototype(IncomingMessage, request),
    ServerResponse: withPrototype(ServerResponse, response),
  }
}

/** Returns a class like `base`. Its instances have the given prototype. */
function withPrototype<Class extends typeof IncomingMessage | typeof ServerResponse>(
  base: Class,
  prototype: object,
): Class {
  function Message(...args: unknown[]): object {
    return Reflect.construct(base, args, Message)
  }
  Message.prototype = prototype
  return Message as unknown as Class
}
