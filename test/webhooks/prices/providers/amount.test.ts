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
  // A provider may write the sum 0.1 + 0.2 with 17 decimals.
  ['0.30000000000000004', 300_000n],
])('%s parses as %s millionths', (text, amount) => expect(parseAmount(text)).toBe(amount))

test.each([
  ['an empty text', ''],
  ['zero', '0'],
  ['a number that rounds to zero', '0.0000004'],
  ['a negative number', '-1'],
  ['a number with a plus sign', '+1'],
  ['a hexadecimal number', '0x10'],
  ['a number with two points', '1.2.3'],
  ['a word', 'null'],
  ['infinity', 'Infinity'],
  ['a number that would exhaust the memory', '1e999'],
  ['a very small number', '1e-999'],
  ['a number with too many digits', '1'.repeat(41)],
  ['a number after a space', ' 1'],
])('%s does not parse as a price', (_name, text) => expect(parseAmount(text)).toBeNull())
