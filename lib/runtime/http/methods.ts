export type Method = 'get' | 'post'

/** Returns the HTTP names of the methods. A route for GET also answers HEAD. */
export function methodNames(methods: readonly Method[]): string[] {
  return methods.flatMap((method) => (method === 'get' ? ['GET', 'HEAD'] : ['POST']))
}
