import { randomInt } from 'node:crypto'

// Random factors, so that no file can place its people into neighbouring slots.
const FACTORS = [oddFactor(), oddFactor()] as const

/**
 * A set of people that keeps 52 bits of each nullifier, so a million people take 16 MB. Two people may have the same
 * fingerprint, so a caller compares the people of a repeated fingerprint in full.
 */
export class FingerprintSet {
  #slots = new Float64Array(1_024)
  #size = 0

  /** Adds a person; false if the set had the fingerprint already. */
  add(fingerprint: number): boolean {
    if (this.#size * 2 >= this.#slots.length) this.#grow()
    const isNew = insertInto(this.#slots, fingerprint)
    if (isNew) this.#size += 1
    return isNew
  }

  #grow() {
    const slots = new Float64Array(this.#slots.length * 2)
    for (const stored of this.#slots) if (stored !== 0) insertInto(slots, stored - 1)
    this.#slots = slots
  }
}

/** Returns the last 52 bits of a canonical nullifier. */
export function fingerprintOf(nullifierHash: string): number {
  return Number.parseInt(nullifierHash.slice(-13), 16)
}

/** Stores a fingerprint plus one, since zero marks a free slot. Probes linearly. */
function insertInto(slots: Float64Array, fingerprint: number): boolean {
  const high = Math.imul(Math.floor(fingerprint / 2 ** 32), FACTORS[0])
  let index = Math.imul(fingerprint ^ high, FACTORS[1]) >>> (32 - Math.log2(slots.length))
  for (;;) {
    const stored = slots[index]
    if (stored === fingerprint + 1) return false
    if (stored === 0) {
      slots[index] = fingerprint + 1
      return true
    }
    index = (index + 1) % slots.length
  }
}

function oddFactor(): number {
  return randomInt(2 ** 31) * 2 + 1
}
