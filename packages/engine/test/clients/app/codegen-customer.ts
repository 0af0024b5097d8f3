import type { Purchase_Set_Input } from './customer/graphql.ts'
import { graphql } from './customer/index.ts'

/** The columns of a purchase that a customer can change. */
export type Changes = Purchase_Set_Input

export const WRITE = graphql(`
  mutation Write($changes: purchase_set_input!) {
    update_purchase(where: {}, _set: $changes) { affected_rows returning { note } }
  }
`)
