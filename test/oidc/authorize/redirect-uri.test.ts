import { describe, expect } from 'vitest'
import { client, get, platform, setTheScene } from '../../support/oidc/authorize-scene.ts'
import { authorizeUrl, registerClient } from '../../support/oidc/register-client.ts'
import { test } from '../../support/oidc/sign-in-test.ts'
import { fetchVia, Visitor } from '../../support/oidc/visitor.ts'

setTheScene()

describe('/authorize accepts only the registered redirect URI, byte for byte', () => {
  test.each([
    'https://evil.example/callback',
    'https://rp.example/callback/',
    'https://rp.example/callback?next=1',
    'https://rp.example/Callback',
    'https://RP.example/callback',
    'https://rp.example:443/callback',
    'https://rp.example:8443/callback',
    'https://rp.example/%63allback',
    'https://user@rp.example/callback',
    'https://rp.example/callback#fragment',
    'https://rp.example/x/../callback',
    'https://rp.example\\@evil.example/callback',
    'http://rp.example/callback',
    ' https://rp.example/callback',
    'https://rp.example/callback\u0000',
    '//rp.example/callback',
    'javascript:alert(1)',
  ])('the redirect URI %j is rejected', async (redirect_uri) => {
    expect(await get(authorizeUrl(client, { redirect_uri }))).toMatchObject({
      status: 400,
      location: null,
      code: 'invalid_redirect_uri',
      attribute: 'redirect_uri',
    })
  })

  test('a redirect URI is compared with DEVELOPMENT_REDIRECT_URIS byte for byte', async () => {
    const DEVELOPMENT_REDIRECT_URIS = 'http://localhost:4000/callback'
    const { url } = await platform.startAnother({ env: { DEVELOPMENT_REDIRECT_URIS } })
    const begin = async (redirect_uri: string) =>
      (await fetchVia(url)(authorizeUrl(client, { redirect_uri }))).status
    expect(await begin(DEVELOPMENT_REDIRECT_URIS)).toBe(303)
    for (const host of ['localhost:4001', 'localhost', '127.0.0.1:4000'])
      expect(await begin(`http://${host}/callback`), host).toBe(400)
  })

  test('a redirect URI that was removed during the sign-in is rejected when the person returns', async () => {
    const otherClient = await registerClient(platform.url)
    let { url } = platform
    const visitor = new Visitor(() => url)
    const answer = await visitor.prove(await visitor.begin(authorizeUrl(otherClient)))
    const { redirect_to } = Object(await answer.json())
    await platform.db.query('update redirect set redirect_uri = $1 where app_id = $2', [
      'https://elsewhere.example/',
      otherClient.id,
    ])
    // A new instance, which has not cached the app yet.
    url = (await platform.startAnother()).url
    const back = await visitor.request(redirect_to, { headers: { accept: 'application/json' } })
    expect([back.status, back.headers.get('location')]).toEqual([400, null])
    expect(await back.json()).toMatchObject({ code: 'invalid_redirect_uri' })
  })

  test('an invalid redirect URI of an app is rejected, and its valid redirect URI works', async () => {
    const otherClient = await registerClient(platform.url)
    await platform.db.query('insert into redirect (app_id, redirect_uri) values ($1, $2)', [
      otherClient.id,
      'https://300.1.1.1/',
    ])
    expect(await get(authorizeUrl(otherClient))).toMatchObject({ status: 303 })
    expect(
      await get(authorizeUrl(otherClient, { redirect_uri: 'https://300.1.1.1/' })),
    ).toMatchObject({
      status: 400,
      code: 'invalid_redirect_uri',
    })
  })
})
