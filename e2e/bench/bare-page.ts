import { createServer, type Server } from 'node:http'

/** A page with a button that fetches a JSON text and puts plain rows: what a browser takes for it at the least. */
export async function serveBarePage(
  json: string,
  rows: number,
): Promise<{ readonly address: string; close(): void }> {
  const server = createServer((request, response) => {
    const isData = request.url === '/data'
    response.setHeader('content-type', isData ? 'application/json' : 'text/html; charset=utf-8')
    response.end(isData ? json : pageOf(rows))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return { address: `http://127.0.0.1:${portOf(server)}/`, close: () => void server.close() }
}

function pageOf(rows: number): string {
  return `<!doctype html><button>Open</button><div id="list"></div><script>
    // The longest list in what came is what the window showed.
    const listIn = value => {
      if (Array.isArray(value)) return value
      const lists = Object.values(value ?? {}).filter(one => typeof one === 'object').map(listIn)
      return lists.reduce((longest, list) => (list.length > longest.length ? list : longest), [])
    }
    document.querySelector('button').onclick = async () => {
      const items = listIn(await (await fetch('/data')).json()).slice(0, ${rows})
      document.querySelector('#list').append(...items.map(item => {
        const row = document.createElement('div')
        row.textContent = JSON.stringify(item).slice(0, 300)
        return row
      }))
    }
  </script>`
}

function portOf(server: Server): number {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server listens on no port.')
  return address.port
}
