import { Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { Download } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { showFailure } from '../use-change.ts'
import { type CsvFile, writeCsv } from './csv.ts'

const COUNT = new Intl.NumberFormat('en')

/** A button that exports a list as a CSV file. While the file is read, the button shows the number of rows and cancels. */
export function CsvButton({ file }: { file: CsvFile }) {
  const [count, setCount] = useState<number | null>(null)
  const controller = useRef<AbortController>(null)
  useEffect(() => () => controller.current?.abort(), [])
  const exportFile = async () => {
    const newController = new AbortController()
    controller.current = newController
    const { signal } = newController
    setCount(0)
    try {
      const written = await writeCsv(file, { signal, onRows: setCount })
      download(file.name, written.parts)
      notifications.show({ message: describeFile(written) })
    } catch (error) {
      if (!signal.aborted && error instanceof Error) showFailure(error)
    } finally {
      setCount(null)
    }
  }
  if (count === null)
    return (
      <Button
        variant="default"
        leftSection={<Download size={16} aria-hidden />}
        onClick={exportFile}
      >
        Export CSV
      </Button>
    )
  return (
    <Button variant="default" onClick={() => controller.current?.abort()}>
      Cancel the export ({COUNT.format(count)} rows)
    </Button>
  )
}

function describeFile({ count, isCut }: { count: number; isCut: boolean }): string {
  const rows = COUNT.format(count)
  return isCut
    ? `The file has the newest ${rows} rows. The list has more: use the API to read the others.`
    : `Rows exported: ${rows}.`
}

function download(name: string, parts: readonly string[]): void {
  const address = URL.createObjectURL(new Blob([...parts], { type: 'text/csv;charset=utf-8' }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // The browser has the file's data by then.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}
