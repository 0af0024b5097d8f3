import { useSearchParams } from 'react-router'

/** The filters of a page: texts by name, empty for no filter. */
type Filters = Readonly<Record<string, string>>

/**
 * Keeps the filters of a page in its address, so that a reload, the back button and a link keep them. A change of a filter
 * is a step of the browser's history, unless `isTyping` is true.
 *
 * @param read reads the filters from an address; ignores wrong values, because people change addresses by hand
 */
export function useFilters<Read extends Filters>(read: (parameters: URLSearchParams) => Read) {
  const [parameters, setParameters] = useSearchParams()
  const change = (filters: Partial<Read>, { isTyping = false } = {}) =>
    setParameters(
      (current) => {
        const next = new URLSearchParams(current)
        for (const [name, value] of Object.entries<string | undefined>(filters))
          if (value) next.set(name, value)
          else next.delete(name)
        return next
      },
      { replace: isTyping, preventScrollReset: true },
    )
  return [read(parameters), change] as const
}
