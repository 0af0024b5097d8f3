import { describe, expect, test } from 'vitest'
import { createFairQueue, Gone, type Leave } from '../../../../lib/runtime/limits/fair-queue.ts'
import { TooBusy } from '../../../../lib/runtime/too-busy.ts'

const LIMITS = {
  places: 2,
  placesPerCaller: 2,
  placesForHeavy: 2,
  placesForSlow: 2,
  maxWaiting: 10,
  maxWaitingPerCaller: 5,
  maxWaitMs: 60_000,
}

/** A queue with a clock of its own, and the callers in the order in which they got a place. */
function startQueue(limits: Partial<typeof LIMITS> = {}) {
  const clock = { ms: 0 }
  const queue = createFairQueue({ ...LIMITS, ...limits }, () => clock.ms)
  const begun: string[] = []
  const leaves: Leave[] = []
  const enter = (...callers: string[]) => {
    const entered = queue.enter(callers).then((leave) => {
      begun.push(callers.join())
      leaves.push(leave)
    })
    // Who still waits when the test is over gives up long after it.
    entered.catch(() => {})
    return entered
  }
  /** Ends the oldest piece of work after so long. */
  const endOldest = async (ms: number) => {
    clock.ms += ms
    leaves.shift()?.()
    await settled()
  }
  return { queue, clock, begun, enter, endOldest }
}

/** Lets promises that are resolved already call back. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

describe('who gets a free place', () => {
  test('everybody, while there are places', async () => {
    const { enter, begun } = startQueue()
    await Promise.all([enter('a'), enter('a')])
    expect(begun).toEqual(['a', 'a'])
  })

  test('the caller who has used the least, however late they came', async () => {
    const { enter, endOldest, begun } = startQueue({ places: 1 })
    await enter('greedy')
    const all = [enter('greedy'), enter('greedy'), enter('quiet')]
    await endOldest(500)
    expect(begun).toEqual(['greedy', 'quiet'])
    await endOldest(1)
    await endOldest(1)
    await Promise.all(all)
    expect(begun).toEqual(['greedy', 'quiet', 'greedy', 'greedy'])
  })

  test('of the callers that a piece of work has, the one who has used the most decides', async () => {
    const { enter, endOldest, begun } = startQueue({ places: 1 })
    await enter('app', 'busy address')
    const all = [enter('other app', 'busy address'), enter('app', 'other address'), enter('c', 'd')]
    await endOldest(500)
    expect(begun.at(-1)).toBe('c,d')
    await endOldest(1)
    await endOldest(1)
    await Promise.all(all)
  })

  test('of those who share an app, the address that has used the least', async () => {
    const { enter, endOldest, begun } = startQueue({ places: 1 })
    await enter('app', 'greedy')
    const all = [enter('app', 'greedy'), enter('app', 'greedy'), enter('app', 'quiet')]
    await endOldest(500)
    expect(begun.at(-1)).toBe('app,quiet')
    await endOldest(1)
    await endOldest(1)
    await Promise.all(all)
  })

  test('what was used long ago is forgotten', async () => {
    const { enter, endOldest, begun, clock } = startQueue({ places: 1 })
    await enter('once greedy')
    await endOldest(900)
    clock.ms += 200_000
    await enter('recent')
    await endOldest(10)
    await enter('x')
    const all = [enter('recent'), enter('once greedy')]
    await endOldest(1)
    expect(begun.at(-1)).toBe('once greedy')
    await endOldest(1)
    await Promise.all(all)
  })
})

describe('what one caller cannot have', () => {
  test('more than their places, even if others are free', async () => {
    const { enter, begun, queue } = startQueue({ placesPerCaller: 1 })
    void enter('a')
    void enter('a')
    void enter('b')
    await settled()
    expect(begun).toEqual(['a', 'b'])
    expect(queue.length).toBe(1)
  })

  test('the places that are kept for those who use little', async () => {
    const { enter, endOldest, begun } = startQueue({ placesForHeavy: 1 })
    await enter('heavy')
    await endOldest(50_000)
    void enter('heavy')
    void enter('heavy')
    await settled()
    expect(begun).toEqual(['heavy', 'heavy'])
    await enter('light')
    expect(begun).toEqual(['heavy', 'heavy', 'light'])
  })

  test('the places that are kept for those whose work is quick', async () => {
    const { enter, endOldest, begun } = startQueue({ placesForSlow: 1 })
    await enter('slow')
    await endOldest(150)
    void enter('slow')
    void enter('slow')
    await settled()
    expect(begun).toEqual(['slow', 'slow'])
    await enter('quick')
    expect(begun).toEqual(['slow', 'slow', 'quick'])
    await endOldest(100)
    expect(begun).toEqual(['slow', 'slow', 'quick', 'slow'])
  })

  test('a place in the queue beyond their share of it', async () => {
    const { enter } = startQueue({ places: 1, maxWaitingPerCaller: 1 })
    await enter('a')
    void enter('a')
    await expect(enter('a')).rejects.toThrow(TooBusy)
    void enter('b')
  })

  test('a wait without end', async () => {
    const { enter, queue } = startQueue({ places: 1, maxWaitMs: 5 })
    await enter('a')
    await expect(enter('a')).rejects.toThrow(TooBusy)
    expect(queue.length).toBe(0)
  })
})

test('the queue is bounded for all together', async () => {
  const { enter } = startQueue({ places: 1, maxWaiting: 2 })
  await enter('a')
  void enter('b')
  void enter('c')
  await expect(enter('d')).rejects.toThrow(TooBusy)
})

describe('in a full queue', () => {
  /** One place, which somebody greedy has used, and a queue that they have filled. */
  async function filledQueue(limits: Partial<typeof LIMITS>, ...greedy: string[]) {
    const started = startQueue({ places: 1, ...limits })
    await started.enter(...greedy)
    void started.enter(...greedy)
    await started.endOldest(500)
    return { ...started, waiting: [started.enter(...greedy), started.enter(...greedy)] }
  }

  test('the last of those who have used the most gives way to who has used less', async () => {
    const { enter, endOldest, begun, waiting, queue } = await filledQueue({ maxWaiting: 2 }, 'a')
    const late = enter('b')
    await expect(waiting[1]).rejects.toThrow(TooBusy)
    expect(queue.length).toBe(2)
    await endOldest(1)
    await late
    expect(begun).toEqual(['a', 'a', 'b'])
  })

  test('so does who has filled the share of an app from their address', async () => {
    const limits = { maxWaitingPerCaller: 2 }
    const { enter, endOldest, waiting } = await filledQueue(limits, 'app', 'greedy')
    const late = enter('app', 'quiet')
    await expect(waiting[1]).rejects.toThrow(TooBusy)
    await endOldest(1)
    await late
  })

  test('that there is room can be asked before, and nobody gives way for the question', async () => {
    const { queue } = await filledQueue({ maxWaiting: 2 }, 'a')
    expect(() => queue.requireRoom(['a'])).toThrow(TooBusy)
    queue.requireRoom(['b'])
    expect(queue.length).toBe(2)
  })

  test('nobody gives way to who has used as much', async () => {
    const { enter, queue } = await filledQueue({ maxWaiting: 2 }, 'a')
    await expect(enter('a')).rejects.toThrow(TooBusy)
    expect(queue.length).toBe(2)
  })

  test('patient work gives way to nobody', async () => {
    const { enter, endOldest, queue } = startQueue({ places: 1, maxWaiting: 1 })
    await enter('a')
    void queue.enter(['a'], { isPatient: true })
    await endOldest(500)
    void queue.enter(['a'], { isPatient: true })
    await expect(enter('b')).rejects.toThrow(TooBusy)
  })
})

describe('who is refused is told when to try again', () => {
  /** A caller whose work takes so long, and of whom so many wait. */
  async function refusedAfter(ms: number, waiting: number): Promise<unknown> {
    const { enter, endOldest } = startQueue({ places: 1, maxWaitingPerCaller: waiting })
    await enter('a')
    void enter('a')
    await endOldest(ms)
    for (let i = 0; i < waiting; i++) void enter('a')
    return enter('a').catch((error: unknown) => error)
  }

  test.each([
    [200, 5, 1],
    [700, 5, 4],
    [1_000, 5, 5],
    [20_000, 5, 30],
  ])('where each takes %i ms and %i wait: after %i s', async (ms, waiting, retryAfterSeconds) => {
    expect(await refusedAfter(ms, waiting)).toMatchObject({ retryAfterSeconds })
  })

  test('after as long as anybody waits, where all together are too many', async () => {
    const { enter } = startQueue({ places: 1, maxWaiting: 1, maxWaitMs: 7_000 })
    await enter('a')
    void enter('b')
    await expect(enter('c')).rejects.toMatchObject({ retryAfterSeconds: 7 })
  })
})

test('patient work is never refused', async () => {
  const { enter, queue } = startQueue({ places: 1, maxWaiting: 0 })
  await enter('a')
  void queue.enter(['b'], { isPatient: true })
  await settled()
  expect(queue.length).toBe(1)
})

test('who goes away while waiting takes nobody else’s place', async () => {
  const { enter, endOldest, queue, begun } = startQueue({ places: 1 })
  await enter('a')
  const gone = new AbortController()
  const waiting = queue.enter(['b'], { signal: gone.signal })
  const next = enter('c')
  gone.abort()
  await expect(waiting).rejects.toThrow(Gone)
  await endOldest(1)
  await next
  expect(begun).toEqual(['a', 'c'])
})
