import { type CsvFile, readPages } from '../../components/list/csv.ts'
import { writeAmount } from './amount.ts'
import { type Filters, type Payment, readPayments } from './payments-query.ts'

const COLUMNS: readonly (readonly [string, (payment: Payment) => string])[] = [
  ['Reference', ({ reference }) => reference],
  ['Type', ({ type }) => type],
  ['Amount', ({ token_amount }) => token_amount && writeAmount(token_amount)],
  ['Token', ({ token }) => token],
  ['Status', ({ transaction_status }) => transaction_status],
  ['Final', ({ is_final }) => (is_final ? 'yes' : 'no')],
  ['Reason of failure', ({ failure_reason }) => failure_reason ?? ''],
  ['Payer', ({ from }) => from],
  ['Expected payer', ({ expected_from }) => expected_from ?? ''],
  ['Receiver', ({ to }) => to],
  ['Chain', ({ chain }) => chain],
  ['Transaction hash', ({ transaction_hash }) => transaction_hash],
  ['Not before', ({ not_before }) => not_before ?? ''],
  ['Block time', ({ block_timestamp }) => block_timestamp ?? ''],
  ['Entered', ({ created_at }) => created_at],
  ['Id', ({ id }) => id],
]

/** The payments of an app that the filters show. */
export function paymentsCsv(app_id: string, filters: Filters): CsvFile {
  return {
    name: 'payments.csv',
    header: COLUMNS.map(([title]) => title),
    async *pages() {
      const readRows = (last: Payment | null, limit: number) =>
        readPayments({ app_id, filters, last, limit })
      for await (const payments of readPages(readRows))
        yield payments.map((payment) => COLUMNS.map(([, cell]) => cell(payment)))
    },
  }
}
