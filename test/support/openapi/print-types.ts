import { registerHooks } from 'node:module'
import { text } from 'node:stream/consumers'

/** The generator needs the compiler API, which TypeScript 7 does not have. */
registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier === 'typescript' ? 'typescript-6' : specifier, context),
})

/** Prints the types that openapi-typescript generates from the document on standard input. */
const { default: openapiTypescript, astToString } = await import('openapi-typescript')
process.stdout.write(astToString(await openapiTypescript(JSON.parse(await text(process.stdin)))))
