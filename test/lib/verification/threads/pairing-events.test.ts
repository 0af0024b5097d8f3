import { Writable } from 'node:stream'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { recordPairingEvents } from '../../../../lib/verification/threads/pairing-events.ts'

function record() {
  const registry = new Registry()
  const lines: { level: number; reason: string; msg: string }[] = []
  const stream = new Writable({
    write(chunk, _encoding, done) {
      lines.push(JSON.parse(String(chunk)))
      done()
    },
  })
  return { registry, lines, recordEvent: recordPairingEvents(registry, pino(stream)) }
}

test('each fallback to mcl-wasm is counted, and each reason is logged once', async () => {
  const { registry, lines, recordEvent } = record()
  for (let thread = 0; thread < 3; thread++)
    recordEvent({ event: 'fell_back', reason: 'unavailable' })
  recordEvent({ event: 'fell_back', reason: 'disagreement' })
  const text = await registry.metrics()
  expect(text).toContain('pairing_fallbacks_total{reason="unavailable"} 3')
  expect(text).toContain('pairing_fallbacks_total{reason="disagreement"} 1')
  expect(lines.map(({ level, reason }) => [level, reason])).toEqual([
    [40, 'unavailable'],
    [50, 'disagreement'],
  ])
})

test('every counter of pairing events starts at 0', async () => {
  const { registry, recordEvent } = record()
  const text = await registry.metrics()
  for (const reason of ['unavailable', 'known_case', 'disagreement'])
    expect(text).toContain(`pairing_fallbacks_total{reason="${reason}"} 0`)
  recordEvent({ event: 'cross_checked' })
  expect(await registry.metrics()).toContain('pairing_cross_checks_total 1')
})
