import type { Hex } from 'viem'
import { z } from 'zod'

/** The contracts of the local chain, each in a file of the same name. */
export const CONTRACTS = [
  'NameRegistry',
  'AddressResolver',
  'UniversalResolver',
  'GroupRoots',
  'PriceFeed',
  'Token',
  'WorldId',
] as const

export type Contract = (typeof CONTRACTS)[number]

/** The creation code of every contract. */
export const ContractCodes = z.record(z.enum(CONTRACTS), z.custom<Hex>(isBytecode))

function isBytecode(value: unknown): boolean {
  return typeof value === 'string' && /^0x([0-9a-f]{2})+$/.test(value)
}
