/** Types of oidc-provider's in-memory storage, which @types/oidc-provider lacks. */
declare module 'oidc-provider/lib/helpers/lru.js' {
  export default class Lru {
    constructor(options: { maxSize: number })
  }
}

declare module 'oidc-provider/lib/adapters/memory_adapter.js' {
  import type { Adapter } from 'oidc-provider'
  import type Lru from 'oidc-provider/lib/helpers/lru.js'

  const MemoryAdapter: new (model: string, storage: Lru) => Adapter
  export default MemoryAdapter
}
