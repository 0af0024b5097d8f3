import { createServer, type Server } from 'node:http'
import type { Express } from 'express'
import { expect } from 'vitest'
import { createSignInApp, type Services, signInRoutes } from '../../../oidc/app.ts'
import { hiddenDocument, signInDocument } from '../../../oidc/openapi/document.ts'
import { createContract } from '../openapi/contract.ts'

/** Returns the OpenAPI document of a server with this issuer. */
export function signInDescription(issuer: string) {
  return signInDocument(signInRoutes({ issuer }), issuer)
}

/** Creates a sign-in server that compares each of its responses with its OpenAPI documents. */
export function createWatchedServer(services: Services): {
  server: Server
  expectDocumented(): void
} {
  const { issuer } = services
  const routes = signInRoutes(services)
  const { watch } = createContract({
    documents: [signInDocument(routes, issuer), hiddenDocument(routes, issuer)],
    // `/token` sends `www-authenticate` only to a client that sent `Authorization`.
    isAlwaysChallenged: false,
    isStrict: true,
  })
  const handle: Express = createSignInApp(services)
  const faults: string[] = []
  const checkResponse = watch(faults, new Set())
  const server = createServer((request, response) => {
    checkResponse(request, response)
    handle(request, response)
  })
  return {
    server,
    /** Fails if a response since the last call differed from the OpenAPI documents. */
    expectDocumented() {
      expect(faults.splice(0), 'responses that are not in /openapi.json').toEqual([])
    },
  }
}
