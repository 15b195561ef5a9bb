import { connect } from '../../../renderer/bridge/connection.ts'

/** A page that shows what the bridge tells it. */

const put = (id: string, value: unknown) => {
  const element = document.getElementById(id)
  if (element) element.textContent = typeof value === 'string' ? value : JSON.stringify(value)
}

document.addEventListener('securitypolicyviolation', event => put('violation', event.violatedDirective))

const connection = await connect()
const show = async () => {
  const state = connection.state()
  put('state', 'reason' in state ? `${state.status}: ${state.reason}` : state.status)
  if (state.status !== 'open') return
  try {
    const { shell, dataFolder } = await connection.client.diagnostics.host()
    put('host', `${shell} ${dataFolder}`)
  } catch (error) {
    put('host', String(error))
  }
}
connection.onState(() => void show())
connection.onCommand(command => put('command', command))
document.getElementById('choose')?.addEventListener('click', async () => {
  put('folder', connection.chooseFolder ? ((await connection.chooseFolder()) ?? 'none chosen') : 'no dialog')
})
await show()
