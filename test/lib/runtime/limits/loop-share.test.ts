import { expect, test, vi } from 'vitest'
import { Gone } from '../../../../lib/runtime/limits/fair-queue.ts'
import { createLoopShare } from '../../../../lib/runtime/limits/loop-share.ts'

/** Keeps the event loop busy, like a large GraphQL document. */
function computeFor(ms: number) {
  const end = performance.now() + ms
  while (performance.now() < end);
}

/** Creates a share of the event loop. `order` has the callers in the order of their work. */
function startShare() {
  const loop = createLoopShare()
  const order: string[] = []
  const run = (caller: string, ms: number) =>
    loop.run(caller, () => {
      computeFor(ms)
      order.push(caller)
    })
  return { loop, order, run }
}

test('the event loop runs other callbacks between two long pieces of work', async () => {
  const { order, run } = startShare()
  const runs = [run('a', 20), run('a', 20), run('a', 20)]
  setImmediate(() => order.push('other'))
  await Promise.all(runs)
  expect(order).toEqual(['a', 'other', 'a', 'a'])
})

test('short pieces of work share a turn of the event loop', async () => {
  // Retries, since a busy machine may take the CPU away for longer than a turn.
  await vi.waitFor(async () => {
    const { order, run } = startShare()
    const runs = [run('a', 0), run('b', 0), run('a', 0)]
    setImmediate(() => order.push('other'))
    await Promise.all(runs)
    await new Promise((resolve) => setImmediate(resolve))
    expect(order.at(-1)).toBe('other')
  }, 30_000)
})

test('the caller with the least recent use comes first', async () => {
  const { order, run } = startShare()
  await Promise.all([run('greedy', 20), run('greedy', 20), run('greedy', 20), run('quiet', 1)])
  expect(order).toEqual(['greedy', 'quiet', 'greedy', 'greedy'])
})

test('the work of a caller that disconnects before its turn never runs', async () => {
  const { loop, order, run } = startShare()
  const caller = new AbortController()
  const first = run('a', 20)
  const second = loop.run('b', () => order.push('b'), caller.signal)
  caller.abort()
  await expect(second).rejects.toBeInstanceOf(Gone)
  await first
  expect(order).toEqual(['a'])
})

test('work that throws releases its turn', async () => {
  const { loop, order, run } = startShare()
  const fails = () => {
    throw new Error('wrong document')
  }
  await expect(loop.run('a', fails)).rejects.toThrow('wrong document')
  await run('a', 0)
  expect(order).toEqual(['a'])
})
