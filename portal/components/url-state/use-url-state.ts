import { useEffect, useRef } from 'react'
import { useSearchParams } from 'react-router'
import { readUrlState, type UrlParameters, type UrlState, withUrlState } from './url-parameters.ts'

type ChangeUrlState<Parameters extends UrlParameters> = (
  changes: Partial<UrlState<Parameters>>,
  options?: { isStep?: boolean },
) => void

/**
 * Keeps tabs, searches, filters and ranges in the page's address, so that a reload, a link and the back button show the same.
 * A change replaces the address, so that the back button leads to the page before. A change that is a step adds to the
 * browser's history, so that the back button undoes it.
 *
 * @param parameters the parameters that this component reads and changes; others stay as they are
 */
export function useUrlState<Parameters extends UrlParameters>(
  parameters: Parameters,
): [UrlState<Parameters>, ChangeUrlState<Parameters>] {
  const [address, setAddress] = useSearchParams()
  // The router shows a new address a moment later. A second change in this moment must keep the first one.
  const requestedAddress = useRef(address)
  useEffect(() => {
    requestedAddress.current = address
  }, [address])
  return [
    readUrlState(address, parameters),
    (changes, { isStep = false } = {}) => {
      requestedAddress.current = withUrlState(requestedAddress.current, parameters, changes)
      setAddress(requestedAddress.current, { replace: !isStep, preventScrollReset: true })
    },
  ]
}
