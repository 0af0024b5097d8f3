import { expect, test } from 'vitest'
import { parseAmount } from '../../../../webhooks/prices/providers/amount.ts'

test.each([
  ['1', 1_000_000n],
  ['0.930001', 930_001n],
  ['0.9300014', 930_001n],
  ['0.9300015', 930_002n],
  ['0.9300014999999999999999999999999', 930_001n],
  ['123456789012345678901.123456', 123_456_789_012_345_678_901_123_456n],
  ['1.5e3', 1_500_000_000n],
  ['15E-1', 1_500_000n],
  ['5e-7', 1n],
  ['1e+2', 100_000_000n],
  // Numbers such as 0.1 + 0.2 keep all their digits.
  ['0.30000000000000004', 300_000n],
])('%s is %s millionths', (text, amount) => expect(parseAmount(text)).toBe(amount))

test.each([
  ['nothing', ''],
  ['zero', '0'],
  ['what rounds to zero', '0.0000004'],
  ['a negative number', '-1'],
  ['a plus', '+1'],
  ['hex', '0x10'],
  ['two points', '1.2.3'],
  ['no number', 'null'],
  ['infinity', 'Infinity'],
  ['a number that would fill the memory', '1e999'],
  ['a very small one', '1e-999'],
  ['too many digits', '1'.repeat(41)],
  ['spaces', ' 1'],
])('%s is no price', (_name, text) => expect(parseAmount(text)).toBeNull())
