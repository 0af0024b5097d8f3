import { expect, test } from 'vitest'
import { returnUrl } from '../../../webhooks/verify/return-url.ts'

const ADDED = 'verification_jwt=a.b-c_d&success=true'

test.each([
  ['https://example.com', `https://example.com/?${ADDED}`],
  ['https://example.com/done', `https://example.com/done?${ADDED}`],
  ['https://example.com/done?', `https://example.com/done?${ADDED}`],
  ['https://example.com/?q=a%20b&flag', `https://example.com/?q=a%20b&flag&${ADDED}`],
  ['https://example.com/?a=1&a=2#top', `https://example.com/?a=1&a=2&${ADDED}#top`],
  ['https://example.com:8443/#/route?x=1', `https://example.com:8443/?${ADDED}#/route?x=1`],
  [
    'http://localhost:5173/?to=https://evil.example/',
    `http://localhost:5173/?to=https://evil.example/&${ADDED}`,
  ],
])('the return URL %s becomes %s', (configuredUrl, expected) => {
  expect(returnUrl(new URL(configuredUrl), 'a.b-c_d')).toBe(expected)
})
