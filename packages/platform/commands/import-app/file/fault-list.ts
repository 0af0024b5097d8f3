const SHOWN = 20

/** The faults of a file. Keeps the first twenty, and counts the others. */
export class FaultList {
  #faults: string[] = []
  #total = 0
  readonly #path: string

  constructor(path: string) {
    this.#path = path
  }

  add(line: number, fault: string): void {
    this.#total += 1
    if (this.#faults.length < SHOWN) this.#faults.push(`${this.#path}, line ${line}: ${fault}`)
  }

  /** Throws one error with all faults, if there are any. */
  throwIfAny(): void {
    if (this.#total === 0) return
    const others = this.#total - this.#faults.length
    const rest = others > 0 ? [`… and ${others.toLocaleString('en')} more.`] : []
    throw new Error(
      [...this.#faults, ...rest, 'Nothing was imported. Correct the file, and run again.'].join(
        '\n',
      ),
    )
  }
}
