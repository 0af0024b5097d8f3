/** Reads the filter of the page "Apps" from its address. */
export function appsFilter(parameters: URLSearchParams) {
  return {
    search: parameters.get('search')?.trim() ?? '',
    isArchived: parameters.get('show') === 'archived',
  }
}
