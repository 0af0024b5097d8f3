export type Method = 'get' | 'post'

/** As HTTP names them; what answers GET answers HEAD. */
export function namesOf(methods: readonly Method[]): string[] {
  return methods.flatMap((method) => (method === 'get' ? ['GET', 'HEAD'] : ['POST']))
}
