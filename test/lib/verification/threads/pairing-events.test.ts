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
  return { registry, lines, notice: recordPairingEvents(registry, pino(stream)) }
}

test('each reason to fall back is counted for every thread and logged once', async () => {
  const { registry, lines, notice } = record()
  for (let thread = 0; thread < 3; thread++) notice({ event: 'fell_back', reason: 'unavailable' })
  notice({ event: 'fell_back', reason: 'disagreement' })
  const text = await registry.metrics()
  expect(text).toContain('pairing_fallbacks_total{reason="unavailable"} 3')
  expect(text).toContain('pairing_fallbacks_total{reason="disagreement"} 1')
  expect(lines.map(({ level, reason }) => [level, reason])).toEqual([
    [40, 'unavailable'],
    [50, 'disagreement'],
  ])
})

test('every series is there before anything happens', async () => {
  const { registry, notice } = record()
  const text = await registry.metrics()
  for (const reason of ['unavailable', 'known_case', 'disagreement'])
    expect(text).toContain(`pairing_fallbacks_total{reason="${reason}"} 0`)
  notice({ event: 'cross_checked' })
  expect(await registry.metrics()).toContain('pairing_cross_checks_total 1')
})
