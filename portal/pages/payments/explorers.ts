/** Where people look at a transaction: the address for each public chain, which its hash completes. */
const EXPLORERS: ReadonlyMap<string, string> = new Map([
  ['worldchain', 'https://worldscan.org/tx/'],
  ['ethereum', 'https://etherscan.io/tx/'],
  ['optimism', 'https://optimistic.etherscan.io/tx/'],
  ['base', 'https://basescan.org/tx/'],
  ['arbitrum', 'https://arbiscan.io/tx/'],
  ['polygon', 'https://polygonscan.com/tx/'],
])

/** The page about a transaction; null for a chain that only the operator knows, such as a local one. */
export function explorerLink(chain: string, transactionHash: string): string | null {
  const address = EXPLORERS.get(chain)
  return address === undefined ? null : address + transactionHash
}
