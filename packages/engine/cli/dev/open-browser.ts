import { spawn } from 'node:child_process'

const OPENERS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
}

/** Opens an address in the default browser, if there is one. */
export function openBrowser(url: string): void {
  const [program, ...words] = OPENERS[process.platform] ?? ['xdg-open']
  const opener = spawn(program, [...words, url], { detached: true, stdio: 'ignore' })
  opener.on('error', () => {})
  opener.unref()
}
