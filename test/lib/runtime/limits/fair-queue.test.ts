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

/** Creates a queue with a test clock. `order` has the callers in the order in which they got a place. */
function startQueue(limits: Partial<typeof LIMITS> = {}) {
  const clock = { ms: 0 }
  const queue = createFairQueue({ ...LIMITS, ...limits }, () => clock.ms)
  const order: string[] = []
  const leaves: Leave[] = []
  const enter = (...callers: string[]) => {
    const entry = queue.enter(callers).then((leave) => {
      order.push(callers.join())
      leaves.push(leave)
    })
    // The queue refuses a caller that still waits, which may happen after the end of the test.
    entry.catch(() => {})
    return entry
  }
  /** Ends the oldest request after `ms` milliseconds. */
  const endOldest = async (ms: number) => {
    clock.ms += ms
    leaves.shift()?.()
    await runCallbacks()
  }
  return { queue, clock, order, enter, endOldest }
}

/** Runs the callbacks of resolved promises. */
const runCallbacks = () => new Promise((resolve) => setImmediate(resolve))

describe('a free place goes to the caller with the least recent use', () => {
  test('every caller gets a place while places are free', async () => {
    const { enter, order } = startQueue()
    await Promise.all([enter('a'), enter('a')])
    expect(order).toEqual(['a', 'a'])
  })

  test('the caller with the least recent use gets the next place, even if it came last', async () => {
    const { enter, endOldest, order } = startQueue({ places: 1 })
    await enter('greedy')
    const entries = [enter('greedy'), enter('greedy'), enter('quiet')]
    await endOldest(500)
    expect(order).toEqual(['greedy', 'quiet'])
    await endOldest(1)
    await endOldest(1)
    await Promise.all(entries)
    expect(order).toEqual(['greedy', 'quiet', 'greedy', 'greedy'])
  })

  test('the turn of a request depends on its heaviest caller', async () => {
    const { enter, endOldest, order } = startQueue({ places: 1 })
    await enter('app', 'busy address')
    const entries = [
      enter('other app', 'busy address'),
      enter('app', 'other address'),
      enter('c', 'd'),
    ]
    await endOldest(500)
    expect(order.at(-1)).toBe('c,d')
    await endOldest(1)
    await endOldest(1)
    await Promise.all(entries)
  })

  test('within an app, the address with the least recent use comes first', async () => {
    const { enter, endOldest, order } = startQueue({ places: 1 })
    await enter('app', 'greedy')
    const entries = [enter('app', 'greedy'), enter('app', 'greedy'), enter('app', 'quiet')]
    await endOldest(500)
    expect(order.at(-1)).toBe('app,quiet')
    await endOldest(1)
    await endOldest(1)
    await Promise.all(entries)
  })

  test('the queue forgets the use of a caller after a while', async () => {
    const { enter, endOldest, order, clock } = startQueue({ places: 1 })
    await enter('once greedy')
    await endOldest(900)
    clock.ms += 200_000
    await enter('recent')
    await endOldest(10)
    await enter('x')
    const entries = [enter('recent'), enter('once greedy')]
    await endOldest(1)
    expect(order.at(-1)).toBe('once greedy')
    await endOldest(1)
    await Promise.all(entries)
  })
})

describe('a caller cannot exceed its limits', () => {
  test('a caller gets at most placesPerCaller, even if further places are free', async () => {
    const { enter, order, queue } = startQueue({ placesPerCaller: 1 })
    void enter('a')
    void enter('a')
    void enter('b')
    await runCallbacks()
    expect(order).toEqual(['a', 'b'])
    expect(queue.length).toBe(1)
  })

  test('a heavy caller does not get the places that are reserved for light callers', async () => {
    const { enter, endOldest, order } = startQueue({ placesForHeavy: 1 })
    await enter('heavy')
    await endOldest(50_000)
    void enter('heavy')
    void enter('heavy')
    await runCallbacks()
    expect(order).toEqual(['heavy', 'heavy'])
    await enter('light')
    expect(order).toEqual(['heavy', 'heavy', 'light'])
  })

  test('a slow caller does not get the places that are reserved for quick callers', async () => {
    const { enter, endOldest, order } = startQueue({ placesForSlow: 1 })
    await enter('slow')
    await endOldest(150)
    void enter('slow')
    void enter('slow')
    await runCallbacks()
    expect(order).toEqual(['slow', 'slow'])
    await enter('quick')
    expect(order).toEqual(['slow', 'slow', 'quick'])
    await endOldest(100)
    expect(order).toEqual(['slow', 'slow', 'quick', 'slow'])
  })

  test('a caller is refused if maxWaitingPerCaller of its requests wait', async () => {
    const { enter } = startQueue({ places: 1, maxWaitingPerCaller: 1 })
    await enter('a')
    void enter('a')
    await expect(enter('a')).rejects.toThrow(TooBusy)
    void enter('b')
  })

  test('a caller is refused after maxWaitMs', async () => {
    const { enter, queue } = startQueue({ places: 1, maxWaitMs: 5 })
    await enter('a')
    await expect(enter('a')).rejects.toThrow(TooBusy)
    expect(queue.length).toBe(0)
  })
})

test('a caller is refused if maxWaiting requests of all callers wait', async () => {
  const { enter } = startQueue({ places: 1, maxWaiting: 2 })
  await enter('a')
  void enter('b')
  void enter('c')
  await expect(enter('d')).rejects.toThrow(TooBusy)
})

describe('a full queue makes room for lighter callers', () => {
  /** Creates a queue with one place. One greedy request has the place, and two more wait. */
  async function startFullQueue(limits: Partial<typeof LIMITS>, ...greedy: string[]) {
    const scene = startQueue({ places: 1, ...limits })
    await scene.enter(...greedy)
    void scene.enter(...greedy)
    await scene.endOldest(500)
    return { ...scene, waiting: [scene.enter(...greedy), scene.enter(...greedy)] }
  }

  test('the last request of the heaviest caller makes room for a lighter caller', async () => {
    const { enter, endOldest, order, waiting, queue } = await startFullQueue({ maxWaiting: 2 }, 'a')
    const late = enter('b')
    await expect(waiting[1]).rejects.toThrow(TooBusy)
    expect(queue.length).toBe(2)
    await endOldest(1)
    await late
    expect(order).toEqual(['a', 'a', 'b'])
  })

  test('an address that has filled the share of its app makes room for a lighter address', async () => {
    const limits = { maxWaitingPerCaller: 2 }
    const { enter, endOldest, waiting } = await startFullQueue(limits, 'app', 'greedy')
    const late = enter('app', 'quiet')
    await expect(waiting[1]).rejects.toThrow(TooBusy)
    await endOldest(1)
    await late
  })

  test('requireRoom checks for room, and displaces no request', async () => {
    const { queue } = await startFullQueue({ maxWaiting: 2 }, 'a')
    expect(() => queue.requireRoom(['a'])).toThrow(TooBusy)
    queue.requireRoom(['b'])
    expect(queue.length).toBe(2)
  })

  test('no request makes room for a caller with the same use', async () => {
    const { enter, queue } = await startFullQueue({ maxWaiting: 2 }, 'a')
    await expect(enter('a')).rejects.toThrow(TooBusy)
    expect(queue.length).toBe(2)
  })

  test('a patient request is never displaced', async () => {
    const { enter, endOldest, queue } = startQueue({ places: 1, maxWaiting: 1 })
    await enter('a')
    void queue.enter(['a'], { isPatient: true })
    await endOldest(500)
    void queue.enter(['a'], { isPatient: true })
    await expect(enter('b')).rejects.toThrow(TooBusy)
  })
})

describe('a refusal says when to retry', () => {
  /** Returns the refusal of a caller's next request if its requests take `ms` each, and `waitingCount` of them wait. */
  async function refusalAfter(ms: number, waitingCount: number): Promise<unknown> {
    const { enter, endOldest } = startQueue({ places: 1, maxWaitingPerCaller: waitingCount })
    await enter('a')
    void enter('a')
    await endOldest(ms)
    for (let i = 0; i < waitingCount; i++) void enter('a')
    return enter('a').catch((error: unknown) => error)
  }

  test.each([
    [200, 5, 1],
    [700, 5, 4],
    [1_000, 5, 5],
    [20_000, 5, 30],
  ])(
    'if each request takes %i ms and %i wait, a refused caller may retry after %i s',
    async (ms, waitingCount, retryAfterSeconds) => {
      expect(await refusalAfter(ms, waitingCount)).toMatchObject({ retryAfterSeconds })
    },
  )

  test('if the whole queue is full, a refused caller may retry after maxWaitMs', async () => {
    const { enter } = startQueue({ places: 1, maxWaiting: 1, maxWaitMs: 7_000 })
    await enter('a')
    void enter('b')
    await expect(enter('c')).rejects.toMatchObject({ retryAfterSeconds: 7 })
  })
})

test('a patient request is never refused', async () => {
  const { enter, queue } = startQueue({ places: 1, maxWaiting: 0 })
  await enter('a')
  void queue.enter(['b'], { isPatient: true })
  await runCallbacks()
  expect(queue.length).toBe(1)
})

test('a caller that disconnects while it waits takes no place', async () => {
  const { enter, endOldest, queue, order } = startQueue({ places: 1 })
  await enter('a')
  const caller = new AbortController()
  const entry = queue.enter(['b'], { signal: caller.signal })
  const next = enter('c')
  caller.abort()
  await expect(entry).rejects.toThrow(Gone)
  await endOldest(1)
  await next
  expect(order).toEqual(['a', 'c'])
})
