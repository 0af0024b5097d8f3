/** The block explorer of each public chain. A transaction's hash, appended to the address, completes it. */
const EXPLORERS: ReadonlyMap<string, string> = new Map([
  ['worldchain', 'https://worldscan.org/tx/'],
  ['ethereum', 'https://etherscan.io/tx/'],
  ['optimism', 'https://optimistic.etherscan.io/tx/'],
  ['base', 'https://basescan.org/tx/'],
  ['arbitrum', 'https://arbiscan.io/tx/'],
  ['polygon', 'https://polygonscan.com/tx/'],
])

/** Returns the explorer's page of a transaction; null for a chain without an explorer, such as a local chain. */
export function explorerLink(chain: string, transactionHash: string): string | null {
  const address = EXPLORERS.get(chain)
  return address === undefined ? null : address + transactionHash
}
