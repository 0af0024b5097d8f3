import type { Purchase_Set_Input } from './customer/graphql.ts'
import { graphql } from './customer/index.ts'

/** What a customer may change of a purchase. */
export type Changes = Purchase_Set_Input

export const WRITE = graphql(`
  mutation Write($changes: purchase_set_input!) {
    update_purchase(where: {}, _set: $changes) { affected_rows returning { note } }
  }
`)
