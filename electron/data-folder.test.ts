import { describe, expect, it } from 'vitest'
import { resolveDataFolder } from './data-folder.ts'

const resolved = (platform: NodeJS.Platform, env: Record<string, string> = {}, home?: string) =>
  resolveDataFolder({ platform, env, home, userFolder: '/home/me' })

describe('the data folder', () => {
  it('is what the command line says, else the environment, else the system’s place', () => {
    expect(resolved('linux', { ESPALIER_HOME: '/env' }, '/given')).toBe('/given')
    expect(resolved('linux', { ESPALIER_HOME: '/env' })).toBe('/env')
    expect(resolved('linux')).toBe('/home/me/.local/share/espalier')
    expect(resolved('darwin')).toBe('/home/me/Library/Application Support/Espalier')
    expect(resolved('win32', { APPDATA: '/roaming' })).toBe('/roaming/Espalier')
  })

  it('follows an absolute XDG_DATA_HOME and ignores a relative one', () => {
    expect(resolved('linux', { XDG_DATA_HOME: '/xdg' })).toBe('/xdg/espalier')
    expect(resolved('linux', { XDG_DATA_HOME: 'xdg' })).toBe('/home/me/.local/share/espalier')
  })
})
