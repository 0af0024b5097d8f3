import { useSearchParams } from 'react-router'
import { readUrlState, type UrlParameters, type UrlState, withUrlState } from './url-parameters.ts'

/**
 * Keeps tabs, searches, filters and ranges in the page's address, so that a reload, a link and the back button show the same.
 * A change replaces the address, because the back button leads to the page before, not through each filter.
 *
 * @param parameters the parameters that this component reads and changes; others stay as they are
 */
export function useUrlState<Parameters extends UrlParameters>(
  parameters: Parameters,
): [UrlState<Parameters>, (changes: Partial<UrlState<Parameters>>) => void] {
  const [address, setAddress] = useSearchParams()
  return [
    readUrlState(address, parameters),
    (changes) =>
      setAddress((before) => withUrlState(before, parameters, changes), {
        replace: true,
        preventScrollReset: true,
      }),
  ]
}
