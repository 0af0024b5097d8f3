import { createServer, type Server } from 'node:http'
import type { Express } from 'express'
import { expect } from 'vitest'
import { createSignInApp, type Services, signInRoutes } from '../../../oidc/app.ts'
import { hiddenDocument, signInDocument } from '../../../oidc/openapi/document.ts'
import { createContract } from '../openapi/contract.ts'

/** What `/openapi.json` says at this address. */
export function signInDescription(issuer: string) {
  return signInDocument(signInRoutes({ issuer }), issuer)
}

/** A sign-in server whose every answer is compared with its description. */
export function createWatchedServer(services: Services): {
  server: Server
  expectDocumented(): void
} {
  const { issuer } = services
  const routes = signInRoutes(services)
  const { watch } = createContract({
    documents: [signInDocument(routes, issuer), hiddenDocument(routes, issuer)],
    // Only a client that sent the header gets a challenge.
    isAlwaysChallenged: false,
    isStrict: true,
  })
  const handle: Express = createSignInApp(services)
  const faults: string[] = []
  const judgeLater = watch(faults, new Set())
  const server = createServer((request, response) => {
    judgeLater(request, response)
    handle(request, response)
  })
  return {
    server,
    /** Fails if the server has given an answer that its description does not have, since this was last called. */
    expectDocumented() {
      expect(faults.splice(0), 'answers that /openapi.json does not have').toEqual([])
    },
  }
}
