export type Method = 'get' | 'post'

/** The methods by their HTTP names; a route for GET also answers HEAD. */
export function methodNames(methods: readonly Method[]): string[] {
  return methods.flatMap((method) => (method === 'get' ? ['GET', 'HEAD'] : ['POST']))
}
