/**
 * Reads one parameter of a page's address. Returns the parameter's default for '' (an absent parameter) and for a text that the
 * page does not know, since anyone can write an address. These are plain functions and no zod schemas, because the router reads
 * the addresses of all pages, and zod would be a quarter of the code of a first visit.
 */
type ParseText<Value extends string = string> = (text: string) => Value

/** The parameters of a page's address, by name. */
export type UrlParameters = Readonly<Record<string, ParseText>>

export type UrlState<Parameters extends UrlParameters> = {
  [Name in keyof Parameters]: ReturnType<Parameters[Name]>
}

/** A parameter with a few known values. The first is the default. */
export function oneOf<Value extends string>(
  values: readonly [Value, ...Value[]],
): ParseText<Value> {
  return (text) => values.find((value) => value === text) ?? values[0]
}

/** The largest number of characters of a text in an address. */
export const MAX_TEXT_LENGTH = 200

/** A parameter with any short text, such as a search. */
export function anyText(text: string): string {
  return text.trim().slice(0, MAX_TEXT_LENGTH)
}

/** Reads the parameters of a page from its address. */
export function readUrlState<Parameters extends UrlParameters>(
  address: URLSearchParams,
  parameters: Parameters,
): UrlState<Parameters>
export function readUrlState(address: URLSearchParams, parameters: UrlParameters) {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, parse]) => [name, parse(address.get(name) ?? '')]),
  )
}

/** Returns the address with changed parameters. Omits defaults, so that addresses stay short. */
export function withUrlState(
  address: URLSearchParams,
  parameters: UrlParameters,
  changes: Readonly<Record<string, string | undefined>>,
): URLSearchParams {
  const changed = new URLSearchParams(address)
  for (const [name, parse] of Object.entries(parameters)) {
    const value = changes[name]
    if (value === undefined) continue
    if (value === parse('')) changed.delete(name)
    else changed.set(name, value)
  }
  return changed
}
