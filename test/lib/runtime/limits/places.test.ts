import { expect, test } from 'vitest'
import { createPlaces } from '../../../../lib/runtime/limits/places.ts'

test('each caller has its own places', () => {
  const take = createPlaces(2)
  expect([take('a'), take('a'), take('b')]).not.toContain(null)
  expect(take('a')).toBeNull()
})

test('a returned place can be taken again, but only once', () => {
  const take = createPlaces(1)
  const leave = take('a')
  leave?.()
  expect(take('a')).not.toBeNull()
  leave?.()
  expect(take('a')).toBeNull()
})
